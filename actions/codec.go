package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// verbKey is the JSON key that tells the members apart. No member has a field of this name.
const verbKey = "verb"

var members = func() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, a := range Vocabulary() {
		m[a.Verb()] = reflect.TypeOf(a)
	}
	return m
}()

// Marshal writes the action as one JSON object: its verb and its fields, for example
// {"verb":"LONGPRESS","at":{"x":0.5,"y":0.25},"hold":"2s"}. What [Unmarshal] reads from it is equal
// to a.
func Marshal(a Action) ([]byte, error) {
	if !isMember(a) {
		return nil, fmt.Errorf("encoding an action: %T is not in the vocabulary", a)
	}
	fields, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", a.Verb(), err)
	}
	head := `{"` + verbKey + `":"` + a.Verb() + `"`
	if string(fields) == "{}" {
		return []byte(head + "}"), nil
	}
	return append([]byte(head+","), fields[1:]...), nil
}

func isMember(a Action) bool {
	for _, t := range members {
		if t == reflect.TypeOf(a) {
			return true
		}
	}
	return false
}

// Unmarshal reads what Marshal wrote. It is strict: an unknown verb, an unknown, repeated, missing
// or null field, and anything after the object are errors. It does not validate: what was written
// under older limits can still be read.
func Unmarshal(b []byte) (Action, error) {
	fields, err := object(b)
	if err != nil {
		return nil, fmt.Errorf("decoding an action: %w", err)
	}
	var verb string
	if err := json.Unmarshal(fields[verbKey], &verb); err != nil {
		return nil, errors.New(`decoding an action: no "verb"`)
	}
	t, ok := members[verb]
	if !ok {
		return nil, fmt.Errorf("decoding an action: unknown verb %s", text.Quote(verb, maxQuoted))
	}
	delete(fields, verbKey)
	v := reflect.New(t)
	if err := exact(fields, t); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", verb, err)
	}
	if err := json.Unmarshal(b, v.Interface()); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", verb, err)
	}
	return v.Elem().Interface().(Action), nil
}

// object reads the JSON object at the start of b into its raw fields.
func object(b []byte) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("want a JSON object, got %s", text.Quote(string(b), maxQuoted))
	}
	fields := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		if _, twice := fields[key.(string)]; twice {
			return nil, fmt.Errorf("the field %q is there twice", key)
		}
		fields[key.(string)] = raw
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	return fields, nil
}

// exact checks that fields are those of struct t, by their exact names: none missing but those that
// may be, none more.
func exact(fields map[string]json.RawMessage, t reflect.Type) error {
	var known []string
	for f := range t.Fields() {
		name, opt, _ := strings.Cut(f.Tag.Get("json"), ",")
		known = append(known, name)
		raw, ok := fields[name]
		switch {
		case !ok && opt != "omitempty":
			return fmt.Errorf("no field %q", name)
		case string(raw) == "null":
			return fmt.Errorf("the field %q is null", name)
		case ok:
			if err := exactInner(raw, f.Type); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	for name := range fields {
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown field %s (want %s)", text.Quote(name, maxQuoted),
				list(known))
		}
	}
	return nil
}

func exactInner(raw json.RawMessage, t reflect.Type) error {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	inner, err := object(raw)
	if err != nil {
		return err
	}
	return exact(inner, t)
}

// span is a duration as JSON text, for example "1.5s".
type span time.Duration

func (d span) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d *span) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = span(v)
	return err
}
