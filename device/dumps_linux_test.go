package device_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox"
)

// A uiautomator that never ends is ended by the phone, and the phone goes on.
func TestAnEndlessDumpDoesNotStayOnThePhone(t *testing.T) {
	r := newRigged(t)
	r.plug(t, 0, sandbox.Options{})
	host, err := device.NewHost(&device.Options{Server: r.Server, Timeout: 3 * time.Second,
		Getenv: func(string) string { return "" }})
	require.NoError(t, err)
	p, err := host.Open(t.Context(), r.Serials[0])
	require.NoError(t, err)
	_, err = p.Look(t.Context())
	require.NoError(t, err)

	stub := filepath.Join(r.dirs[0], "bin", "uiautomator")
	require.NoError(t, os.Remove(stub))
	const endless = "918273"
	require.NoError(t, os.WriteFile(stub, []byte("#!/bin/sh\nexec sleep "+endless+"\n"), 0o700))
	_, err = p.Elements(t.Context())
	require.ErrorIs(t, err, device.ErrSlowDump)
	require.Eventually(t, func() bool { return !running(t, endless) }, patient.Lid,
		20*time.Millisecond)
	_, err = p.Look(t.Context())
	require.NoError(t, err)
}

// Where uiautomator writes to files only, the file is for nobody else and does not stay.
func TestADumpThatGoesToAFileLeavesNothing(t *testing.T) {
	r := newRigged(t)
	r.plug(t, 0, sandbox.Options{})
	p := r.open(t, 0)
	dir := r.dirs[0]
	const tree = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>` +
		`<hierarchy rotation="0"><node text="One" class="android.widget.Button" ` +
		`clickable="true" enabled="true" bounds="[40,900][500,1000]" /></hierarchy>`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tree"), []byte(tree), 0o644))
	stub := filepath.Join(dir, "bin", "uiautomator")
	require.NoError(t, os.Remove(stub))
	require.NoError(t, os.WriteFile(stub, []byte("#!/bin/sh\nif [ $2 != /dev/tty ]; then cat "+dir+
		"/tree > $2 && ls -l $2 >> "+dir+"/log; fi\necho UI hierchary dumped to: $2\n"), 0o700))
	list, err := p.Elements(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "One", list[0].Text)
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	require.NoError(t, err)
	require.Regexp(t, `^-rw------- .* /data/local/tmp/taploop-\w+\.xml\n$`, string(log))
	left, stderr, code := r.ADB("-s", r.Serials[0], "shell", "ls /data/local/tmp")
	require.Zero(t, code, stderr)
	require.NotContains(t, left, "taploop-")
}

// running reports whether a process of this machine has that argument.
func running(t *testing.T, argument string) bool {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range lines {
		b, err := os.ReadFile(file) // a process that has ended has none
		if err == nil && strings.Contains(string(b), "sleep\x00"+argument) {
			return true
		}
	}
	return false
}
