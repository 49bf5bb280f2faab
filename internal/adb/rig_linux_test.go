package adb_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	goadb "github.com/zach-klippenstein/goadb"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/hint"
)

func TestMain(m *testing.M) { adbtest.Main(m) }

func rigged(t *testing.T, phones ...adbtest.Daemon) (*adbtest.Rig, *adb.Client) {
	t.Helper()
	rig := adbtest.Start(t, &adbtest.Options{Phones: phones})
	c, err := adb.New(&adb.Options{Server: rig.Server, Getenv: noEnv})
	require.NoError(t, err)
	return rig, c
}

func TestTheRealDaemonsShellIsRead(t *testing.T) {
	rig, c := rigged(t)
	d := c.Device(rig.Serials[0])
	v, err := c.Host(t.Context(), "host:version")
	require.NoError(t, err)
	require.Equal(t, "0029", v)
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

	b, err := d.Exec(t.Context(), `printf '\000\r\n\377'`, nil, 100, nil)
	require.NoError(t, err)
	require.Equal(t, "\x00\r\n\xff", string(b))
	_, err = d.Exec(t.Context(), "cat /dev/zero", nil, 1<<20, nil)
	require.ErrorIs(t, err, adb.ErrTooMuch)
	_, err = d.Open(t.Context(), "no-such-service:")
	require.ErrorIs(t, err, adb.ErrClosed)
}

func TestTheRealServerListsStates(t *testing.T) {
	rig, c := rigged(t, adbtest.Daemon{}, adbtest.Daemon{Banner: "recovery"})
	list, err := c.Devices(t.Context())
	require.NoError(t, err)
	states := map[string]string{}
	for _, e := range list {
		states[e.Serial] = e.State
	}
	require.Equal(t, map[string]string{rig.Serials[0]: "device", rig.Serials[1]: "recovery"},
		states)

	rig.Kill(rig.Serials[0])
	rig.WaitState(rig.Serials[0], "offline")
	_, err = c.Device(rig.Serials[0]).Shell(t.Context(), "true")
	require.ErrorIs(t, err, adb.ErrOffline)
	_, err = c.Pair(t.Context(), "127.0.0.1:1", "123456")
	require.ErrorIs(t, err, adb.ErrPair)
	require.ErrorContains(t, err, "Unable to start pairing client")
	_, err = c.Connect(t.Context(), "127.0.0.1:1")
	require.ErrorIs(t, err, adb.ErrConnect)
	_, err = c.Device("nobody").Shell(t.Context(), "true")
	require.ErrorIs(t, err, adb.ErrNotFound)
	require.ErrorContains(t, err, "device 'nobody' not found")
}

// goadb was written by others: what it reads of the real server and daemon is what we read.
func TestGoadbReadsTheSameOfTheRealServer(t *testing.T) {
	rig, c := rigged(t)
	// it wants to know an adb binary, and does not start it while a server runs
	self, err := os.Executable()
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(rig.Server)
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	other, err := goadb.NewWithConfig(goadb.ServerConfig{PathToAdb: self, Host: host, Port: number})
	require.NoError(t, err)

	version, err := other.ServerVersion()
	require.NoError(t, err)
	ours, err := c.Host(t.Context(), "host:version")
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%04x", version), ours)

	theirs, err := other.ListDevices()
	require.NoError(t, err)
	list, err := c.Devices(t.Context())
	require.NoError(t, err)
	require.Len(t, theirs, 1)
	require.Len(t, list, 1)
	require.Equal(t, theirs[0].Serial, list[0].Serial)
	require.Equal(t, [3]string{theirs[0].Product, theirs[0].Model, theirs[0].DeviceInfo},
		[3]string{list[0].Props["product"], list[0].Props["model"], list[0].Props["device"]})

	phone := other.Device(goadb.DeviceWithSerial(rig.Serials[0]))
	state, err := phone.State()
	require.NoError(t, err)
	require.Equal(t, goadb.StateOnline, state)
	require.Equal(t, "device", list[0].State)
	for _, line := range []string{"echo one; echo two >&2", "printf 'a  b\\n\\nc'", "true",
		"no-such-command"} {
		said, err := phone.RunCommand(line)
		require.NoError(t, err)
		r, err := c.Device(rig.Serials[0]).Shell(t.Context(), line)
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(said, "\r\n", "\n"), r.Text(), line)
	}
}

// Nothing listens, so the adb binary starts a server there; the second call finds it running.
func TestARealServerIsStartedWhereNothingListens(t *testing.T) {
	rig, _ := rigged(t) // shows that the namespace is there: nothing of this server is seen outside
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := ln.Addr().String()
	require.NoError(t, ln.Close())
	stdout, _, _ := rig.ADB("version")
	binary := installedAs(t, stdout)
	// of an adb that is not the machine's own
	t.Setenv("LD_LIBRARY_PATH", filepath.Join(filepath.Dir(binary), "../lib"))
	c, err := adb.New(&adb.Options{Server: addr, ADB: binary, Getenv: noEnv})
	require.NoError(t, err)
	for range 2 {
		v, err := c.Host(t.Context(), "host:version")
		require.NoError(t, err, hint.Of(err))
		require.Equal(t, "0029", v)
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

func TestTheRealServerConnectsAndDisconnects(t *testing.T) {
	rig, c := rigged(t)
	at := rig.Serials[0]
	said, err := c.Connect(t.Context(), at)
	require.NoError(t, err)
	require.Contains(t, said, "already connected")
	_, err = c.Disconnect(t.Context(), at)
	require.NoError(t, err)
	rig.WaitState(at, "")
	_, err = c.Disconnect(t.Context(), at)
	require.ErrorContains(t, err, "no such device")
	require.NotEmpty(t, hint.Of(err))
	_, err = c.Connect(t.Context(), at)
	require.NoError(t, err)
	rig.WaitState(at, "device")
	_, err = c.Connect(t.Context(), "127.0.0.1:9")
	require.ErrorIs(t, err, adb.ErrConnect)
	_, err = c.Disconnect(t.Context(), "")
	require.NoError(t, err)
	rig.WaitState(at, "")
}
