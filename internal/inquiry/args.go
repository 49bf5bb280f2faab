package inquiry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// Args are arguments of an action as JSON has them. Numbers are float64 but for whole ones that
// none is equal to, which are json.Number: such an id would be another one.
type Args map[string]any

// UnmarshalJSON implements json.Unmarshaler.
func (a *Args) UnmarshalJSON(raw []byte) error {
	read := json.NewDecoder(bytes.NewReader(raw))
	read.UseNumber()
	var given map[string]any
	if err := read.Decode(&given); err != nil {
		return err
	}
	*a = given
	_, err := exactNumbers(given)
	return err
}

// Once says which key of an object in JSON is there twice, nil when none is: readers would differ
// on which one counts. What is no JSON is left to who reads it.
func Once(raw []byte) error { return once(json.NewDecoder(bytes.NewReader(raw))) }

// once looks at the next value.
func once(d *json.Decoder) error {
	open, err := d.Token()
	if _, nested := open.(json.Delim); err != nil || !nested {
		return nil
	}
	seen := map[json.Token]bool{}
	for d.More() {
		if open == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return nil
			}
			if seen[key] {
				return fmt.Errorf("%s is there twice", text.Quote(fmt.Sprint(key), maxClip))
			}
			seen[key] = true
		}
		if err := once(d); err != nil {
			return err
		}
	}
	_, _ = d.Token() // its end
	return nil
}

// exactNumbers is v with its numbers as Args have them.
func exactNumbers(v any) (_ any, err error) {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			if v[key], err = exactNumbers(v[key]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = exactNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("%s is too large a number", text.Cut(v.String(), 40))
		}
		if s := v.String(); strings.ContainsAny(s, ".eE") ||
			s == strconv.FormatFloat(f, 'f', -1, 64) {
			return f, nil
		}
	}
	return v, nil
}

// maxClip is how many characters of what a sender wrote are shown in an error.
const maxClip = 64

// member appends one key with its value.
func member(b *bytes.Buffer, name string, value any) {
	if b.Len() > 0 {
		b.WriteByte(',')
	}
	b.Write(encode(name))
	b.WriteByte(':')
	b.Write(encode(value))
}

// encode is v in JSON.
func encode(v any) []byte {
	raw, err := text.Marshal(v)
	if err != nil {
		panic(err) // only strings, numbers, booleans, lists and maps of them come here
	}
	return raw
}
