//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wiretap lets connections through to a server and keeps what is sent to it.
type wiretap struct {
	addr string
	sent *transcript
	said *transcript // what comes back, when somebody wants it
	life *activity
}

func tap(t testing.TB, server string, life *activity, said *transcript) *wiretap {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w := &wiretap{addr: ln.Addr().String(), sent: newTranscript(), said: said, life: life}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				// Clients keep connections that they do not use.
				defer context.AfterFunc(ctx, func() { _ = c.Close() })()
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
	stderr *transcript
	ended  chan struct{}
	err    error
}

// transcript is what a program has written, for many readers.
type transcript struct {
	mu   sync.Mutex
	b    bytes.Buffer
	more chan struct{} // closed and made anew at each write
}

func newTranscript() *transcript { return &transcript{more: make(chan struct{})} }

func (x *transcript) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	close(x.more)
	x.more = make(chan struct{})
	return x.b.Write(p)
}

func (x *transcript) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.String()
}

// await returns the first match of the pattern's group, and fails the test when nothing is written
// any more and there is none.
func (x *transcript) await(t testing.TB, pattern string) (match string) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	x.until(t, pattern, func(b []byte) bool {
		m := re.FindSubmatch(b)
		if m != nil {
			match = string(m[len(m)-1])
		}
		return m != nil
	})
	return match
}

// until returns when ok holds of what was written, which has to have what there is to be.
func (x *transcript) until(t testing.TB, what string, ok func([]byte) bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		x.mu.Lock()
		more, there := x.more, ok(x.b.Bytes())
		x.mu.Unlock()
		if there {
			return
		}
		select {
		case <-more:
			deadline.Reset(patience)
		case <-deadline.C:
			require.FailNow(t, "no "+what, "in %q", x.String())
		}
	}
}

// spawn starts taploop without a terminal.
func (b *testEnv) spawn(args ...string) *process { return b.spawnAs(func(*exec.Cmd) {}, args...) }

// spawnAs does with a command that is changed before.
func (b *testEnv) spawnAs(change func(*exec.Cmd), args ...string) *process {
	program, err := exec.LookPath("taploop")
	require.NoError(b.t, err)
	p := &process{t: b.t, cmd: exec.Command(program, args...), stderr: newTranscript(),
		ended: make(chan struct{})}
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
