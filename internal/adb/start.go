package adb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// startWithin bounds `adb start-server`, which answers within a second or two when it works at all.
const startWithin = 20 * time.Second

// startAndDial starts the server and connects. One caller starts it, the others wait and find it
// running.
func (c *Client) startAndDial(ctx context.Context) (net.Conn, error) {
	if err := c.start.Lock(ctx); err != nil {
		return nil, err
	}
	defer c.start.Unlock()
	n, err := c.dialer.DialContext(ctx, c.addr.network, c.addr.addr)
	if !nothingListens(err) {
		return n, err
	}
	if err := c.startServer(ctx); err != nil {
		return nil, err
	}
	return c.dialer.DialContext(ctx, c.addr.network, c.addr.addr)
}

func (c *Client) startServer(ctx context.Context) error {
	if !c.addr.local() {
		return hint.Add(ErrNoServer, "start the server on that machine with `adb -a nodaemon "+
			"server`, or tunnel its port with ssh -L")
	}
	if c.fixed {
		return hint.Add(ErrNoServer, "start what is meant to listen there (`taploop sandbox`, "+
			"or a tunnel), or leave adb.server (TAPLOOP_ADB_SERVER) out for adb's own server")
	}
	path, err := exec.LookPath(cmp.Or(c.binary, "adb"))
	if err != nil {
		return hint.Add(fmt.Errorf("%w, and there is no adb to start one (%w)", ErrNoServer, err),
			"install Android's platform tools (Debian and Ubuntu: apt-get install adb), or set "+
				"the address of a server that runs")
	}
	args := c.addr.startArgs()
	c.log.InfoContext(ctx, "starting the ADB server", "adb", path, "args", args)
	if out, err := runBriefly(ctx, path, args); err != nil {
		return hint.Add(startFailed{fmt.Errorf("%w, and `%s %v` gave: %w: %s", ErrNoServer, path,
			args, err, bytes.TrimSpace(out))},
			"run `adb start-server` by hand and read what it says")
	}
	return nil
}

// runBriefly runs a command to its end, within startWithin. The server that it leaves behind does
// not hold it up.
func runBriefly(ctx context.Context, path string, args []string) ([]byte, error) {
	late := fmt.Errorf("no answer within %s", startWithin)
	ctx, cancel := context.WithTimeoutCause(ctx, startWithin, late)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return out, nil
	}
	return out, err
}
