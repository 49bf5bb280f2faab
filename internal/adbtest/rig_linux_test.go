package adbtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// adbdshim writes a command of the phone as a script and returns its folder.
func adbdshim(t *testing.T, name, script string) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/system/bin/sh\n"+script),
		0o755))
	return dir
}

func TestAStandInAnswersThroughTheRealServerAndDaemon(t *testing.T) {
	dir := adbdshim(t, "input", `echo "out $1 $TAPLOOP_SANDBOX_SOCKET"; echo "err $2" >&2; exit 7`)
	rig := Start(t, &Options{Phones: []Daemon{{Standins: dir,
		Env: []string{"TAPLOOP_SANDBOX_SOCKET=/run/phone"}}}})

	stdout, stderr, code := rig.ADB("shell", "input", "tap", "'two words'")
	require.Equal(t, "out tap /run/phone\n", stdout)
	require.Equal(t, "err two words\n", stderr)
	require.Equal(t, 7, code)
}

func TestThePhoneHasAndroidsShellAndFolders(t *testing.T) {
	rig := Start(t, nil)
	run := func(line string) string {
		stdout, stderr, code := rig.ADB("shell", line)
		require.Zero(t, code, stderr)
		return strings.TrimSpace(stdout)
	}

	require.Contains(t, run("echo $KSH_VERSION"), "MIRBSD KSH")
	require.Equal(t, "/system/bin/ls", run("which ls"))
	require.Contains(t, run("toybox --version"), "toybox")
	require.Empty(t, run("echo $GOPATH$"+envInside), "the test's environment reaches the phone")

	file := filepath.Join(t.TempDir(), "picture")
	require.NoError(t, os.WriteFile(file, []byte("bytes\x00\r\n"), 0o644))
	_, stderr, code := rig.ADB("push", file, "/sdcard/picture")
	require.Zero(t, code, stderr)
	raw, stderr, code := rig.ADB("exec-out", "cat /sdcard/picture; rm /sdcard/picture")
	require.Zero(t, code, stderr)
	require.Equal(t, "bytes\x00\r\n", raw)
}

func TestEachPhoneHasItsOwnEnvironment(t *testing.T) {
	rig := Start(t, &Options{Phones: []Daemon{{Env: []string{"WHO=one"}},
		{Env: []string{"WHO=two"}}}})

	require.Len(t, rig.Serials, 2)
	for i, want := range []string{"one\n", "two\n"} {
		got, _, _ := rig.ADB("-s", rig.Serials[i], "shell", "echo $WHO")
		require.Equal(t, want, got)
	}
}

func TestAKilledPhoneIsOfflineUntilItIsRestarted(t *testing.T) {
	rig := Start(t, nil)

	rig.Kill(rig.Serials[0])
	_, stderr, code := rig.ADB("shell", "true")
	require.Contains(t, stderr, "device offline")
	require.Equal(t, 1, code)

	rig.Restart(rig.Serials[0])
	_, stderr, code = rig.ADB("shell", "true")
	require.Zero(t, code, stderr)
}

func TestAHungPhoneAnswersNothingUntilItIsResumed(t *testing.T) {
	rig := Start(t, nil)

	rig.Hang(rig.Serials[0])
	tired := errors.New("no answer")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, tired)
	defer cancel()
	_, _, _, err := rig.server.run(ctx, []string{"shell", "true"})
	require.ErrorIs(t, err, tired)
	rig.WaitState(rig.Serials[0], "device") // a phone that hangs is still connected

	rig.Resume(rig.Serials[0])
	_, stderr, code := rig.ADB("shell", "true")
	require.Zero(t, code, stderr)
}

func TestABannerIsTheStateThatTheServerLists(t *testing.T) {
	rig := Start(t, &Options{Phones: []Daemon{{Banner: "recovery"}, {}}})

	list, _, _ := rig.ADB("devices")
	require.Equal(t,
		"List of devices attached\n"+rig.Serials[0]+"\trecovery\n"+rig.Serials[1]+"\tdevice\n\n",
		list)
}
