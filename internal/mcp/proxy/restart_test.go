package proxy

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/store"
)

// asProxy makes this binary a proxy in front of itself, over questions on disk.
func asProxy() error {
	db, err := store.Open(context.Background(), os.Getenv("PROXY_DATA"), nil)
	if err != nil {
		return err
	}
	defer db.Close()
	b := inquiry.NewBroker(db.Questions, &inquiry.Options{Every: 5 * time.Millisecond})
	go func() { _ = b.Run(context.Background(), nil) }() // ends with the process
	rules, err := guard.New(nil)
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	env := append(os.Environ(), "PROXY_UPSTREAM=plain", fmt.Sprint("PROXY_PID=", os.Getpid()))
	p, err := New(&Options{Name: "other", Guard: rules, Questions: b, Stdio: true,
		Target: upstream.Target{Command: []string{exe}, Env: env}})
	if err != nil {
		return err
	}
	defer p.Close()
	return transport.ServeStdio(context.Background(), p, os.Stdin, os.Stdout, nil)
}

// A proxy that is killed, while a person is asked and while an approved call is under way, passes
// each approved call on once, and no other.
func TestAnApprovedCallIsPassedOnOnceOverAKill(t *testing.T) {
	dir, log := t.TempDir(), t.TempDir()+"/log"
	db, err := store.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	r := &rig{t: t, ask: inquiry.NewBroker(db.Questions, nil), log: log}
	var cmd *exec.Cmd
	spawn := func() {
		exe, err := os.Executable()
		require.NoError(t, err)
		cmd = exec.Command(exe)
		cmd.Env = append(os.Environ(), "PROXY_UPSTREAM=proxy", "PROXY_DATA="+dir,
			"SERVER_LOG="+log)
		r.in, err = cmd.StdinPipe()
		require.NoError(t, err)
		out, in, err := os.Pipe()
		require.NoError(t, err)
		cmd.Stdout = in
		require.NoError(t, cmd.Start())
		require.NoError(t, in.Close())
		r.lines = make(chan string, 100)
		lines := r.lines
		go func() { // ends with the process
			defer close(lines)
			defer out.Close()
			for s := bufio.NewScanner(out); s.Scan(); {
				lines <- s.Text()
			}
		}()
		r.shake("{}")
	}
	ended := func() {
		_ = cmd.Wait() // it was killed
		for range r.lines {
		}
	}
	spawn()
	r.start("send_message", `{"text":"kill"}`, "")
	q := r.asked()
	require.NoError(t, cmd.Process.Kill())
	ended()
	require.NoError(t, r.decide(q, inquiry.Decision{Type: inquiry.Approve}))

	spawn() // the other server kills the proxy when it has carried the call out
	r.start("send_message", `{"text":"kill"}`, "")
	ended()
	require.Equal(t, 1, strings.Count(r.done(), "send_message"))

	spawn()
	r.start("send_message", `{"text":"kill"}`, "")
	again := r.asked()
	require.NotEqual(t, q.ID, again.ID)
	require.NoError(t, r.decide(again, inquiry.Decision{Type: inquiry.Reject}))
	require.Contains(t, words(t, r.next()), "refused by the other side")
	require.NoError(t, r.in.Close())
	ended()
	require.Equal(t, 1, strings.Count(r.done(), "send_message"))
}
