package web_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/web"
)

// alone leaves what other processes do untold: to look at it tells steps between the events that a
// slow test waits for.
func alone(o *web.Options) { o.Elsewhere = time.Hour }

// happening is one event of the stream.
type happening struct{ name, id, data string }

// stream reads a stream of events.
type stream struct {
	t    testing.TB
	body io.ReadCloser
	scan *bufio.Scanner
}

// listen opens the stream, with the id of the last event when it is not "".
func (g *rig) listen(token, last string) *stream {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), "GET", g.http.URL+"/v1/events", nil)
	require.NoError(g.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := g.http.Client().Do(req)
	require.NoError(g.t, err)
	require.Equal(g.t, 200, res.StatusCode)
	require.Equal(g.t, "text/event-stream", res.Header.Get("Content-Type"))
	s := &stream{t: g.t, body: res.Body, scan: bufio.NewScanner(res.Body)}
	s.scan.Buffer(nil, 8<<20)
	g.t.Cleanup(func() { _ = res.Body.Close() })
	return s
}

// next is the next event; its name is "" when the stream has ended.
func (s *stream) next() happening {
	var h happening
	for s.scan.Scan() {
		key, value, _ := strings.Cut(s.scan.Text(), ": ")
		switch key {
		case "event":
			h.name = value
		case "id":
			h.id = value
		case "data":
			h.data = value
		case "":
			if h.name != "" {
				return h
			}
		}
	}
	return happening{}
}

// want is the next event, which has the name.
func (s *stream) want(name string) happening {
	s.t.Helper()
	h := s.next()
	require.Equal(s.t, name, h.name, h.data)
	return h
}
