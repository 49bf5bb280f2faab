package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
)

// mortal is a server over HTTP that can be started again, and then knows no session any more.
type mortal struct {
	status int // for a session that it does not know
	after  int // for a call, once it is carried out; 0 is none

	mu     sync.Mutex
	h      *transport.HTTP
	shakes atomic.Int32
	posts  atomic.Int32
}

func newMortal(t *testing.T, status int) (*mortal, func(*Options)) {
	m := &mortal{status: status}
	m.restart(t)
	web := httptest.NewServer(m)
	t.Cleanup(func() {
		require.NoError(t, m.h.Close(context.Background()))
		web.CloseClientConnections()
		web.Close()
	})
	return m, func(o *Options) { o.Target = upstream.Target{URL: web.URL} }
}

func (m *mortal) restart(t *testing.T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.h != nil {
		require.NoError(t, m.h.Close(context.Background()))
	}
	m.h = transport.NewHTTP(other(), nil)
}

// otherwise answers with another status in the place of 404, as some servers do.
type otherwise struct {
	http.ResponseWriter
	status int
}

func (o otherwise) WriteHeader(status int) {
	if status == http.StatusNotFound {
		status = o.status
	}
	o.ResponseWriter.WriteHeader(status)
}

func (o otherwise) Unwrap() http.ResponseWriter { return o.ResponseWriter }

func (m *mortal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	if r.Method == http.MethodPost {
		m.posts.Add(1)
	}
	if strings.Contains(string(body), `"method":"initialize"`) {
		m.shakes.Add(1)
	}
	m.mu.Lock()
	h, after := m.h, m.after
	m.mu.Unlock()
	if after != 0 && strings.Contains(string(body), "tools/call") {
		h.ServeHTTP(httptest.NewRecorder(), r)
		http.Error(w, "lost it", after)
		return
	}
	h.ServeHTTP(otherwise{w, m.status}, r)
}

// A server that was started again refuses what belongs to the session that it does not know, with
// 404 or, as many do, with 400. The call did not run: it is made again after another handshake.
func TestASessionThatTheServerForgotIsMadeAnew(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusBadRequest} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			m, change := newMortal(t, status)
			r := newRig(t, change)
			t.Setenv("SERVER_LOG", r.log)
			r.shake("{}")
			require.Equal(t, `echo {"text":"0"}`, r.result(r.start("echo", `{"text":"0"}`, "")))

			m.restart(t)
			require.Equal(t, `echo {"text":"1"}`, r.result(r.start("echo", `{"text":"1"}`, "")))
			require.EqualValues(t, 2, m.shakes.Load())

			m.restart(t)
			const calls = 20
			for n := range calls {
				r.start("echo", fmt.Sprintf(`{"text":"all %d"}`, n), "")
			}
			for range calls {
				require.Contains(t, words(t, r.next()), "echo")
			}
			require.EqualValues(t, 3, m.shakes.Load(), "one handshake for all of them")
			for n := range calls {
				require.Equal(t, 1, strings.Count(r.done(), fmt.Sprintf(`"all %d"`, n)))
			}

			id := r.start("send_message", `{"text":"hi"}`, "")
			q := r.asked()
			m.restart(t)
			require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Approve}))
			require.Equal(t, `send_message {"text":"hi"}`, r.result(id))
			require.Equal(t, 1, strings.Count(r.done(), "send_message"))
		})
	}
}

// What was refused for another reason may have run.
func TestACallThatMayHaveRunIsNotRepeated(t *testing.T) {
	m, change := newMortal(t, http.StatusNotFound)
	r := newRig(t, change)
	t.Setenv("SERVER_LOG", r.log)
	r.shake("{}")
	r.result(r.start("echo", `{"text":"0"}`, ""))
	for _, status := range []int{http.StatusBadRequest, http.StatusBadGateway} {
		m.mu.Lock()
		m.after = status
		m.mu.Unlock()
		said := r.result(r.start("echo", fmt.Sprintf(`{"text":"%d"}`, status), ""))
		require.Contains(t, said, fmt.Sprintf("HTTP status %d: \"lost it", status))
		require.Equal(t, 1, strings.Count(r.done(), fmt.Sprintf(`"%d"`, status)))
	}
	require.EqualValues(t, 1, m.shakes.Load())
}

// One that forgets each session at once is asked twice, and then named.
func TestAServerThatForgetsEverySessionIsNamed(t *testing.T) {
	m, change := newMortal(t, http.StatusNotFound)
	r := newRig(t, func(o *Options) { change(o); o.Guard = nil })
	r.shake("{}")
	m.mu.Lock()
	m.after = http.StatusNotFound
	m.mu.Unlock()
	before := m.posts.Load()
	said := r.result(r.start("echo", `{"text":"0"}`, ""))
	require.Contains(t, said, "the server other: it has forgotten the session")
	require.LessOrEqual(t, m.posts.Load()-before, int32(6),
		"two calls, a handshake of two, a list and what came before")

	m.mu.Lock()
	m.after = 0
	m.mu.Unlock()
	require.Eventually(t, func() bool {
		return strings.Contains(r.result(r.start("echo", `{"text":"x"}`, "")), "echo")
	}, patience, time.Millisecond)
}

// A server of 2024-11-05 answers a GET with the address for messages, and knows no POST there.
func TestAServerOfTheFirstTransportIsNamedWithWhatToDoAboutIt(t *testing.T) {
	for name, first := range map[string]string{"old": "event: endpoint\ndata: /messages?id=1\n\n",
		"no server": "data: {}\n\n"} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				if r.Method != http.MethodGet {
					http.Error(w, "Cannot POST /sse", http.StatusNotFound)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, first)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}))
			t.Cleanup(web.Close)
			r := newRig(t, func(o *Options) { o.Target = upstream.Target{URL: web.URL + "/sse"} })
			r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
			said := r.next()
			if name == "old" {
				require.Contains(t, said, "the server other: it speaks only HTTP+SSE")
				require.Contains(t, said, "npx -y mcp-remote")
				return
			}
			require.Contains(t, said, "HTTP status 404")
		})
	}
}

// forgetful is a server over HTTP whose sessions end, and that makes no others then.
func forgetful(called chan<- bool) http.HandlerFunc {
	gone := make(chan struct{})
	return func(w http.ResponseWriter, r *http.Request) {
		var m message
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		result := `"result":{"protocolVersion":"2025-11-25","capabilities":{}}`
		switch tool := wire.Text(wire.At(m.Params, "name")); {
		case m.Method == "tools/call" && tool == "hang":
			called <- true
			select {
			case <-r.Context().Done():
			case <-time.After(2 * patience): // longer than the client waits
			}
		case m.Method == "tools/call":
			close(gone)
			w.WriteHeader(http.StatusNotFound)
			return
		case m.Method == "initialize":
			select {
			case <-gone:
				result = `"error":{"code":-32000,"message":"full"}`
			default:
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Mcp-Session-Id", "s")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, cmp.Or(string(m.ID), "null"), result)
	}
}

// What is under way at a server that has forgotten the session, and refuses another handshake, is
// told so.
func TestWhatIsUnderWayIsToldOfARefusedHandshake(t *testing.T) {
	called := make(chan bool, 1)
	web := httptest.NewServer(forgetful(called))
	t.Cleanup(web.Close)
	r := newRig(t, func(o *Options) { o.Guard, o.Target = nil, upstream.Target{URL: web.URL} })
	r.shake("{}")
	r.start("hang", "{}", "")
	<-called
	r.start("echo", "{}", "")
	for range 2 {
		require.Contains(t, words(t, r.next()), "it refused the handshake: full")
	}
}

// A request that was sent to a server which was lost just before is not waited for.
func TestARequestToALostServerIsNotWaitedFor(t *testing.T) {
	r, s := inFrontOf(t, tame, func(o *Options) { o.Quiet = 50 * time.Millisecond })
	s.when("tools/call", func(s *scripted, _ *message) string {
		s.r.(*connection).drop(s)
		return ""
	})
	require.Contains(t, r.result(r.start("tidy", "{}", "")), "the connection to it is lost")
}
