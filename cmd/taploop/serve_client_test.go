//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/tools/result"
)

// era is a protocol version that a client wants.
type era string

const (
	modern era = "2026-07-28"
	legacy era = "2025-11-25"
)

// route is how a test's clients reach the server.
type route struct {
	http bool
	era  era
}

func (w route) String() string {
	if w.http {
		return "HTTP " + string(w.era)
	}
	return "stdio " + string(w.era)
}

// eachRoute runs a test over both transports and both eras of the protocol, side by side.
func eachRoute(t *testing.T, f func(*testing.T, route)) {
	onRoutes(t, f, route{false, modern}, route{false, legacy}, route{true, modern},
		route{true, legacy})
}

// eachTransport does with one era for each, which is enough where only the server's own doing
// matters.
func eachTransport(t *testing.T, f func(*testing.T, route)) {
	onRoutes(t, f, route{false, modern}, route{true, legacy})
}

func onRoutes(t *testing.T, f func(*testing.T, route), list ...route) {
	t.Parallel()
	for _, w := range list {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			f(t, w)
		})
	}
}

// clientProcess is a server and the client that is connected to it.
type clientProcess struct {
	*process
	*mcpClient
	url string // of an HTTP server
}

// open starts a server and connects a client to it.
func (b *testEnv) open(w route, args ...string) *clientProcess {
	b.t.Helper()
	if w.http {
		p, url := b.serve(args...)
		return &clientProcess{p, connect(b.t, w.era, over(b.t, url, nil)), url}
	}
	return b.speak(w.era, b.spawn(append([]string{"serve"}, args...)...))
}

// speak connects a client to a server's stdin and stdout.
func (b *testEnv) speak(e era, p *process) *clientProcess {
	pure := &jsonLines{r: p.stdout}
	b.t.Cleanup(func() {
		require.Empty(b.t, pure.bad(),
			"stdout carries the protocol and nothing else")
	})
	return &clientProcess{p, connect(b.t, e, transport.NewIO(pure, p.stdin,
		io.NopCloser(strings.NewReader("")))), ""}
}

// serve starts an HTTP server on a free port.
func (b *testEnv) serve(args ...string) (*process, string) {
	p := b.spawn(append([]string{"serve", "--http", "127.0.0.1:0"}, args...)...)
	return p, p.stderr.await(b.t,
		`(?m)^(?:listening on |.*"msg":"listening".*")(http://[^\s"]+/mcp)`)
}

func over(t testing.TB, url string, header map[string]string) transport.Interface {
	tr, err := transport.NewStreamableHTTP(url, transport.WithHTTPHeaders(header))
	require.NoError(t, err)
	return tr
}

// jsonLines passes stdout on and keeps the lines that are no JSON-RPC.
type jsonLines struct {
	r     io.Reader
	mu    sync.Mutex
	line  []byte
	wrong []string
}

func (p *jsonLines) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line = append(p.line, b[:n]...)
	for {
		line, rest, ok := bytes.Cut(p.line, []byte("\n"))
		if !ok {
			return n, err
		}
		var m struct {
			Version string `json:"jsonrpc"`
		}
		if json.Unmarshal(line, &m) != nil || m.Version != "2.0" {
			p.wrong = append(p.wrong, string(line))
		}
		p.line = rest
	}
}

func (p *jsonLines) bad() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.line) > 0 && !json.Valid(p.line) {
		return append(p.wrong, "(unfinished) "+string(p.line))
	}
	return p.wrong
}

// mcpClient is an MCP client that calls tools.
type mcpClient struct {
	t        testing.TB
	c        *client.Client
	mu       sync.Mutex
	progress []mcp.JSONRPCNotification
}

func connect(t testing.TB, e era, tr transport.Interface) *mcpClient {
	t.Helper()
	opts := []client.ClientOption{}
	if e == legacy {
		//lint:ignore SA1019 the older era is what this client speaks
		opts = append(opts, client.WithLegacyProtocolOnly())
	}
	a := &mcpClient{t: t, c: client.NewClient(tr, opts...)}
	a.c.OnNotification(func(n mcp.JSONRPCNotification) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if n.Method == "notifications/progress" { // others come at any time
			a.progress = append(a.progress, n)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, a.c.Start(context.WithoutCancel(ctx)))
	t.Cleanup(func() { _ = a.c.Close() })
	r := mcp.InitializeRequest{}
	r.Params.ProtocolVersion = string(e)
	r.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1"}
	_, err := a.c.Initialize(ctx, r)
	require.NoError(t, err)
	require.Equal(t, string(e), a.c.ProtocolVersion())
	return a
}

// toolResult is the result of a call.
type toolResult struct {
	result.Result
	raw   *mcp.CallToolResult
	words string // all texts
}

// try calls a tool.
func (a *mcpClient) try(ctx context.Context, tool string, args map[string]any) (toolResult, error) {
	return a.ask(ctx, tool, args, nil)
}

func (a *mcpClient) ask(ctx context.Context, tool string, args map[string]any,
	token any) (toolResult, error) {
	r := mcp.CallToolRequest{}
	r.Params.Name, r.Params.Arguments = tool, args
	if token != nil {
		r.Params.Meta = &mcp.Meta{ProgressToken: token}
	}
	got, err := a.c.CallTool(ctx, r)
	if err != nil {
		return toolResult{}, err
	}
	s := toolResult{raw: got}
	b, err := json.Marshal(got.StructuredContent)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s.Result); err != nil {
		return s, fmt.Errorf("%s: %w", b, err)
	}
	s.words = textOf(got)
	return s, nil
}

// call calls a tool, which has to answer with a result that is none of a refusal.
func (a *mcpClient) call(tool string, args map[string]any) toolResult {
	a.t.Helper()
	s, err := a.try(a.t.Context(), tool, args)
	require.NoError(a.t, err)
	require.False(a.t, s.raw.IsError, "%s", s.words)
	return s
}

// refused calls a tool, which has to refuse with the code.
func (a *mcpClient) refused(code, tool string, args map[string]any) toolResult {
	a.t.Helper()
	s, err := a.try(a.t.Context(), tool, args)
	require.NoError(a.t, err)
	require.True(a.t, s.raw.IsError, "%s", s.words)
	require.NotNil(a.t, s.Error)
	require.Equal(a.t, code, s.Error.Code, "%s", s.words)
	require.NotEmpty(a.t, s.Error.Hint)
	return s
}

// start starts a task and returns at once.
func (a *mcpClient) start(task string) toolResult {
	a.t.Helper()
	return a.call("ask_agent_start_new_task", map[string]any{"task": task, "wait_seconds": 0,
		"max_steps": 40})
}

// follow waits until the run does not go on by itself.
func (a *mcpClient) follow(s toolResult) toolResult {
	a.t.Helper()
	for s.Reason == "STILL_RUNNING" {
		s = a.call("ask_agent_wait", map[string]any{"session_id": s.SessionID})
	}
	return s
}

// look tells how the session stands, without attaching to it.
func (a *mcpClient) look(sessionID string) listedSession {
	a.t.Helper()
	got, err := a.c.CallTool(a.t.Context(), callOf("list_sessions"))
	require.NoError(a.t, err)
	b, err := json.Marshal(got.StructuredContent)
	require.NoError(a.t, err)
	var list struct{ Sessions []listedSession }
	require.NoError(a.t, json.Unmarshal(b, &list))
	i := slices.IndexFunc(list.Sessions,
		func(s listedSession) bool { return s.SessionID == sessionID })
	require.GreaterOrEqual(a.t, i, 0, "%s is not in %s", sessionID, b)
	return list.Sessions[i]
}

type listedSession struct {
	SessionID string               `json:"session_id"`
	State     string               `json:"state"`
	Reason    string               `json:"stop_reason"`
	Steps     int                  `json:"global_step_idx"`
	Question  *result.OpenQuestion `json:"question"`
}

// await looks at the session until it is as wanted.
func (a *mcpClient) await(sessionID string, want func(listedSession) bool) listedSession {
	a.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		s := a.look(sessionID)
		if want(s) {
			return s
		}
		select {
		case <-tick.C:
		case <-deadline:
			require.FailNow(a.t, "the session never is as wanted", "%+v", s)
		}
	}
}

// answer answers the open question.
func (a *mcpClient) answer(s toolResult, text string) toolResult {
	a.t.Helper()
	require.NotNil(a.t, s.Question, "%s", s.words)
	return a.call("ask_agent_continue", map[string]any{"session_id": s.SessionID,
		"reply_from_client": text, "question_id": s.Question.ID})
}
