package scripted

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// maxBody bounds a request.
const maxBody = 32 << 20

// Handler serves a script at .../chat/completions and .../models under any prefix. Its fields must
// be set before it serves. It is safe for concurrent requests.
type Handler struct {
	// Observe is called with each well-formed request before it is answered, also concurrently.
	Observe func(*Request)
	// Sees answers a request by its pictures, before the script is asked. It returns false for
	// requests that the script is to answer. Nil answers none.
	Sees func(*Request) (reply string, ok bool)
	// Says rewrites what the script replies. Nil leaves it.
	Says func(r *Request, reply string) string

	// Whole matches the rules against the whole conversation instead of the last user message.
	Whole bool

	script *Script
	mu     sync.Mutex
	used   []int // how often each rule answered, guarded by mu
}

// NewHandler serves s. Handlers of one script count its times each for themselves.
func NewHandler(s *Script) *Handler { return &Handler{script: s, used: make([]int, len(s.rules))} }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var err error
	switch {
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		err = h.chat(w, r)
	case strings.HasSuffix(r.URL.Path, "/models"):
		err = list(w, r)
	default:
		err = &fault{404, fmt.Sprintf("no such path: %s %s", r.Method, r.URL.Path),
			"invalid_request_error", "unknown_url"}
	}
	if err != nil {
		refuse(w, err)
	}
}

func allow(w http.ResponseWriter, r *http.Request, method string) error {
	if r.Method == method {
		return nil
	}
	w.Header().Set("Allow", method)
	return &fault{405, fmt.Sprintf("method %s is not allowed here (want %s)", r.Method, method),
		"invalid_request_error", ""}
}

func list(w http.ResponseWriter, r *http.Request) error {
	if err := allow(w, r, http.MethodGet); err != nil {
		return err
	}
	data := []any{map[string]any{"id": "scripted", "object": "model", "created": 0,
		"owned_by": "scripted"}}
	return send(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

func (h *Handler) chat(w http.ResponseWriter, r *http.Request) error {
	if err := allow(w, r, http.MethodPost); err != nil {
		return err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return tooMuch(err)
	}
	req, err := readRequest(body)
	if err != nil {
		return err
	}
	if req.labels() {
		return send(w, http.StatusOK, newAnswer(&none, none.text(), nil, req).whole())
	}
	if h.Sees != nil {
		if reply, ok := h.Sees(req); ok {
			if h.Observe != nil {
				h.Observe(req)
			}
			return send(w, http.StatusOK, newAnswer(&none, reply, nil, req).whole())
		}
	}
	rule, groups := h.pick(req)
	if h.Observe != nil {
		h.Observe(req)
	}
	if rule == nil {
		asked, _ := text.Ends(req.Asked(), 2000) // the task is at one end, the news at the other
		return badRequest("script has no rule for this: %q", asked)
	}
	if wait.For(r.Context(), rule.delay) != nil {
		// or its caller has left and does not hear this
		return &fault{503, "the endpoint is closing", "server_error", ""}
	}
	if rule.Status != 0 {
		message := cmp.Or(expand(rule.text(), groups, asIs), http.StatusText(rule.Status))
		return &fault{rule.Status, message, "scripted_error", ""}
	}
	reply := expand(rule.text(), groups, asIs)
	if h.Says != nil {
		reply = h.Says(req, reply)
	}
	return send(w, http.StatusOK, newAnswer(rule, reply, groups, req).whole())
}

func tooMuch(err error) error {
	if big, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &fault{413, fmt.Sprintf("the request is longer than %d bytes", big.Limit),
			"invalid_request_error", ""}
	}
	return badRequest("reading the request: %v", err)
}

// none answers a guard's question about labels.
var none = rule{source: source{Reply: new("{}")}}

// pick takes the first rule that matches and still may, and counts it.
func (h *Handler) pick(req *Request) (*rule, map[string]string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := req.Asked()
	if h.Whole {
		text = req.All()
	}
	for i := range h.script.rules {
		r := &h.script.rules[i]
		if r.Times > 0 && h.used[i] >= r.Times {
			continue
		}
		if groups, ok := r.match(text); ok {
			h.used[i]++
			req.Rule = i + 1
			return r, groups
		}
	}
	return nil, nil
}

func send(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // a client that is gone needs no answer
	return nil
}

func refuse(w http.ResponseWriter, err error) {
	var f *fault
	if !errors.As(err, &f) {
		f = &fault{500, err.Error(), "server_error", ""}
	}
	var code any
	if f.code != "" {
		code = f.code
	}
	_ = send(w, f.status, map[string]any{"error": map[string]any{
		"message": f.message, "type": f.kind, "param": nil, "code": code,
	}})
}
