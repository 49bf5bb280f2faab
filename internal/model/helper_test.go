package model_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/internal/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secretKey is in every request of these tests and must be in nothing that comes out.
const secretKey = "sk-live-51Hx+/\"quoted\"-do-not-show"

// endpoint is a real HTTP endpoint that answers with the pages given, the last one again and again,
// and keeps the requests.
type endpoint struct {
	*httptest.Server
	mu    sync.Mutex
	seen  []seen
	pages []page
}

type page struct {
	status int // 0 means 200
	header map[string]string
	body   string
}

type seen struct {
	path, raw string
	header    http.Header
	body      map[string]any
}

func serve(t *testing.T, pages ...page) *endpoint {
	t.Helper()
	e := &endpoint{pages: pages}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	s := seen{path: r.URL.Path, raw: string(b), header: r.Header}
	_ = json.Unmarshal(b, &s.body)
	e.mu.Lock()
	e.seen = append(e.seen, s)
	p := e.pages[0]
	if len(e.pages) > 1 {
		e.pages = e.pages[1:]
	}
	e.mu.Unlock()
	for k, v := range p.header {
		w.Header().Set(k, v)
	}
	if p.status != 0 {
		w.WriteHeader(p.status)
	}
	_, _ = io.WriteString(w, p.body)
}

func (e *endpoint) requests() []seen {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]seen(nil), e.seen...)
}

// saying is a completion with the text.
func saying(text string) page {
	return page{
		body: fmt.Sprintf(
			`{"id":"1","object":"chat.completion","created":1,"model":"served","choices":[
		{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":11,"completion_tokens":7}}`,
			text,
		),
	}
}

func client(t *testing.T, base string, opts model.Options) *model.Client {
	t.Helper()
	opts.BaseURL = base
	if opts.Name == "" {
		opts.Name = "m"
	}
	if opts.APIKey == "" {
		opts.APIKey = secretKey
	}
	c, err := model.New(&opts)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func asking(text string) model.Request {
	return model.Request{
		Messages: []model.Message{{Role: "user", Parts: []model.Part{{Text: text}}}},
	}
}

// ask asks once and returns what came of it.
func ask(t *testing.T, c *model.Client) (model.Response, error) {
	t.Helper()
	return c.Complete(t.Context(), asking("hello"))
}

func ptr[T any](v T) *T { return &v }

// transport is an http.RoundTripper made of a function.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
