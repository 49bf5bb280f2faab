package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/session"
)

func notFound(format string, args ...any) error {
	return &refusal{status: http.StatusNotFound, code: "NOT_FOUND", err: fmt.Errorf(format, args...)}
}

func badRequest(format string, args ...any) error {
	return &refusal{status: http.StatusBadRequest, code: "INVALID_ARGUMENT", err: fmt.Errorf(format, args...)}
}

func notAllowed(w http.ResponseWriter, methods ...string) error {
	w.Header().Set("Allow", strings.Join(methods, ", "))
	return &refusal{status: http.StatusMethodNotAllowed, code: "METHOD_NOT_ALLOWED",
		err: hint.Add(fmt.Errorf("this route takes %s only", strings.Join(methods, " or ")), "send it as "+strings.Join(methods, " or "))}
}

// send writes a JSON answer. A client that is gone is nobody's problem.
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

// fail answers with an error. What is not the sender's fault is logged, and told without details.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var f *refusal
	if !errors.As(err, &f) {
		f = translate(err)
	}
	if f.status == http.StatusInternalServerError && s.ctx.Err() != nil { // what was cut off by the closing
		f = translate(errClosing)
	}
	if f.status == http.StatusInternalServerError && r.Context().Err() == nil {
		s.opts.Log.ErrorContext(r.Context(), "request", "method", r.Method, "path", r.URL.Path, "err", err)
	}
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="taploop"`)
	}
	detail := map[string]any{"code": f.code, "message": f.Error()}
	if mend := mendOf(f); mend != "" {
		detail["mend"] = mend
	}
	body := map[string]any{"error": detail}
	for k, v := range f.body {
		body[k] = v
	}
	_ = send(w, f.status, body)
}

// translate finds the code of an error that no handler has named.
func translate(err error) *refusal {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &refusal{status: http.StatusRequestEntityTooLarge, code: "TOO_LARGE", err: fmt.Errorf("the body is longer than %d bytes", large.Limit)}
	case errors.Is(err, inquiry.ErrNotFound), errors.Is(err, session.ErrNotFound):
		return &refusal{status: http.StatusNotFound, code: "NOT_FOUND", err: errors.New("there is no such thing, or it belongs to somebody else")}
	case errors.Is(err, errClosing):
		return &refusal{status: http.StatusServiceUnavailable, code: "CLOSING", err: errClosing}
	}
	return &refusal{status: http.StatusInternalServerError, code: "INTERNAL", err: errors.New("something went wrong here; the server's log has more")}
}

// receive reads a body that is one JSON object with known fields.
func receive(r *http.Request, into any) error {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if err := strict(b, into); err != nil {
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
