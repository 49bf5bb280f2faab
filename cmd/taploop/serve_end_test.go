//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/store"
)

// The bounds are the ones that clients know.
const (
	eofBound  = 2 * time.Second
	termBound = 5 * time.Second
)

func TestASignalPausesTheRunsAndAnswersTheCalls(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		g := b.holdAt("1/8")
		s := b.open(w)
		begun := s.start(b.task.Goal)
		g.await(t)
		waiting := make(chan error, 1)
		var got toolResult
		go func() {
			var err error
			got, err = s.ask(t.Context(), "ask_agent_wait",
				map[string]any{"session_id": begun.SessionID, "wait_seconds": 50}, "tok")
			waiting <- err
		}()
		s.attached()
		watch := s.stopwatch()
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, <-waiting)
		require.Equal(t, store.Paused, got.State, "%s", got.words)
		require.EqualValues(t, "SERVER_RESTARTED", got.Reason)
		require.Zero(t, s.ends(), "%s", s.stderr)
		watch.within(termBound)

		g.open()
		next := b.open(w)
		asked := next.follow(next.call("ask_agent_continue",
			map[string]any{"session_id": begun.SessionID}))
		require.Equal(t, store.WaitingReply, asked.State, "%s", asked.words)
	})
}

// attached waits for the first progress: a call waits for its run.
func (a *mcpClient) attached() {
	a.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		a.mu.Lock()
		n := len(a.progress)
		a.mu.Unlock()
		if n > 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			require.FailNow(a.t, "no progress")
		}
	}
}

func TestTheEndOfStdinPausesTheRuns(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	g := b.holdAt("1/8")
	s := b.open(route{era: legacy})
	begun := s.start(b.task.Goal)
	g.await(t)
	watch := s.stopwatch()
	require.NoError(t, s.stdin.Close())
	require.Zero(t, s.ends(), "%s", s.stderr)
	watch.within(eofBound)

	g.open()
	next := b.open(route{era: legacy})
	require.Equal(t, "PAUSED", next.look(begun.SessionID).State)
	require.Equal(t, store.WaitingReply, next.follow(next.call("ask_agent_continue",
		map[string]any{"session_id": begun.SessionID})).State)
}

// A client that dies takes both pipes with it.
func TestABrokenStdoutIsAnEndToo(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	p := b.spawn("serve")
	require.NoError(t, p.stdout.(io.Closer).Close())
	_, err := io.WriteString(p.stdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	require.NoError(t, err)
	require.Equal(t, exitError, p.ends())
	require.Contains(t, p.stderr.String(), "writing to the client: ")
}

func TestAPhoneThatHangsDoesNotHoldUpTheEnd(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		g := b.holdAt("1/8")
		s := b.open(w)
		begun := s.start(b.task.Goal)
		g.await(t)
		require.NoError(t, b.sim.ADB.SetLatency(simulation.DefaultSerial, 300*time.Millisecond))
		g.open()
		b.wire.sent.await(t, `(input tap)`) // it is on its way
		require.NoError(t, b.sim.ADB.Hang(simulation.DefaultSerial, true))
		watch := s.stopwatch()
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		code := s.ends()
		watch.within(termBound)
		require.Equal(t, exitError, code, "that the phone was left alone is not known")
		require.Contains(t, s.stderr.String(), "pausing the runs took longer than")
		require.NoError(t, b.sim.ADB.Hang(simulation.DefaultSerial, false))

		next := b.open(w)
		require.Equal(t, store.Paused, next.call("ask_agent_wait",
			map[string]any{"session_id": begun.SessionID}).State)
		require.Len(t, b.wire.touches(), 1, "what may have happened is not done again by itself")
	})
}

// A client that has closed its end waits for two seconds, whatever the phone does.
func TestAPhoneThatHangsDoesNotHoldUpTheEndOfStdin(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	g := b.holdAt("1/8")
	s := b.open(route{era: legacy})
	begun := s.start(b.task.Goal)
	g.await(t)
	require.NoError(t, b.sim.ADB.SetLatency(simulation.DefaultSerial, 300*time.Millisecond))
	g.open()
	b.wire.sent.await(t, `(input tap)`)
	require.NoError(t, b.sim.ADB.Hang(simulation.DefaultSerial, true))
	watch := s.stopwatch()
	require.NoError(t, s.stdin.Close())
	code := s.ends()
	watch.within(eofBound)
	require.Equal(t, exitError, code, "that the phone was left alone is not known")
	require.NoError(t, b.sim.ADB.Hang(simulation.DefaultSerial, false))

	next := b.open(route{era: legacy})
	require.Equal(t, store.Paused, next.call("ask_agent_wait",
		map[string]any{"session_id": begun.SessionID}).State)
	require.Len(t, b.wire.touches(), 1, "what may have happened is not done again by itself")
}

// Neither a phone nor an ADB server nor a model is there.
func TestTheServerStartsWithNothingAround(t *testing.T) {
	eachRoute(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "", "TAPLOOP_ADB_SERVER=127.0.0.1:1",
			"TAPLOOP_MODEL_BASE_URL=http://127.0.0.1:1/v1")
		s := b.open(w)
		list, err := s.c.ListTools(t.Context(), listTools)
		require.NoError(t, err)
		require.Len(t, list.Tools, 10)
		refused := s.refused("ADB_UNREACHABLE", "ask_agent_start_new_task",
			map[string]any{"task": "anything"})
		require.Contains(t, refused.words, "127.0.0.1:1")
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		require.Zero(t, s.ends())
	})
}

func TestOneLineTellsWhereTheServerListens(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	p, url := b.serve()
	require.Equal(t, "listening on "+url+"\n", p.stderr.String())
	taken := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	for _, args := range [][]string{{"serve", "--http", taken}, {"serve", "--http=" + taken},
		{"--set", "http.addr=" + taken, "serve", "--http"}} {
		other := b.spawn(args...)
		require.Equal(t, exitError, other.ends())
		require.Contains(t, other.stderr.String(),
			"address already in use\n  try: end the server that has the address")
	}
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	require.Zero(t, p.ends())
}

func TestWrongAddressesAreUsageErrors(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	for args, want := range map[string]string{
		"127.0.0.1:0": `there is an address "127.0.0.1:0" and no --http` +
			"\n  try: taploop serve --http 127.0.0.1:0",
		"--http=127.0.0.1:0 :0": "there are two addresses",
		"--http 127.0.0.1": "http.addr: address 127.0.0.1: missing port in address" +
			"\n  try: write HOST:PORT",
		"--http 0.0.0.0:0": "0.0.0.0:0 can be reached from elsewhere, and there is no token yet" +
			"\n  try: taploop token create",
		"--http :0":                 ":0 can be reached from elsewhere",
		"--http example.invalid:80": "example.invalid:80 can be reached from elsewhere",
	} {
		p := b.spawn(append([]string{"serve"}, strings.Fields(args)...)...)
		require.Equal(t, exitUsage, p.ends(), args)
		require.Contains(t, p.stderr.String(), want)
	}
}

func TestWhatLibrariesPrintGoesToStderr(t *testing.T) {
	stdout, stderr := os.Stdout, os.Stderr
	t.Cleanup(func() { os.Stdout, os.Stderr = stdout, stderr })
	r, w, err := os.Pipe()
	require.NoError(t, err)
	e, we, err := os.Pipe()
	require.NoError(t, err)
	os.Stdout, os.Stderr = w, we
	a := &invocation{streams: streams{nil, w, we}}
	out := a.reserveStdout()
	fmt.Println("a library speaks")
	fmt.Fprintln(a.out, "we too")
	fmt.Fprintln(out, "the protocol")
	require.NoError(t, w.Close())
	require.NoError(t, we.Close())
	said, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "the protocol\n", string(said))
	said, err = io.ReadAll(e)
	require.NoError(t, err)
	require.Equal(t, "a library speaks\nwe too\n", string(said))
}

var listTools = mcp.ListToolsRequest{}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	g := b.holdAt("1/8")
	s := b.open(route{http: true, era: legacy})
	s.start(b.task.Goal)
	g.await(t)
	require.NoError(t, b.sim.ADB.SetLatency(simulation.DefaultSerial, 300*time.Millisecond))
	g.open()
	b.wire.sent.await(t, `(input tap)`)
	require.NoError(t, b.sim.ADB.Hang(simulation.DefaultSerial, true))
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.drains()
	watch := s.stopwatch()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.ends()
	watch.within(time.Second)
	require.True(t, s.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled())
}

// drains waits until the server says over a new connection that it drains: the first signal has
// arrived.
func (s *clientProcess) drains() {
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	patient.Until(s.process.t, func() bool {
		resp, err := c.Get(strings.TrimSuffix(s.url, "/mcp") + "/readyz")
		if err != nil {
			return true // later than that
		}
		defer resp.Body.Close()
		said, err := io.ReadAll(resp.Body)
		return err != nil || resp.StatusCode == http.StatusServiceUnavailable &&
			strings.Contains(string(said), `"says":"the server ends"`)
	})
}
