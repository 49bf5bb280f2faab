package actions

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// verbKey is the JSON key that tells the members apart. No member has a field of this name.
const verbKey = "verb"

// Marshal writes the action as one JSON object: its verb and its fields, for example
// {"verb":"LONGPRESS","at":{"x":0.5,"y":0.25},"hold":"2s"}. What [Unmarshal] reads from it is equal
// to a.
func Marshal(a Action) ([]byte, error) {
	if !slices.Contains(slices.Collect(maps.Values(members)), reflect.TypeOf(a)) {
		return nil, fmt.Errorf("encoding an action: %T is not in the vocabulary", a)
	}
	out := []byte(`{"` + verbKey + `":"` + a.Verb() + `"`)
	v := reflect.ValueOf(a)
	for i := range v.NumField() {
		name, optional := argumentOf(v.Type().Field(i))
		if optional && v.Field(i).IsZero() {
			continue
		}
		field := v.Field(i).Interface()
		if d, is := field.(time.Duration); is {
			field = span(d)
		}
		b, err := json.Marshal(field)
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", a.Verb(), err)
		}
		out = append(append(out, `,"`+name+`":`...), b...)
	}
	return append(out, '}'), nil
}

// Unmarshal reads what Marshal wrote, and nothing else: an unknown verb, an unknown, missing or
// null field, and anything after the object are errors. It does not validate: what was written
// under older limits can still be read.
func Unmarshal(b []byte) (Action, error) {
	var head struct {
		Verb string `json:"verb"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("decoding an action: %w", err)
	}
	t, ok := members[head.Verb]
	if !ok {
		return nil, fmt.Errorf("decoding an action: unknown verb %s",
			text.Quote(head.Verb, maxQuoted))
	}
	v := reflect.New(t).Elem()
	if err := readFields(b, v); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", head.Verb, err)
	}
	a := v.Interface().(Action)
	again, err := Marshal(a)
	if err != nil {
		return nil, err
	}
	if !sameJSON(b, again) { // a field is missing or unknown
		return nil, fmt.Errorf("decoding %s: %s is written as %s", head.Verb,
			text.Quote(string(b), 200), text.Quote(string(again), 200))
	}
	return a, nil
}

// readFields reads those fields of an action that are in a JSON object.
func readFields(b []byte, v reflect.Value) error {
	var object map[string]json.RawMessage
	err := json.Unmarshal(b, &object)
	for i := 0; err == nil && i < v.NumField(); i++ {
		name, _ := argumentOf(v.Type().Field(i))
		to := v.Field(i).Addr().Interface()
		if d, is := to.(*time.Duration); is {
			to = (*span)(d)
		}
		raw, there := object[name]
		if !there {
			continue
		}
		if err = json.Unmarshal(raw, to); err != nil {
			if mismatch, is := errors.AsType[*json.UnmarshalTypeError](err); is {
				return fmt.Errorf("%s cannot be a JSON %s", name, mismatch.Value)
			}
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	return err
}

// Named returns the action with this verb and the arguments that a person wrote, in the form of
// [Args]. The action is validated. The error is worded for the person.
func Named(verb string, args map[string]any) (Action, error) {
	t, ok := members[verb]
	if !ok {
		return nil, fmt.Errorf("unknown action %s (want one of %s)", text.Quote(verb, maxQuoted),
			list(slices.Sorted(maps.Keys(members))))
	}
	names, needed := argumentsOf(t)
	object := map[string]any{verbKey: verb}
	for key, v := range args {
		if !slices.Contains(names, key) {
			return nil, fmt.Errorf("%s has no argument %s (it has: %s)", verb,
				text.Quote(key, maxQuoted), cmp.Or(list(names), "none"))
		}
		if v != nil && !reflect.ValueOf(v).IsZero() || slices.Contains(needed, key) {
			object[key] = v
		}
	}
	for _, key := range needed {
		if args[key] == nil {
			return nil, fmt.Errorf("%s has no %q (it wants: %s)", verb, key, list(needed))
		}
	}
	b, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	a, err := Unmarshal(b)
	if err != nil {
		return nil, err
	}
	return a, a.Validate()
}

// Args is the action's arguments as Marshal writes them.
func Args(a Action) (map[string]any, error) {
	b, err := Marshal(a)
	if err != nil {
		return nil, err
	}
	var args map[string]any
	if err := json.Unmarshal(b, &args); err != nil {
		return nil, err
	}
	delete(args, verbKey)
	return args, nil
}

// argumentsOf returns the keys of an action's arguments, and of these the ones that Marshal always
// writes.
func argumentsOf(t reflect.Type) (names, needed []string) {
	for field := range t.Fields() {
		name, optional := argumentOf(field)
		names = append(names, name)
		if !optional {
			needed = append(needed, name)
		}
	}
	return names, needed
}

// argumentOf is the key of an argument, and whether Marshal leaves it out when it says nothing.
func argumentOf(field reflect.StructField) (name string, optional bool) {
	name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name, rest == "omitempty"
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// span is a duration as JSON text, for example "1.5s".
type span time.Duration

func (d span) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d *span) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = span(v)
	return err
}
