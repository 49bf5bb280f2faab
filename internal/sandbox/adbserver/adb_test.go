package adbserver_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

// adb runs the real adb binary against the endpoint.
type adb struct {
	*endpoint
	rig  *adbtest.Rig
	port string
}

func realADB(t *testing.T) *adb {
	t.Helper()
	rig := adbtest.Start(t, nil)
	e := serve(t)
	_, port, err := net.SplitHostPort(e.addr)
	require.NoError(t, err)
	return &adb{e, rig, port}
}

func (a *adb) run(args ...string) (stdout, stderr string, code int) {
	a.t.Helper()
	return a.rig.ADB(append([]string{"-P", a.port}, args...)...) // the last port counts
}

func TestTheRealADBUsesThePhone(t *testing.T) {
	a := realADB(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "pulled")
	content := strings.Repeat("bytes\x00\r\n\xff", 20_000)
	require.NoError(t, a.phone.Files().Write("/sdcard/DCIM/file", []byte(content)))

	for _, c := range []struct {
		args           []string
		stdout, stderr string // what they contain
		code           int
	}{
		{[]string{"start-server"}, "", "", 0},
		{[]string{"devices"}, "List of devices attached\nsandbox-1\tdevice\n", "", 0},
		{[]string{"devices", "-l"}, "sandbox-1              device usb:1-1 " +
			"product:taploop_sandbox model:taploop_sandbox device:sandbox transport_id:1\n", "", 0},
		{[]string{"get-state"}, "device\n", "", 0},
		{[]string{"get-serialno"}, "sandbox-1\n", "", 0},
		{[]string{"wait-for-device"}, "", "", 0},
		{[]string{"wait-for-usb-device", "shell", "echo", "there"}, "there\n", "", 0},
		{[]string{"features"}, "shell_v2\ncmd\n", "", 0},
		{[]string{"shell", "echo out; echo err >&2; exit 7"}, "out\n", "err\n", 7},
		{[]string{"shell", "-x", "echo old; exit 7"}, "old\n", "", 0},
		{[]string{"-d", "shell", "true"}, "", "", 0},
		{[]string{"-s", "nope", "shell", "true"}, "", "device 'nope' not found", 1},
		{[]string{"-t", "1", "shell", "echo by id"}, "by id\n", "", 0},
		{[]string{"shell", "input", "tap", "5"}, "", "Argument expected after \"5\"", 255},
		{[]string{"shell"}, "", "", 0}, // its stdin is at its end
		{[]string{"exec-out", "cat /sdcard/DCIM/file"}, content, "", 0},
		{[]string{"pull", "/sdcard/DCIM/file", file}, "1 file pulled", "", 0},
		{[]string{"pull", "/sdcard/DCIM/file", dir}, "1 file pulled", "", 0},
		{[]string{"pull", "/sdcard/nope", dir}, "'/sdcard/nope' does not exist", "", 1},
		{[]string{"push", file, "/sdcard/file"}, "1 file pushed", "", 0},
		{[]string{"exec-out", "cat /sdcard/file"}, content, "", 0},
		{[]string{"shell", "uiautomator dump && cat /sdcard/window_dump.xml"},
			"UI hierchary dumped to: /sdcard/window_dump.xml\n<?xml", "", 0},
		{[]string{"pull", "/sdcard/window_dump.xml", dir}, "1 file pulled", "", 0},
		{[]string{"reboot"}, "", "closed", 1},
		{[]string{"kill-server"}, "", "", 0},
		{[]string{"get-state"}, "device\n", "", 0}, // it is still there
	} {
		stdout, stderr, code := a.run(c.args...)
		require.Contains(t, stdout, c.stdout, "adb %q: %s", c.args, stderr)
		require.Contains(t, stderr, c.stderr, "adb %q", c.args)
		require.Equal(t, c.code, code, "adb %q: %s%s", c.args, stdout, stderr)
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, content, string(got))
}

func TestTheRealADBGetsTheWholeFrame(t *testing.T) {
	a := realADB(t)
	a.Attach("full", shell.New(sandbox.New(nil)))
	stdout, stderr, code := a.run("-s", "full", "exec-out", "screencap")
	require.Zero(t, code, stderr)
	require.Len(t, stdout, 16+1080*2400*4)
	stdout, _, _ = a.run("-s", "full", "shell", "screencap -p")
	require.True(t, strings.HasPrefix(stdout, "\x89PNG\r\n\x1a\n"))
}

func TestTheRealADBShowsAPhonesTroubles(t *testing.T) {
	a := realADB(t)
	for state, says := range map[string]string{
		adbserver.StateOffline:      "device offline",
		adbserver.StateUnauthorized: "device unauthorized.",
	} {
		require.NoError(t, a.SetState(serial, state))
		_, stderr, code := a.run("shell", "true")
		require.Contains(t, stderr, says)
		require.Equal(t, 1, code)
		stdout, _, _ := a.run("devices")
		require.Contains(t, stdout, "sandbox-1\t"+state)
	}
}
