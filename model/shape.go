package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// field is one top-level field of a request body. A nil raw takes the field out.
type field struct {
	name string
	raw  json.RawMessage
}

// shape sets fields of a JSON object and keeps every other byte of it as it was; fields that are new come last. When a
// name is there twice in set, the later one counts.
func shape(body []byte, set []field) ([]byte, error) {
	have, err := topLevel(body)
	if err != nil {
		return nil, err
	}
	for _, f := range set {
		if i := slices.IndexFunc(have, func(h field) bool { return h.name == f.name }); i >= 0 {
			have[i].raw = f.raw
		} else {
			have = append(have, f)
		}
	}
	out := bytes.NewBuffer(make([]byte, 0, len(body)+256))
	sep := byte('{')
	for _, f := range have {
		if f.raw == nil {
			continue
		}
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.name, err)
		}
		out.WriteByte(sep)
		out.Write(name)
		out.WriteByte(':')
		out.Write(f.raw)
		sep = ','
	}
	if sep == '{' {
		out.WriteByte(sep)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// topLevel splits a JSON object into its fields, in order.
func topLevel(body []byte) ([]field, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("request body is no JSON object"), err)
	}
	var have []field
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		f := field{name: name.(string)} // a JSON object's keys are strings, or Token had failed
		if err := d.Decode(&f.raw); err != nil {
			return nil, err
		}
		have = append(have, f)
	}
	_, err := d.Token()
	return have, err
}
