package actions

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
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
	if !slices.Contains(slices.Collect(maps.Values(members)), reflect.TypeOf(a)) {
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
	v := reflect.New(t)
	if err := json.Unmarshal(b, v.Interface()); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", head.Verb, err)
	}
	a := v.Elem().Interface().(Action)
	again, err := Marshal(a)
	if err != nil {
		return nil, err
	}
	if !sameJSON(b, again) { // a field is missing, or is none of the action's
		return nil, fmt.Errorf("decoding %s: %s is written as %s", head.Verb,
			text.Quote(string(b), 200), text.Quote(string(again), 200))
	}
	return a, nil
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
