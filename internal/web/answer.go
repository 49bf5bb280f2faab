package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
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

// fail answers with an error. What is not the sender's fault is logged, and answered without
// details.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := refusalOf(err)
	if f.code == "INTERNAL" && s.ctx.Err() != nil { // what was cut off by the closing
		f = refusalOf(errClosing)
	}
	if f.code == "INTERNAL" && r.Context().Err() == nil {
		s.opts.Log.ErrorContext(r.Context(), "request", "method", r.Method, "path", r.URL.Path,
			"err", err)
	}
	if f.code == "UNAUTHORIZED" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="taploop"`)
	}
	if spokenInOpenAI(r.URL.Path) {
		_ = send(w, codes[f.code].status, openAIError(f))
		return
	}
	detail := map[string]any{"code": cmp.Or(f.name, f.code), "message": f.Error()}
	if remedy := f.hint(); remedy != "" {
		detail["mend"] = remedy
	}
	body := map[string]any{"error": detail}
	maps.Copy(body, f.body)
	_ = send(w, codes[f.code].status, body)
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

// codes are the refusals: the status of each, and what can be done about one whose error brings no
// hint of its own.
var codes = map[string]struct {
	status int
	hint   string
}{
	"INVALID_ARGUMENT": {http.StatusBadRequest,
		"nothing has changed; send it as the message wants it (docs/http.md has every route)"},
	"UNAUTHORIZED": {http.StatusUnauthorized,
		"send the header Authorization: Bearer TOKEN; taploop token create --name NAME makes " +
			"a token, taploop token list shows which there are; for a browser: taploop ui"},
	"LINK_USED": {http.StatusUnauthorized, "make a new link: taploop ui"},
	"FORBIDDEN": {http.StatusForbidden,
		"a program sends a token and no Origin; a page has to be of this server"},
	"NOT_FOUND": {http.StatusNotFound,
		"GET /v1/inquiries and GET /v1/sessions list what your token may see; " +
			"one that http.operators names sees everything"},
	"METHOD_NOT_ALLOWED": {http.StatusMethodNotAllowed,
		"use a method that the header Allow names"},
	"TOO_LARGE": {http.StatusRequestEntityTooLarge,
		"send less; a longer text belongs into a file or behind a link"},
	"TOO_MANY_LISTENERS": {http.StatusServiceUnavailable,
		"close event streams that are not read, end requests that wait, or try again later"},
	"CLOSING": {http.StatusServiceUnavailable,
		"try again when the server is back; what was stored is kept"},
	"DEVICE_NOT_FOUND": {http.StatusNotFound, "see that the phone is connected: taploop devices"},
	"NOT_A_PERSON": {http.StatusForbidden, "use the inbox page (taploop ui makes a link), or a " +
		"person's token (taploop token create --person --name NAME)"},
	"CONFLICT": {http.StatusConflict, "see how the session stands, and what it waits for"},
	"NOT_CARRIED_OUT": {http.StatusConflict,
		"look at the live picture; if the phone is gone, bring it back"},
	// What can be done about a reply that was not taken comes with the refusal.
	"INVALID_REPLY":             {http.StatusBadRequest, ""},
	"DECISION_FORBIDDEN":        {http.StatusForbidden, ""},
	"REPLY_ID_REUSED":           {http.StatusUnprocessableEntity, ""},
	"QUESTION_ALREADY_RESOLVED": {http.StatusConflict, ""},
	"QUESTION_GONE":             {http.StatusGone, ""},

	"STORE_UNAVAILABLE": {http.StatusServiceUnavailable, "try again later"},
	// Calls that the tools refuse bring their hints; others of theirs are 409, too.
	"SESSION_NOT_FOUND":  {http.StatusNotFound, ""},
	"QUESTION_NOT_FOUND": {http.StatusNotFound, ""},
	"DEVICE_AMBIGUOUS":   {http.StatusBadRequest, ""},
	"MESSAGE_LIMIT":      {http.StatusTooManyRequests, ""},
	"SERVER_CLOSING":     {http.StatusServiceUnavailable, ""},
	"INTERNAL_ERROR":     {http.StatusInternalServerError, ""},
	"model_not_found":    {http.StatusNotFound, "GET /v1/models lists the phones that there are"},

	"INTERNAL": {http.StatusInternalServerError,
		"try again, and look into the server's log"},
}

// refusal is an answer other than success.
type refusal struct {
	code string // a key of codes
	name string // its code as it is sent; "" is code
	err  error
	body map[string]any // what is said besides the error
}

func refuse(code string, err error) *refusal { return &refusal{code: code, err: err} }

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// hint is what can be done about the refusal.
func (r *refusal) hint() string { return cmp.Or(hint.Of(r.err), codes[r.code].hint) }

func badRequest(format string, args ...any) error {
	return refuse("INVALID_ARGUMENT", fmt.Errorf(format, args...))
}

func notAllowed(w http.ResponseWriter, methods ...string) error {
	w.Header().Set("Allow", strings.Join(methods, ", "))
	list := strings.Join(methods, " or ")
	return refuse("METHOD_NOT_ALLOWED", hint.Add(fmt.Errorf("this route takes %s only", list),
		"send it as "+list))
}

// refusalOf finds the code of an error that no handler has named.
func refusalOf(err error) *refusal {
	if f, is := errors.AsType[*refusal](err); is {
		return f
	}
	if c, is := errors.AsType[*Conflict](err); is {
		f := refuse(codeInTable(c.Code), c.Err)
		f.name = c.Code
		return f
	}
	if large, is := errors.AsType[*http.MaxBytesError](err); is {
		return refuse("TOO_LARGE", fmt.Errorf("the body is longer than %d bytes", large.Limit))
	}
	if _, several := errors.AsType[*inquiry.AmbiguousError](err); several {
		return refuse("INVALID_ARGUMENT", err)
	}
	switch {
	case errors.Is(err, inquiry.ErrNotFound), errors.Is(err, store.ErrNotFound):
		return refuse("NOT_FOUND", errors.New("it does not exist, or it belongs to another client"))
	case errors.Is(err, store.ErrLocked), errors.Is(err, store.ErrDiskFull):
		return refuse("STORE_UNAVAILABLE", err)
	case errors.Is(err, errClosing):
		return refuse("CLOSING", errClosing)
	}
	return refuse("INTERNAL", errors.New("something went wrong here; the server's log has more"))
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

// notFound answers where there is nothing: in JSON below /v1, and elsewhere with what there is.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) error {
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		var paths []string
		for _, x := range s.table() {
			if strings.HasPrefix(x.path, "/v1/") {
				paths = append(paths, x.method+" "+x.path)
			}
		}
		err := fmt.Errorf("there is nothing at %s", r.URL.Path)
		return refuse("NOT_FOUND", hint.Add(err, "there are "+strings.Join(paths, ", ")))
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_, _ = fmt.Fprintf(w,
		"There is nothing here. This is taploop: the inbox page is at /ui, the HTTP API below "+
			"/v1, MCP at /mcp.\n")
	return nil
}
