package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// strict decodes one JSON value with known fields and nothing after it. Text that is not UTF-8 is
// refused: it would be stored as something else than what was sent.
func strict(b []byte, into any) error {
	if !utf8.Valid(b) {
		return errors.New("it is not valid UTF-8")
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return errors.New("it is empty (want a JSON object)")
	}
	if bytes.TrimSpace(b)[0] != '{' {
		return errors.New("it is not a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return unknownField(err, into)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the JSON object")
	}
	return nil
}
