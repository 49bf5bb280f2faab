package adb_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/hint"
)

func TestMain(m *testing.M) { adbtest.Main(m) }

func rigged(t *testing.T, phones ...adbtest.Phone) (*adbtest.Rig, *adb.Client) {
	t.Helper()
	rig := adbtest.Start(t, &adbtest.Options{Phones: phones})
	c, err := adb.New(&adb.Options{Server: rig.Server, Getenv: noEnv})
	require.NoError(t, err)
	return rig, c
}

func TestTheRealDaemonsShellIsRead(t *testing.T) {
	rig, c := rigged(t)
	d := c.Device(rig.Serials[0])
	v, err := c.Version(t.Context())
	require.NoError(t, err)
	require.Equal(t, 41, v)
	has, err := d.Has(t.Context(), "shell_v2")
	require.NoError(t, err)
	require.True(t, has)

	r, err := d.Shell(t.Context(), "echo out; echo err >&2; exit 42")
	require.NoError(t, err)
	require.Equal(t, adb.Result{Stdout: "out\n", Stderr: "err\n", Code: 42}, r)
	for range 50 { // quick commands: nothing gets lost at their end
		r, err = d.Shell(t.Context(), "printf x")
		require.NoError(t, err)
		require.Equal(t, adb.Result{Stdout: "x"}, r)
	}
	r, err = d.Shell(t.Context(), adb.Quote("printf", "%s|", "it's", "$HOME `id`", "a\nb", "*", ""))
	require.NoError(t, err)
	require.Equal(t, "it's|$HOME `id`|a\nb|*||", r.Stdout)

	b, err := d.Exec(t.Context(), `printf '\000\r\n\377'`, 0, 100)
	require.NoError(t, err)
	require.Equal(t, "\x00\r\n\xff", string(b))
	_, err = d.Exec(t.Context(), "cat /dev/zero", 0, 1<<20)
	require.ErrorIs(t, err, adb.ErrTooMuch)
	_, err = d.Open(t.Context(), "no-such-service:")
	require.ErrorIs(t, err, adb.ErrClosed)
}

func TestFilesGoToTheRealDaemonAndBack(t *testing.T) {
	rig, c := rigged(t)
	d := c.Device(rig.Serials[0])
	content := make([]byte, 3<<20+17)
	for i := range content {
		content[i] = byte(rand.Uint32())
	}
	const path = "/data/local/tmp/it's a file"
	require.NoError(t, d.Push(t.Context(), bytes.NewReader(content), path, 0o640, time.Unix(1_700_000_000, 0)))
	r, err := d.Shell(t.Context(), "stat -c '%s %Y' "+adb.Quote(path))
	require.NoError(t, err)
	require.Equal(t, "3145745 1700000000\n", r.Stdout, r.Stderr)

	var back bytes.Buffer
	require.NoError(t, d.Pull(t.Context(), path, &back, 4<<20))
	require.True(t, bytes.Equal(content, back.Bytes()))
	require.ErrorIs(t, d.Pull(t.Context(), path, &back, 1<<20), adb.ErrTooMuch)

	var refusal *adb.RefusedError
	require.ErrorAs(t, d.Push(t.Context(), bytes.NewReader(content), "/proc/none/x", 0o644, time.Unix(0, 0)), &refusal)
	require.ErrorAs(t, d.Pull(t.Context(), "/data/local/tmp/none", &back, 1), &refusal)
	require.Contains(t, refusal.Message, "No such file")
}

func TestTheRealServerTellsStatesAndChanges(t *testing.T) {
	rig, c := rigged(t, adbtest.Phone{}, adbtest.Phone{Banner: "recovery"})
	list, err := c.Devices(t.Context())
	require.NoError(t, err)
	states := map[string]string{}
	for _, e := range list {
		states[e.Serial] = e.State
	}
	require.Equal(t, map[string]string{rig.Serials[0]: "device", rig.Serials[1]: "recovery"}, states)

	ctx, cancel := context.WithCancel(t.Context())
	changes := make(chan string, 100)
	tracking := make(chan error, 1)
	go func() {
		tracking <- c.Track(ctx, func(list []adb.Entry) error {
			for _, e := range list {
				if e.Serial == rig.Serials[0] {
					changes <- e.State
				}
			}
			return nil
		})
	}()
	require.Equal(t, "device", <-changes)
	rig.Kill(rig.Serials[0])
	for state := range changes {
		if state == "offline" {
			break
		}
	}
	_, err = c.Device(rig.Serials[0]).Shell(t.Context(), "true")
	require.ErrorIs(t, err, adb.ErrOffline)
	_, err = c.Device("nobody").Shell(t.Context(), "true")
	require.ErrorIs(t, err, adb.ErrNotFound)
	require.ErrorContains(t, err, "device 'nobody' not found")
	cancel()
	require.ErrorIs(t, <-tracking, context.Canceled)
}

// Nothing listens, so the adb binary starts a server there; the second call finds it running.
func TestARealServerIsStartedWhereNothingListens(t *testing.T) {
	rig, _ := rigged(t) // shows that the namespace is there: nothing of this server is seen outside
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := ln.Addr().String()
	require.NoError(t, ln.Close())
	stdout, _, _ := rig.ADB("version")
	c, err := adb.New(&adb.Options{Server: addr, ADB: installedAs(t, stdout), Getenv: noEnv})
	require.NoError(t, err)
	for range 2 {
		v, err := c.Version(t.Context())
		require.NoError(t, err, hint.Of(err))
		require.Equal(t, 41, v)
	}
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("0009host:kill"))
	require.NoError(t, err)
}

// installedAs reads the path of the binary from what `adb version` prints.
func installedAs(t *testing.T, version string) string {
	t.Helper()
	_, rest, found := strings.Cut(version, "Installed as ")
	require.True(t, found, version)
	path, _, _ := strings.Cut(rest, "\n")
	return path
}
