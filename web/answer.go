package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
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

// receive reads a body that is one JSON object with known fields.
func receive(r *http.Request, into any) error {
	b, err := io.ReadAll(r.Body)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return err
	}
	if err != nil {
		return badRequest("the body did not arrive whole")
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
