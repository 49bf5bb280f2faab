package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox/shell"
)

func TestAWatchOfPhonesGoesOnWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n- {reply: x}\n")
	at := ""
	for _, v := range f.env {
		if addr, is := strings.CutPrefix(v, "TAPLOOP_ADB_SERVER="); is {
			at = addr
		}
	}
	ctx, end := context.WithCancel(t.Context())
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"devices", "--watch"}, f.env, streams{strings.NewReader(""), w, w})
		_ = w.Close()
	}()
	defer func() { end(); _ = r.Close() }()
	lines := bufio.NewScanner(r)
	await := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
		}
		require.Fail(t, "the watch has ended", "before it said %q", want)
	}
	await("phone-1  device")
	f.stop()
	await("the phones cannot be seen, and are looked for: looking at the phones: reaching the ADB")
	ln, err := net.Listen("tcp", at)
	require.NoError(t, err)
	f.adb.Attach("another", shell.New(newPhone()))
	served := make(chan error, 1)
	serving, stop := context.WithCancel(t.Context())
	go func() { served <- f.adb.Serve(serving, ln) }()
	defer func() { stop(); <-served }()
	await("the phones can be seen again")
	await("another  device")
	end()
	for lines.Scan() {
		require.NotContains(t, lines.Text(), "gone")
	}
	require.Zero(t, <-code)

	stop()
	var said strings.Builder
	require.Equal(t, exitPhone, run(t.Context(), []string{"devices", "--watch"},
		append(f.env, "TAPLOOP_ADB_SERVER=127.0.0.1:1"), streams{strings.NewReader(""), &said, &said}),
		"a server that was never there")
}
