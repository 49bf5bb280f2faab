package main

import (
	"context"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/sandbox/adbdshim"
)

// twoWays puts the phone behind the real adb server, twice: as by cable and over the network.
func (b *testEnv) twoWays(t *testing.T) *adbtest.Rig {
	t.Helper()
	dir := t.TempDir()
	program, err := exec.LookPath("taploop") // it is a phone's commands, too
	require.NoError(t, err)
	require.NoError(t, adbdshim.Install(dir, program))
	ln, err := net.Listen("unix", filepath.Join(dir, ".socket"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { _ = adbdshim.Serve(ctx, ln, b.sim.Shell) })
	t.Cleanup(serving.Wait)
	t.Cleanup(cancel)
	way := adbtest.Daemon{Standins: dir,
		Env: []string{"TAPLOOP_SANDBOX_SOCKET=" + ln.Addr().String()}}
	rig := adbtest.Start(t, &adbtest.Options{Phones: []adbtest.Daemon{way, way}})
	b.env = append(b.env, "TAPLOOP_ADB_SERVER="+rig.Server)
	return rig
}

// A run whose phone goes away is parked, and goes on when the phone is back under another address.
func TestARunGoesOnWhenItsPhoneIsBackUnderAnotherAddress(t *testing.T) {
	b := newTestEnv(t, demoTask, "")
	rig := b.twoWays(t)
	said, _, code := b.run("devices", "--json")
	require.Zero(t, code)
	require.Contains(t, said, rig.Serials[1], "one phone with two addresses")
	_, _, code = b.run("disconnect", rig.Serials[1])
	require.Zero(t, code)

	thinking := b.holdAt("3/8")
	p := b.spawn("run", b.task.Goal, "--reply", "42")
	thinking.await(t)
	rig.Kill(rig.Serials[0])
	thinking.open()
	p.stderr.await(t, "waiting for it to come back")
	_, _, code = b.run("disconnect", rig.Serials[0])
	require.Zero(t, code)
	said, _, code = b.run("connect", rig.Serials[1])
	require.Zero(t, code)
	require.Contains(t, said, "connected to")
	require.Zero(t, p.ends(), "%s", p.stderr)
	require.NoError(t, b.task.Check(b.sim.Phone))
}

func TestARunThatIsStoppedWhileItsPhoneIsAwaySaysSo(t *testing.T) {
	b := newTestEnv(t, demoTask, "")
	thinking := b.holdAt("3/8")
	p := b.spawn("run", b.task.Goal, "--reply", "42", "--json")
	thinking.await(t)
	b.sim.ADB.Detach(b.sim.Serial)
	thinking.open()
	p.stderr.await(t, "waiting for it to come back")
	_, said, code := b.run("stop")
	require.Zero(t, code, said)
	out, err := io.ReadAll(p.stdout)
	require.NoError(t, err)
	require.Contains(t, string(out), `"state": "CANCELLED"`)
	require.Equal(t, exitNotCompleted, p.ends(), "%s", p.stderr)
}

// Nobody waits for ever at a terminal.
func TestARunEndsPausedIfItsPhoneStaysAway(t *testing.T) {
	b := newTestEnv(t, demoTask, "", "TAPLOOP_DEVICE_RECONNECT=1ms")
	thinking := b.holdAt("3/8")
	p := b.spawn("run", b.task.Goal, "--reply", "42")
	thinking.await(t)
	b.sim.ADB.Detach(b.sim.Serial)
	thinking.open()
	require.Equal(t, exitPhone, p.ends(), "%s", p.stderr)
	require.Contains(t, p.stderr.String(), "paused after")
}
