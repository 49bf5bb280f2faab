package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
)

// leave starts a process that outlives this one and its group, and has its output.
func leave() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), exe)
	cmd.Env, cmd.Stdout = append(os.Environ(), "PROXY_UPSTREAM=left"), os.Stdout
	upstream.Group(cmd)
	return cmd.Start()
}

// impatient makes short what a program has to end.
func impatient(t *testing.T) {
	before, all := limits, closeTime
	limits.Grace, closeTime = 50*time.Millisecond, 300*time.Millisecond
	t.Cleanup(func() { limits, closeTime = before, all })
}

func mode(name string) func(*Options) {
	return func(o *Options) { o.Target.Env = append(o.Target.Env, "PROXY_UPSTREAM="+name) }
}

// A server that has ended is started again, and ends with its client, though a process that it has
// left behind holds its output.
func TestWhatAServerLeavesBehindIsNotWaitedFor(t *testing.T) {
	impatient(t)
	r := newRig(t, mode("leaves"))
	r.shake("{}")
	died := r.start("die", "{}", "")
	told, again := "", false
	require.Eventually(t, func() bool {
		r.start("echo", `{"text":"x"}`, "")
		for len(r.lines) > 0 {
			line := r.next()
			again = again || words(t, line) == `echo {"text":"x"}`
			if string(wire.At(json.RawMessage(line), "id")) == fmt.Sprint(died) {
				told = words(t, line)
			}
		}
		return again && told != ""
	}, patience, 100*time.Millisecond)
	require.Contains(t, told, "whether the call was carried out is not known")
}

func TestAServerThatClosesItsOutputIsNamedAndEnded(t *testing.T) {
	impatient(t)
	r := newRig(t, mode("mute"))
	r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize",` +
		`"params":{"protocolVersion":"2025-11-25"}}`)
	require.Contains(t, r.next(), "it has closed its output")
}

// A client that takes nothing of what the server says does not keep the proxy from ending.
func TestAClientThatReadsNothingIsNotWaitedFor(t *testing.T) {
	impatient(t)
	exe, err := os.Executable()
	require.NoError(t, err)
	p, err := New(&Options{Name: "other", Stdio: true, Target: upstream.Target{
		Command: []string{exe},
		Env:     append(os.Environ(), "PROXY_UPSTREAM=talks")}})
	require.NoError(t, err)
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	defer out.Close()
	served := make(chan error, 1)
	go func() {
		served <- transport.ServeStdio(context.Background(), p, fromClient, toClient, nil)
	}()
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+
		`{"protocolVersion":"2025-11-25"}}`+"\n")
	require.NoError(t, err)
	_, err = bufio.NewReaderSize(out, 16).ReadString('\n') // the answer
	require.NoError(t, err)
	require.Eventually(t, func() bool { // it waits for the client
		p.sessions.mu.Lock()
		defer p.sessions.mu.Unlock()
		full := false
		for _, s := range p.sessions.byID {
			full = len(s.NotificationChannel()) == cap(s.NotificationChannel())
		}
		return full
	}, patience, time.Millisecond)
	require.NoError(t, in.Close())
	select {
	case <-served:
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	p.Close()
}
