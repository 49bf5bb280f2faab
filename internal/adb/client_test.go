package adb_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
)

func TestTheAddressIsFoundAsAdbFindsIt(t *testing.T) {
	for _, c := range []struct {
		server string
		env    map[string]string
		want   string
	}{
		{want: "127.0.0.1:5037"},
		{env: map[string]string{"ANDROID_ADB_SERVER_PORT": "5099"}, want: "127.0.0.1:5099"},
		{env: map[string]string{"ANDROID_ADB_SERVER_ADDRESS": "10.0.0.7"}, want: "10.0.0.7:5037"},
		{env: map[string]string{"ADB_SERVER_SOCKET": "tcp:host:1", "ANDROID_ADB_SERVER_PORT": "2"},
			want: "host:1"},
		{env: map[string]string{"ADB_SERVER_SOCKET": "tcp:5038"}, want: "127.0.0.1:5038"},
		{env: map[string]string{"ADB_SERVER_SOCKET": "tcp:[::1]:5038"}, want: "[::1]:5038"},
		{env: map[string]string{"ADB_SERVER_SOCKET": "localfilesystem:/run/adb"},
			want: "localfilesystem:/run/adb"},
		{server: "farm:7000", env: map[string]string{"ADB_SERVER_SOCKET": "tcp:1"},
			want: "farm:7000"},
		{server: "farm", want: "farm:5037"},
	} {
		client, err := adb.New(&adb.Options{Server: c.server, Getenv: func(k string) string {
			return c.env[k]
		}})
		require.NoError(t, err)
		require.Equal(t, c.want, client.Address())
	}
}

func TestAnAddressThatCannotBeReadSaysWhere(t *testing.T) {
	for _, bad := range []string{"tcp:0", "tcp:70000", "host:abc", "localfilesystem:", "a b:1",
		"1:2:3"} {
		_, err := adb.New(&adb.Options{Getenv: func(k string) string {
			return map[string]string{"ADB_SERVER_SOCKET": bad}[k]
		}})
		require.ErrorContains(t, err, "ADB_SERVER_SOCKET", "%q", bad)
		require.Contains(t, hint.Of(err), "HOST:PORT")
	}
	_, err := adb.New(&adb.Options{Getenv: func(k string) string {
		return map[string]string{"ANDROID_ADB_SERVER_PORT": "x"}[k]
	}})
	require.ErrorContains(t, err, "ANDROID_ADB_SERVER_PORT")
}

func TestDevicesReadsEveryKindOfLine(t *testing.T) {
	s := &fakeServer{host: map[string]string{"host:devices-l": "" +
		"emulator-5554          device product:sdk model:Pixel_7 device:emu64a transport_id:1\n" +
		"192.168.1.5:5555       offline transport_id:2\n" +
		"R58M                   unauthorized usb:1-4 transport_id:3\n" +
		"????????????           no permissions (missing udev rules? see " +
		"[http://developer.android.com/tools/device.html]) usb:1-1 transport_id:4\n" +
		"(no serial number)     device usb:1-2 transport_id:5\n" +
		"adb-1A2B-Zq7RtY (2)._adb-tls-connect._tcp device product:lynx transport_id:6\n" +
		"adb-9F8E-Ab3CdE (2)._adb-tls-connect._tcp offline transport_id:7\n" +
		"my phone\toffline\n" +
		"0123456789ABCDEF       device 1-4.2 product:old model:Old\n"}}
	list, err := s.client(t).Devices(t.Context())
	require.NoError(t, err)
	require.Equal(t, []adb.Entry{
		{Serial: "emulator-5554", State: "device", Props: map[string]string{"product": "sdk",
			"model": "Pixel_7", "device": "emu64a", "transport_id": "1"}},
		{Serial: "192.168.1.5:5555", State: "offline",
			Props: map[string]string{"transport_id": "2"}},
		{Serial: "R58M", State: "unauthorized", Props: map[string]string{"usb": "1-4",
			"transport_id": "3"}},
		{Serial: "????????????", State: "no permissions (missing udev rules? see " +
			"[http://developer.android.com/tools/device.html])",
			Props: map[string]string{"usb": "1-1", "transport_id": "4"}},
		{Serial: "(no-serial-number)", State: "device", Props: map[string]string{"usb": "1-2",
			"transport_id": "5"}},
		{Serial: "adb-1A2B-Zq7RtY (2)._adb-tls-connect._tcp", State: "device",
			Props: map[string]string{"product": "lynx", "transport_id": "6"}},
		{Serial: "adb-9F8E-Ab3CdE (2)._adb-tls-connect._tcp", State: "offline",
			Props: map[string]string{"transport_id": "7"}},
		{Serial: "my phone", State: "offline", Props: map[string]string{}},
		{Serial: "0123456789ABCDEF", State: "device", Props: map[string]string{"product": "old",
			"model": "Old"}},
	}, list)

	require.NoError(t, adb.StateError("a", "device"))
	require.ErrorIs(t, adb.StateError("a", list[1].State), adb.ErrOffline)
	require.ErrorIs(t, adb.StateError("a", list[2].State), adb.ErrUnauthorized)
	require.ErrorIs(t, adb.StateError("a", list[3].State), adb.ErrNoPermissions)
	require.ErrorContains(t, adb.StateError("a", "sideload"), `a is in state "sideload"`)

	s.host["host:devices-l"] = "gibberish\n"
	_, err = s.client(t).Devices(t.Context())
	require.ErrorIs(t, err, adb.ErrProtocol)
}

func TestNoServerOnAnotherMachineIsNotStarted(t *testing.T) {
	refused := dialerFunc(func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect",
			syscall.ECONNREFUSED)}
	})
	c, err := adb.New(&adb.Options{Server: "10.1.2.3:5037", Dialer: refused, Getenv: noEnv,
		ADB: "/bin/false"})
	require.NoError(t, err)
	_, err = c.Host(t.Context(), "host:version")
	require.ErrorIs(t, err, adb.ErrNoServer)
	require.Contains(t, hint.Of(err), "on that machine")
}

// lateTimer is a context that nobody has ended when its time is over, until it is waited for.
type lateTimer struct {
	context.Context
	end func()
}

func (lateTimer) Deadline() (time.Time, bool) { return time.Now().Add(-time.Millisecond), true }

func (l lateTimer) Done() <-chan struct{} {
	l.end()
	return l.Context.Done()
}

func TestADialThatTheCallersTimeEndsIsNoMissingServer(t *testing.T) {
	ends := dialerFunc(func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}
	})
	c, err := adb.New(&adb.Options{Server: "10.1.2.3:5037", Dialer: ends, Getenv: noEnv})
	require.NoError(t, err)
	over := errors.New("the wait is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = c.Host(lateTimer{ctx, func() { cancel(over) }}, "host:version")
	require.ErrorIs(t, err, over)
	require.NotErrorIs(t, err, adb.ErrNoServer)
}

func TestNoServerAndNoAdbSaysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	c, err := adb.New(&adb.Options{Server: "localfilesystem:" + filepath.Join(t.TempDir(), "none"),
		Getenv: noEnv})
	require.NoError(t, err)
	_, err = c.Host(t.Context(), "host:version")
	require.ErrorIs(t, err, adb.ErrNoServer)
	require.ErrorIs(t, err, exec.ErrNotFound)
	require.Contains(t, hint.Of(err), "platform tools")
}

func TestAServerThatDoesNotStartSaysWhatAdbSaid(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "adb")
	require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\necho \"cannot bind: $*\" >&2; "+
		"exit 1\n"), 0o755))
	c, err := adb.New(&adb.Options{Server: "localfilesystem:" + filepath.Join(dir, "sock"),
		ADB: binary, Getenv: noEnv})
	require.NoError(t, err)
	_, err = c.Host(t.Context(), "host:version")
	require.ErrorIs(t, err, adb.ErrNoServer)
	require.ErrorContains(t, err, "cannot bind: -L localfilesystem:"+filepath.Join(dir,
		"sock")+" start-server")
}

func TestNoServerIsStartedWhereAnotherProgramIsMeantToListen(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	c, err := adb.New(&adb.Options{Server: ln.Addr().String(), ADB: "/bin/true", StartsNone: true})
	require.NoError(t, err)
	_, err = c.Devices(t.Context())
	require.ErrorIs(t, err, adb.ErrNoServer)
	require.Contains(t, hint.Of(err), "taploop sandbox")
}

// A caller that finds nothing listening starts the server; the others wait for that one.
func TestAServerIsStartedOnceForManyCallers(t *testing.T) {
	dir := t.TempDir()
	count, binary := filepath.Join(dir, "count"), filepath.Join(dir, "adb")
	require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\necho \"$*\" >> "+count+"\n"), 0o755))
	s := &fakeServer{host: map[string]string{"host:version": "0029"}}
	d := dialerFunc(func(ctx context.Context, network, addr string) (net.Conn, error) {
		if _, err := os.Stat(count); err != nil {
			return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect",
				syscall.ECONNREFUSED)}
		}
		return s.DialContext(ctx, network, addr)
	})
	c, err := adb.New(&adb.Options{Server: "127.0.0.1:5099", Dialer: d, ADB: binary, Getenv: noEnv})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, err := c.Host(t.Context(), "host:version")
			require.NoError(t, err)
		})
	}
	wg.Wait()
	s.wg.Wait()
	calls, err := os.ReadFile(count)
	require.NoError(t, err)
	require.Equal(t, "-P 5099 start-server\n", string(calls))
}

type dialerFunc func(ctx context.Context, network, addr string) (net.Conn, error)

func (f dialerFunc) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return f(ctx, network, addr)
}
