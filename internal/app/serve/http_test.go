//go:build unix

package serve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/runs"
)

func TestAPortOfTheAdministratorsHasAHintOfItsOwn(t *testing.T) {
	err := &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EACCES)}
	require.Contains(t, listenHint(err), "choose one above 1023")
	taken, listening := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, listening)
	defer taken.Close()
	_, listening = listen(taken.Addr().String())
	require.Contains(t, hint.Of(listening), "end the server that has the address")
}

func TestWaitingIsGivenUp(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	err := within(time.Now().Add(time.Millisecond), "closing", func() error { <-never; return nil })
	require.ErrorContains(t, err, "closing took longer than ")
	require.ErrorIs(t, within(time.Now().Add(time.Minute), "closing",
		func() error { return context.Canceled }), context.Canceled)
}

func TestTheMetricsCountWhatWasAskedAgain(t *testing.T) {
	c := NewCounters()
	for _, took := range []time.Duration{0, time.Second, 0, time.Millisecond} {
		s := agentloop.Step{Timing: agentloop.Timing{Again: took}}
		c.Observe(runs.Event{Event: agentloop.Event{Kind: agentloop.Stepped, Step: s}})
	}
	c.Observe(runs.Event{Event: agentloop.Event{Kind: agentloop.Ended, Ending: &agentloop.Ending{
		Begun: agentloop.Step{Timing: agentloop.Timing{Decide: 3 * time.Second},
			Proposal: agentloop.Proposal{Tries: []agentloop.Try{{PromptTokens: 7}}}}}}})
	var out strings.Builder
	c.WritePrometheus(&out)
	require.Contains(t, out.String(), `taploop_model_tokens_total{kind="prompt"} 7`+"\n",
		"of no step")
	require.Contains(t, out.String(), `taploop_step_seconds_sum{part="decide"} 3`+"\n")
	require.Contains(t, out.String(), "taploop_steps_total 4\n")
	require.Contains(t, out.String(), `taploop_step_seconds_count{part="again"} 2`+"\n")
}

func TestWhileTheRunsArePausedNewConnectionsLearnThatTheServerDrains(t *testing.T) {
	s, draining, paused := &Service{}, make(chan struct{}), make(chan struct{})
	h := &health{draining: s.draining.Load, store: func(context.Context) error { return nil },
		adb: func(context.Context) error { return nil }, pictures: func(context.Context) error { return nil }}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", h.ready)
	mux.HandleFunc("GET /healthz", h.healthy)
	mux.HandleFunc("/v1/sessions", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	ln, err := listen("127.0.0.1:0")
	require.NoError(t, err)
	srv := &http.Server{Handler: turnLateAway(mux), ConnContext: s.markLate}
	defer srv.Close()
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- letIn(ctx, srv, ln, func() (*serverFile, error) {
			return publishServer(t.TempDir(), "http://127.0.0.1:1")
		}, func() { s.draining.Store(true); close(draining); <-paused })
	}()
	get := func(c *http.Client, path string) (*http.Response, string) {
		resp, err := c.Get("http://" + ln.Addr().String() + path)
		require.NoError(t, err)
		defer resp.Body.Close()
		said, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp, string(said)
	}
	old := &http.Client{Transport: &http.Transport{}}
	resp, _ := get(old, "/v1/sessions")
	require.Equal(t, http.StatusNoContent, resp.StatusCode)
	end()
	<-draining
	late := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, said := get(late, "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.Contains(t, said, `"draining":{"ok":false,"says":"the server ends"`)
	resp, _ = get(late, "/healthz")
	require.Equal(t, http.StatusOK, resp.StatusCode)
	for _, path := range []string{"/v1/sessions", "/mcp", "/ui", "/v1/chat/completions"} {
		resp, said = get(late, path)
		require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
		require.Equal(t, "5", resp.Header.Get("Retry-After"))
		require.Contains(t, said, `"code":"CLOSING"`)
	}
	resp, _ = get(old, "/v1/sessions")
	require.Equal(t, http.StatusNoContent, resp.StatusCode, "it was there before")
	close(paused)
	require.NoError(t, <-served)
	_, err = late.Get("http://" + ln.Addr().String() + "/readyz")
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

// The line of a request names what it was for as far as that was found, and nothing of its path.
func TestARequestsLineNamesItsSubject(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/sessions/{id}/steps", func(w http.ResponseWriter, r *http.Request) {
		if id := r.PathValue("id"); id != "a secret" {
			logs.Learn(r.Context(), logs.Session, id)
		}
	})
	for path, want := range map[string]string{"one": "session=one", "a%20secret": ""} {
		var log strings.Builder
		h := counted(mux, NewCounters(), logs.New(&log, "", slog.LevelInfo))
		out := httptest.NewRecorder()
		h.ServeHTTP(out, httptest.NewRequest("GET", "/v1/sessions/"+path+"/steps", nil))
		id := out.Header().Get("X-Request-Id")
		require.Len(t, id, 12)
		require.Regexp(t, `msg=request method=GET route=/v1/sessions/{id}/steps code=200 `+
			`took_ms=[0-9.e-]+ request=`+id+` ?`+want+"\n$", log.String())
	}
}

// A request that is refused before it reaches a route has a line as one that is served has.
func TestARequestThatIsRefusedHasALine(t *testing.T) {
	for path, line := range map[string]bool{"/v1/nothing": true, "/mcp": true, "/mcp/name": true,
		"/favicon.ico": false, "/ui": false} {
		for _, code := range []int{http.StatusTooManyRequests, http.StatusNotFound} {
			var log strings.Builder
			h := counted(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(code)
			}), NewCounters(), logs.New(&log, "", slog.LevelInfo))
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
			said := fmt.Sprintf("msg=request method=GET route=none code=%d", code)
			require.Equal(t, line, strings.Contains(log.String(), said), "%s: %s", path, &log)
		}
	}
	var log strings.Builder
	counted(http.NewServeMux(), NewCounters(), logs.New(&log, "", slog.LevelInfo)).ServeHTTP(
		httptest.NewRecorder(), httptest.NewRequest("GET", "/v1/nothing", nil))
	require.Contains(t, log.String(), "route=none code=404")
}

func TestAnAddressThatListensEverywhereIsReachedOnThisMachine(t *testing.T) {
	for listening, want := range map[string]string{
		"127.0.0.1:1": "127.0.0.1:1", "0.0.0.0:2": "localhost:2", "[::]:3": "localhost:3",
		":6": "localhost:6", "[::1]:4": "[::1]:4", "192.168.1.5:5": "192.168.1.5:5",
	} {
		require.Equal(t, want, Dialable(listening))
	}
}
