package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/inquiry"
)

// send writes a JSON answer. A client that is gone gets nothing.
func send(w http.ResponseWriter, status int, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n'))
	return nil
}

// sendUnless sends what a request brought, unless it failed.
func sendUnless(w http.ResponseWriter, err error, body any) error {
	if err != nil {
		return err
	}
	return send(w, http.StatusOK, body)
}

// bodyOf is the whole body of a request.
func bodyOf(r *http.Request) ([]byte, error) {
	b, err := io.ReadAll(r.Body)
	if _, large := errors.AsType[*http.MaxBytesError](err); err != nil && !large {
		err = badRequest("the body did not arrive whole")
	}
	return b, err
}

// receive reads a body that is one JSON object with known fields.
func receive(r *http.Request, into any) error {
	b, err := bodyOf(r)
	if err != nil {
		return err
	}
	if err := decodeStrict(b, into); err != nil {
		return badRequest("the body is not what is expected here: %w", err)
	}
	return nil
}

// number reads a whole number of the query, 0 when it is not there.
func number(r *http.Request, name string, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, badRequest("%s is %q (want a whole number from 0 to %d)", name, text, most)
	}
	return n, nil
}

// decodeStrict decodes one JSON value with known fields, each once, and nothing after it. Text that
// is not UTF-8 is refused: it would be stored as something else than what was sent.
func decodeStrict(b []byte, into any) error {
	if !utf8.Valid(b) {
		return errors.New("it is not valid UTF-8")
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return errors.New("it is empty (want a JSON object)")
	}
	if bytes.TrimSpace(b)[0] != '{' {
		return errors.New("it is not a JSON object")
	}
	if err := inquiry.Once(b); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return decodeError(err, into)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the JSON object")
	}
	return nil
}

// decodeError is the error of a decoder for who sent the body: it names what is wanted of a field,
// and the fields that there are when it is about one that there is not.
func decodeError(err error, into any) error {
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is && wrong.Field != "" {
		return fmt.Errorf("%q: a JSON %s (want %s)", wrong.Field, wrong.Value, wanted(wrong.Type))
	}
	if !strings.HasPrefix(err.Error(), "json: unknown field ") {
		return err
	}
	names := fieldNames(reflect.TypeOf(into))
	if len(names) == 0 {
		return fmt.Errorf("%s (want {} or no body)", strings.TrimPrefix(err.Error(), "json: "))
	}
	return fmt.Errorf("%s (want %s)", strings.TrimPrefix(err.Error(), "json: "),
		strings.Join(names, ", "))
}

// wanted is the JSON that encoding/json reads into a value of this type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// fieldNames are the keys that encoding/json reads into a pointer to a struct.
func fieldNames(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Elem().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

const maxKey = 200 // bytes of an Idempotency-Key

// keyOf is the request's Idempotency-Key, or "".
func keyOf(r *http.Request) (string, error) {
	all := r.Header.Values("Idempotency-Key")
	if len(all) == 0 {
		return "", nil
	}
	if len(all) > 1 || all[0] == "" || len(all[0]) > maxKey {
		return "", refuse("INVALID_ARGUMENT", fmt.Errorf(
			"the header Idempotency-Key is one key of at most %d bytes", maxKey))
	}
	return all[0], nil
}
