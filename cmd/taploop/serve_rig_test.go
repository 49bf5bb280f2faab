//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/sandbox"
	"github.com/taploop/taploop/tools"
)

// bench is a simulated phone, a scripted model and a data folder, for servers that a test starts as programs of their own.
type bench struct {
	t    testing.TB
	sim  *simulation
	task sandbox.Task
	wire *wiretap
	life *pulse // of the phone and the model
	dir  string
	env  []string

	mu    sync.Mutex
	gates []*gate
}

// newBench sets a task up. script is put in front of the rules that solve the tasks; env is more variables.
func newBench(t testing.TB, taskID, script string, env ...string) *bench {
	phone := newPhone()
	task, ok := phone.Task(taskID)
	require.True(t, ok)
	task.Setup(phone)
	rules := "rules:\n" + script + strings.TrimPrefix(string(tasksScript[bytes.Index(tasksScript, []byte("rules:\n")):]), "rules:\n")
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	sim, err := simulate(ctx, phone, simulatedSerial, "127.0.0.1:0", "127.0.0.1:0", []byte(rules))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sim.Close()) })
	life := newPulse()
	wire, dir := tap(t, sim.addr, life, nil), t.TempDir()
	b := &bench{t: t, sim: sim, task: task, wire: wire, life: life, dir: dir}
	model := httptest.NewServer(b.model(t))
	t.Cleanup(model.Close)
	b.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_DATA_HOME=" + filepath.Join(dir, "data"), "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"TAPLOOP_ADB_SERVER=" + wire.addr, "TAPLOOP_ADB_PATH=" + filepath.Join(dir, "no-adb"),
		"TAPLOOP_MODEL_BASE_URL=" + model.URL + "/v1", "TAPLOOP_MODEL_NAME=scripted", "TAPLOOP_MODEL_LANG=en",
	}, env...)
	return b
}

// done checks that the phone is as the task wants it, and that it was touched as often as a run without any trouble does.
func (b *bench) done(touches int) {
	b.t.Helper()
	require.NoError(b.t, b.task.Check(b.sim.phone))
	require.Len(b.t, b.wire.touches(), touches, "%q", b.wire.touches())
}

// gate makes the model think until it is opened.
type gate struct {
	about  string // what it has to be asked about
	life   *pulse
	once   sync.Once
	begun  chan struct{} // closed when it thinks
	opened chan struct{}
	leave  sync.Once
	left   chan struct{} // closed when whoever asked has hung up before it was opened
}

// holdAt makes the model think when it is asked what to do after that step of the demo task.
func (b *bench) holdAt(step string) *gate { return b.holdOn("[" + demoTask + " " + step + "]") }

// holdOn makes the model think when what it is asked has these words.
func (b *bench) holdOn(about string) *gate {
	g := &gate{about: about, life: b.life, begun: make(chan struct{}), opened: make(chan struct{}), left: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gates = append(b.gates, g)
	return g
}

// await returns when the model thinks.
func (g *gate) await(t testing.TB) {
	t.Helper()
	g.life.await(t, g.begun, "the model is not asked about "+g.about)
}

// deserted returns when nobody waits any more for what the model thinks.
func (g *gate) deserted(t testing.TB) {
	t.Helper()
	g.life.await(t, g.left, "the model is still waited for about "+g.about)
}

func (g *gate) open() { close(g.opened) }

// model is the scripted one behind the gates.
func (b *bench) model(t testing.TB) http.Handler {
	target, err := url.Parse(strings.TrimSuffix(b.sim.model.BaseURL, "/v1"))
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // clients are killed
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		b.life.beat()
		b.mu.Lock()
		gates := b.gates
		b.mu.Unlock()
		for _, g := range gates {
			if !bytes.Contains(body, []byte(g.about)) {
				continue
			}
			g.once.Do(func() { close(g.begun) })
			select {
			case <-g.opened:
			case <-r.Context().Done():
				g.leave.Do(func() { close(g.left) })
				return
			}
		}
		proxy.ServeHTTP(w, r)
	})
}

// wiretap lets connections through to a server and keeps what is sent to it.
type wiretap struct {
	addr string
	sent *text
	said *text // what comes back, when somebody wants it
	life *pulse
}

func tap(t testing.TB, server string, life *pulse, said *text) *wiretap {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w := &wiretap{addr: ln.Addr().String(), sent: newText(), said: said, life: life}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer context.AfterFunc(ctx, func() { _ = c.Close() })() // clients keep connections that they do not use
				w.carry(c, server)
			})
		}
	})
	t.Cleanup(func() { _ = ln.Close(); cancel(); wg.Wait() })
	return w
}

func (w *wiretap) carry(c net.Conn, server string) {
	defer c.Close()
	up, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer up.Close()
	back := io.Writer(c)
	if w.said != nil {
		back = io.MultiWriter(w.said, c)
	}
	go func() { _, _ = io.Copy(back, up); _ = c.Close() }() // ends with either connection
	_, _ = io.Copy(io.MultiWriter(w.sent, w.life, up), c)
}

var touch = regexp.MustCompile(`input (?:tap|swipe|text|draganddrop)\b`)

// touches lists what was done to the phone.
func (w *wiretap) touches() []string { return touch.FindAllString(w.sent.String(), -1) }

// process is a server that runs as a program of its own.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Reader
	stderr *text
	ended  chan struct{}
	err    error
}

// text is what a program has written, for many readers.
type text struct {
	mu   sync.Mutex
	b    bytes.Buffer
	more chan struct{} // closed and made anew at each write
}

func newText() *text { return &text{more: make(chan struct{})} }

func (x *text) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	close(x.more)
	x.more = make(chan struct{})
	return x.b.Write(p)
}

func (x *text) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.String()
}

// await returns the first match of the pattern's group, and fails the test when nothing is written any more and there is none.
func (x *text) await(t testing.TB, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		x.mu.Lock()
		more, m := x.more, re.FindStringSubmatch(x.b.String())
		x.mu.Unlock()
		if m != nil {
			return m[len(m)-1]
		}
		select {
		case <-more:
			deadline.Reset(patience)
		case <-deadline.C:
			require.FailNow(t, "no "+pattern, "in %q", x.String())
		}
	}
}

// spawn starts taploop without a terminal.
func (b *bench) spawn(args ...string) *process { return b.spawnAs(func(*exec.Cmd) {}, args...) }

// spawnAs does with a command that is changed before.
func (b *bench) spawnAs(change func(*exec.Cmd), args ...string) *process {
	program, err := exec.LookPath("taploop")
	require.NoError(b.t, err)
	p := &process{t: b.t, cmd: exec.Command(program, args...), stderr: newText(), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Dir, p.cmd.Stderr = b.env, b.dir, p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(b.t, err)
	out, in, err := os.Pipe() // not StdoutPipe: Wait would close it while somebody reads
	require.NoError(b.t, err)
	p.stdout, p.cmd.Stdout = out, in
	change(p.cmd)
	require.NoError(b.t, p.cmd.Start())
	_ = in.Close()
	go func() { p.err = p.cmd.Wait(); close(p.ended) }() // the cleanup waits
	b.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
		_ = out.Close()
		if b.t.Failed() {
			b.t.Logf("stderr of taploop %v:\n%s", args, p.stderr)
		}
	})
	return p
}

// kill ends the server as nothing can refuse.
func (p *process) kill() {
	require.NoError(p.t, p.cmd.Process.Kill())
	<-p.ended
}

// ends waits for the end, and returns the exit code.
func (p *process) ends() (code int) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		require.FailNow(p.t, "the server goes on", "%s", p.stderr)
	}
	return p.cmd.ProcessState.ExitCode()
}

// era is a protocol version that a client wants.
type era string

const (
	modern era = "2026-07-28"
	legacy era = "2025-11-25"
)

// way is how a test's clients reach the server.
type way struct {
	http bool
	era  era
}

func (w way) String() string {
	if w.http {
		return "HTTP " + string(w.era)
	}
	return "stdio " + string(w.era)
}

// eachWay runs a test over both transports and both eras of the protocol, side by side.
func eachWay(t *testing.T, f func(*testing.T, way)) {
	ways(t, f, way{false, modern}, way{false, legacy}, way{true, modern}, way{true, legacy})
}

// eachTransport does with one era for each, which is enough where only the server's own doing matters.
func eachTransport(t *testing.T, f func(*testing.T, way)) {
	ways(t, f, way{false, modern}, way{true, legacy})
}

func ways(t *testing.T, f func(*testing.T, way), list ...way) {
	t.Parallel()
	for _, w := range list {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			f(t, w)
		})
	}
}

// site is a server and the client that is connected to it.
type site struct {
	*process
	*agent
	url string // of an HTTP server
}

// open starts a server and connects a client to it.
func (b *bench) open(w way, args ...string) *site {
	b.t.Helper()
	if w.http {
		p, url := b.serve(args...)
		return &site{p, connect(b.t, w.era, over(b.t, url, nil)), url}
	}
	return b.speak(w.era, b.spawn(append([]string{"serve"}, args...)...))
}

// speak connects a client to a server's stdin and stdout.
func (b *bench) speak(e era, p *process) *site {
	pure := &purity{r: p.stdout}
	b.t.Cleanup(func() { require.Empty(b.t, pure.bad(), "stdout carries the protocol and nothing else") })
	return &site{p, connect(b.t, e, transport.NewIO(pure, p.stdin, io.NopCloser(strings.NewReader("")))), ""}
}

// serve starts an HTTP server on a free port.
func (b *bench) serve(args ...string) (*process, string) {
	p := b.spawn(append([]string{"serve", "--http", "127.0.0.1:0"}, args...)...)
	return p, p.stderr.await(b.t, `(?m)^listening on (http://\S+/mcp)$`)
}

func over(t testing.TB, url string, header map[string]string) transport.Interface {
	tr, err := transport.NewStreamableHTTP(url, transport.WithHTTPHeaders(header))
	require.NoError(t, err)
	return tr
}

// purity passes stdout on and keeps the lines that are no JSON-RPC.
type purity struct {
	r     io.Reader
	mu    sync.Mutex
	line  []byte
	wrong []string
}

func (p *purity) Read(b []byte) (int, error) {
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

func (p *purity) bad() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.line) > 0 && !json.Valid(p.line) {
		return append(p.wrong, "(unfinished) "+string(p.line))
	}
	return p.wrong
}

// agent is an MCP client that calls tools.
type agent struct {
	t        testing.TB
	c        *client.Client
	mu       sync.Mutex
	progress []mcp.JSONRPCNotification
}

func connect(t testing.TB, e era, tr transport.Interface) *agent {
	t.Helper()
	opts := []client.ClientOption{}
	if e == legacy {
		//lint:ignore SA1019 the older era is what this client speaks
		opts = append(opts, client.WithLegacyProtocolOnly())
	}
	a := &agent{t: t, c: client.NewClient(tr, opts...)}
	a.c.OnNotification(func(n mcp.JSONRPCNotification) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.progress = append(a.progress, n)
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

// said is the result of a call.
type said struct {
	tools.Result
	raw   *mcp.CallToolResult
	words string // all texts
}

// try calls a tool.
func (a *agent) try(ctx context.Context, tool string, args map[string]any) (said, error) {
	return a.ask(ctx, tool, args, nil)
}

func (a *agent) ask(ctx context.Context, tool string, args map[string]any, token any) (said, error) {
	r := mcp.CallToolRequest{}
	r.Params.Name, r.Params.Arguments = tool, args
	if token != nil {
		r.Params.Meta = &mcp.Meta{ProgressToken: token}
	}
	got, err := a.c.CallTool(ctx, r)
	if err != nil {
		return said{}, err
	}
	s := said{raw: got}
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
func (a *agent) call(tool string, args map[string]any) said {
	a.t.Helper()
	s, err := a.try(a.t.Context(), tool, args)
	require.NoError(a.t, err)
	require.False(a.t, s.raw.IsError, "%s", s.words)
	return s
}

// refused calls a tool, which has to refuse with the code.
func (a *agent) refused(code, tool string, args map[string]any) said {
	a.t.Helper()
	s, err := a.try(a.t.Context(), tool, args)
	require.NoError(a.t, err)
	require.True(a.t, s.raw.IsError, "%s", s.words)
	require.NotNil(a.t, s.Error)
	require.Equal(a.t, code, s.Error.Code, "%s", s.words)
	require.NotEmpty(a.t, s.Error.Mend)
	return s
}

// start starts a task and returns at once.
func (a *agent) start(task string) said {
	a.t.Helper()
	return a.call("ask_agent_start_new_task", map[string]any{"task": task, "wait_seconds": 0, "max_steps": 40})
}

// follow waits until the run does not go on by itself.
func (a *agent) follow(s said) said {
	a.t.Helper()
	for s.Reason == "STILL_RUNNING" {
		s = a.call("ask_agent_wait", map[string]any{"session_id": s.SessionID})
	}
	return s
}

// look tells how the session stands, without attaching to it.
func (a *agent) look(sessionID string) listedSession {
	a.t.Helper()
	got, err := a.c.CallTool(a.t.Context(), callOf("list_sessions"))
	require.NoError(a.t, err)
	b, err := json.Marshal(got.StructuredContent)
	require.NoError(a.t, err)
	var list struct{ Sessions []listedSession }
	require.NoError(a.t, json.Unmarshal(b, &list))
	i := slices.IndexFunc(list.Sessions, func(s listedSession) bool { return s.SessionID == sessionID })
	require.GreaterOrEqual(a.t, i, 0, "%s is not in %s", sessionID, b)
	return list.Sessions[i]
}

type listedSession struct {
	SessionID string          `json:"session_id"`
	State     string          `json:"state"`
	Reason    string          `json:"stop_reason"`
	Steps     int             `json:"global_step_idx"`
	Question  *tools.Question `json:"question"`
}

// await looks at the session until it is as wanted.
func (a *agent) await(sessionID string, want func(listedSession) bool) listedSession {
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
func (a *agent) answer(s said, text string) said {
	a.t.Helper()
	require.NotNil(a.t, s.Question, "%s", s.words)
	return a.call("ask_agent_continue", map[string]any{"session_id": s.SessionID, "reply_from_client": text, "question_id": s.Question.ID})
}

func writeFile(path, content string) error { return os.WriteFile(path, []byte(content), 0o600) }

func callOf(tool string) mcp.CallToolRequest {
	return mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: map[string]any{}}}
}

func textOf(r *mcp.CallToolResult) (all string) {
	for _, c := range r.Content {
		if x, ok := c.(mcp.TextContent); ok {
			all += x.Text + "\n"
		}
	}
	return all
}
