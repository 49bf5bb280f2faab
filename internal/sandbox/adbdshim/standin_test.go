package adbdshim_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbdshim"
	"github.com/taploop/taploop/internal/sandbox/adbdshim/standin"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

// TestMain makes the test binary the multi-call binary, too: under another name it is that command.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); !strings.HasSuffix(name, ".test") {
		// at once: a race detector would wait for a second
		syscall.Exit(standin.Main(name, os.Args[1:]))
	}
	goleak.VerifyTestMain(adbtest.Inside(m))
}

var morning = time.Date(2026, 3, 14, 7, 15, 0, 0, time.UTC)

// bench is a phone behind a socket, and a folder with its stand-ins.
type bench struct {
	t      testing.TB
	phone  *sandbox.Simulator
	sh     *shell.Shell
	dir    string
	socket string
	stop   func()
}

func setUp(t testing.TB, size image.Point) *bench {
	t.Helper()
	still := 0.0
	phone := sandbox.New(&sandbox.Options{Size: size, Now: func() time.Time { return morning },
		AnimationScale: &still})
	b := &bench{t: t, phone: phone, sh: shell.New(phone), dir: t.TempDir()}
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, adbdshim.Install(b.dir, self))
	b.socket = filepath.Join(t.TempDir(), "s")
	ln, err := adbdshim.Listen(b.socket)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- adbdshim.Serve(ctx, ln, b.sh) }()
	b.stop = func() {
		cancel()
		require.NoError(t, <-done)
		done <- nil
	}
	t.Cleanup(b.stop)
	return b
}

func (b *bench) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.t.Context(), filepath.Join(b.dir, name), args...)
	cmd.Env = []string{adbdshim.Env + "=" + b.socket}
	cmd.Dir = b.dir
	return cmd
}

type result struct {
	stdout, stderr string
	code           int
}

func run(t testing.TB, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		require.NoError(t, exit)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

var small = image.Pt(270, 600)

func TestAStandInIsTheCommandOfThePhone(t *testing.T) {
	b := setUp(t, small)
	require.Equal(t, result{"Physical size: 270x600\n", "", 0}, run(t, b.command("wm", "size")))
	require.Equal(t, result{"", "Error: bad size a b\n", 255},
		run(t, b.command("wm", "size", "a b")))
	const nasty = "\xff$(id) %s"
	require.Equal(t, result{"", "Error: bad size " + nasty + "\n", 255},
		run(t, b.command("wm", "size", nasty)))
	raw := run(t, b.command("screencap")).stdout
	require.Equal(t, string(b.phone.Screenshot().Pix), raw[16:])
}

func TestStdinIsLeftAlone(t *testing.T) {
	b := setUp(t, small)
	stdin, feed, err := os.Pipe()
	require.NoError(t, err)
	defer stdin.Close()
	_, err = feed.WriteString("for the next command")
	require.NoError(t, err)
	require.NoError(t, feed.Close())
	cmd := b.command("wm", "size")
	cmd.Stdin = stdin
	require.Zero(t, run(t, cmd).code)
	rest, err := io.ReadAll(stdin)
	require.NoError(t, err)
	require.Equal(t, "for the next command", string(rest))
}

func TestFilesAreWrittenByTheStandIn(t *testing.T) {
	b := setUp(t, small)
	require.Equal(t, result{}, run(t, b.command("screencap", "here.png")))
	got, err := os.ReadFile(filepath.Join(b.dir, "here.png"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(got), "\x89PNG"))
	require.Equal(t, result{"", "Error opening file: /no/such/x (No such file or directory)\n", 1},
		run(t, b.command("screencap", "/no/such/x")))
	require.Equal(t, result{"", "Error opening file: . (Is a directory)\n", 1},
		run(t, b.command("screencap", ".")))
}

func TestAMissingPhoneIsReported(t *testing.T) {
	b := setUp(t, small)
	cmd := b.command("input", "tap", "1", "1")
	cmd.Env = nil
	r := run(t, cmd)
	require.Equal(t, 126, r.code)
	require.Equal(t, "input: no simulated phone: set TAPLOOP_SANDBOX_SOCKET to the socket of a "+
		"running taploop sandbox\n", r.stderr)

	b.stop()
	r = run(t, b.command("input", "tap", "1", "1"))
	require.Equal(t, 126, r.code)
	require.Contains(t, r.stderr, "input: the simulated phone cannot be reached "+
		"(dial unix "+b.socket)
	require.Contains(t, r.stderr, "is the taploop sandbox behind TAPLOOP_SANDBOX_SOCKET running?")
}

func TestAPhoneThatEndsBreaksOff(t *testing.T) {
	b := setUp(t, small)
	b.stop()
	ln, err := adbdshim.Listen(b.socket)
	require.NoError(t, err)
	defer ln.Close()
	ended := make(chan error, 1)
	go func() {
		c, err := ln.Accept()
		if err == nil {
			_, err = io.ReadFull(c, make([]byte, 5)) // it has been asked
			_ = c.Close()
		}
		ended <- err
	}()
	r := run(t, b.command("wm", "size"))
	require.NoError(t, <-ended)
	require.Equal(t, 126, r.code)
	require.Contains(t, r.stderr, "wm: the simulated phone broke off")
}

func TestNonsenseOnTheSocketIsPassedOver(t *testing.T) {
	b := setUp(t, small)
	for _, sent := range []string{"", "x", "GET / HTTP/1.1\r\n\r\n", "A\xff\xff\xff\xff",
		"A\x04\x00\x00\x00\xff\xff\xff\xff", "A\x00\x00\x00\x00", "I\x00\x00\x00\x00"} {
		c, err := net.Dial("unix", b.socket)
		require.NoError(t, err)
		_, err = io.WriteString(c, sent)
		require.NoError(t, err)
		require.NoError(t, c.(*net.UnixConn).CloseWrite())
		require.NoError(t, c.SetReadDeadline(patient.Deadline()))
		answer, err := io.ReadAll(c)
		require.Empty(t, answer, "%q", sent)
		require.False(t, os.IsTimeout(err))
		require.NoError(t, c.Close())
	}
	require.Zero(t, run(t, b.command("wm", "size")).code)
}

func TestTheSocketIsItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ln, err := adbdshim.Listen(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.ModeSocket|0o600, info.Mode())
	_, err = adbdshim.Listen(path)
	require.ErrorContains(t, err, "address already in use")
	require.NoError(t, ln.Close())
	_, err = os.Stat(path)
	require.ErrorIs(t, err, os.ErrNotExist)

	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	stale.SetUnlinkOnClose(false)
	require.NoError(t, stale.Close())
	ln, err = adbdshim.Listen(path)
	require.NoError(t, err, "a socket without a listener is replaced")
	require.NoError(t, ln.Close())

	require.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
	_, err = adbdshim.Listen(path)
	require.ErrorContains(t, err, "no socket")
	_, err = adbdshim.Listen(filepath.Join(t.TempDir(), "no", "s"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestInstallMakesALinkPerCommandAndSparesFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, adbdshim.Install(dir, "/opt/one"))
	require.NoError(t, adbdshim.Install(dir, "/opt/two"))
	for _, name := range adbdshim.Names() {
		target, err := os.Readlink(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, "/opt/two", target)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "wm")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "wm"), nil, 0o644))
	require.ErrorContains(t, adbdshim.Install(dir, "/opt/three"), "wm is there and no link")
	require.Error(t, adbdshim.Install(filepath.Join(dir, "no"), "/opt/one"))
}
