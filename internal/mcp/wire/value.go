package wire

import (
	"encoding/json"
	"maps"

	"github.com/taploop/taploop/internal/text"
)

// Encode is [text.Marshal] for values that can always be written, such as texts, numbers, and JSON
// that was read. It returns null for values that are nested too deep.
func Encode(v any) json.RawMessage {
	raw, err := text.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

// Members returns the members of an object, or nil if raw is not an object.
func Members(raw json.RawMessage) map[string]json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// At returns the value at that place of an object, or nil if missing.
func At(raw json.RawMessage, place ...string) json.RawMessage {
	for _, name := range place {
		raw = Members(raw)[name]
	}
	return raw
}

// With is the object raw with another value at that place, or without one if value is nil. It is
// raw itself if there is no such place.
func With(raw json.RawMessage, value json.RawMessage, place ...string) json.RawMessage {
	o := Members(raw)
	if o == nil {
		return raw
	}
	o = maps.Clone(o)
	switch {
	case len(place) > 1:
		if o[place[0]] == nil {
			return raw
		}
		o[place[0]] = With(o[place[0]], value, place[1:]...)
	case value == nil:
		delete(o, place[0])
	default:
		o[place[0]] = value
	}
	out, err := text.Marshal(o)
	if err != nil {
		return raw
	}
	return out
}

// Text returns the text of a JSON string, or empty if raw is not a string.
func Text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}
