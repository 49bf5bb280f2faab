package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer makes what is written to it harmless for a terminal, as [Lines] does, and hands it on. A
// character may come in parts; one that is never finished is lost. Any number of goroutines may
// write at once.
type Writer struct {
	to io.Writer

	mu    sync.Mutex
	clean cleaner
	part  []byte // of a character that the last write ended in
}

// NewWriter is a writer in front of another one.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Unwrap is the writer behind, for what a protocol or the program itself has to say as it is.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Write implements io.Writer. Each call makes at most one call of the writer behind.
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

// JSON is a JSON text in which everything dangerous, and every joiner, stands as an escape: a
// program reads the same, and a terminal is not steered by it.
func JSON(encoded []byte) []byte {
	var b strings.Builder
	b.Grow(len(encoded))
	for _, r := range string(encoded) { // beyond ASCII only within strings
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

// Marshal is v as JSON on one line, with <, > and & as they are: it is for models and programs, and
// never HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Readable is a value as JSON that people may read, as [JSON] makes it. It panics if the value
// cannot be encoded, which is a mistake in the program.
func Readable(v any) string {
	b, err := Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err))
	}
	return string(JSON(b))
}
