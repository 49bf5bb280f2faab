package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer makes output safe for a terminal, as [Lines] does, and passes it on. A character may be
// split between writes. One that is never completed is lost. A Writer is safe for concurrent use.
type Writer struct {
	to io.Writer

	mu    sync.Mutex
	clean cleaner
	part  []byte // of an incomplete character
}

// NewWriter returns a Writer that writes to to.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Unwrap returns the underlying writer, for a protocol and for trusted output.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Write implements io.Writer. It calls the underlying Write at most once.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out, rest := make([]byte, 0, len(p)+utf8.UTFMax), append(w.part, p...)
	for len(rest) > 0 && utf8.FullRune(rest) {
		r, size := utf8.DecodeRune(rest)
		out, rest = w.clean.add(out, r), rest[size:]
	}
	w.part = append([]byte(nil), rest...)
	if len(out) == 0 {
		return len(p), nil
	}
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// JSON escapes every dangerous character and joiner in a JSON text. Programs decode the same value,
// and a terminal is not affected.
func JSON(encoded []byte) []byte {
	var b strings.Builder
	b.Grow(len(encoded))
	for _, r := range string(encoded) { // non-ASCII characters occur only within strings
		switch {
		case r == utf8.RuneError, r != '\r' && !Dangerous(r) && !joins(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case r != '\r':
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return []byte(b.String())
}

// Marshal returns v as JSON on one line. It does not escape <, > and &, so the result must not be
// used in HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// FromJSON reads b, which has to be one value of JSON, with all digits of its numbers.
func FromJSON(b []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err = d.Decode(&v); err == nil {
		if _, end := d.Token(); end != io.EOF {
			err = errors.New("more than one JSON value")
		}
	}
	return v, err
}

// InJSON applies f to every text in a decoded value of JSON, but for keys. Lists and objects are
// changed in place.
func InJSON(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		for i := range v {
			v[i] = InJSON(v[i], f)
		}
	case map[string]any:
		for k := range v {
			v[k] = InJSON(v[k], f)
		}
	}
	return v
}

// Readable returns v as JSON that is safe to show, see [JSON]. It panics if v cannot be encoded.
func Readable(v any) string {
	b, err := Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err))
	}
	return string(JSON(b))
}
