package shell_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

// secret is in a file and in the environment of the host while these tests run; no line may ever
// print it.
const secret = "s3cr3t-of-the-host"

// host is a folder of the machine with a secret, and what it held before.
type host struct {
	dir    string
	before []string
}

func newHost(t testing.TB) host {
	t.Helper()
	h := host{dir: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, "secret"), []byte("echo "+secret+"\n"),
		0o755))
	h.before = h.names(t)
	return h
}

func (h host) names(t testing.TB) []string {
	t.Helper()
	var out []string
	require.NoError(t, filepath.WalkDir(h.dir, func(path string, _ os.DirEntry, err error) error {
		out = append(out, path)
		return err
	}))
	return out
}

func TestNoLineReachesTheHost(t *testing.T) {
	t.Setenv("TAPLOOP_TEST_SECRET", secret)
	h := newHost(t)
	t.Setenv("TMPDIR", h.dir)
	t.Setenv("PATH", h.dir+":"+os.Getenv("PATH"))
	t.Chdir(h.dir)
	for _, line := range []string{
		"cat SECRET", "cat < SECRET", "read x < SECRET; echo $x", "echo $(<SECRET)", ". SECRET",
		"source SECRET", "sh SECRET",
		"SECRET", "exec SECRET", "secret", "./secret", "command secret", "/bin/sh SECRET",
		"/bin/sh -c 'cat SECRET'", "env", "set",
		"echo $TAPLOOP_TEST_SECRET", "export -p", "cat DIR/*", "echo DIR/*",
		"cd DIR; cat secret; ls; echo *", "ls DIR", "ls -la DIR/..",
		"[ -e SECRET ] && echo " + secret, "[[ -e SECRET ]] && echo " + secret,
		"[ -x SECRET ] && echo " + secret, "[[ -O SECRET ]] && echo " + secret,
		"test -d DIR && echo " + secret, "type secret | grep DIR && echo " + secret,
		"command -v secret && echo " + secret,
		"hash secret && echo " + secret, "cat <(cat SECRET)", "eval 'cat <(cat SECRET)'",
		"trap '. SECRET' EXIT", "echo x | tee SECRET",
		"echo x > SECRET", "echo x >> SECRET", "echo x > DIR/new", "echo x > new",
		": > DIR/sh-interp-1", "cat DIR/sh-interp-1",
		"echo x &> DIR/new", "echo x >| DIR/new", "cat <> DIR/new", "mkdir DIR/new",
		"touch DIR/new", "rm SECRET", "rm -rf DIR", "mv SECRET DIR/new",
		"cp SECRET /sdcard/x; cat /sdcard/x", "screencap DIR/new", "screencap -p DIR/new.png",
		"uiautomator dump DIR/new.xml",
		"export TMPDIR=DIR; cat <(echo)", "export PATH=DIR; secret", "PATH=DIR secret",
		"alias x=SECRET; x", "pushd DIR && cat secret",
		"mapfile x < SECRET; echo $x", "cat <<< $(cat SECRET)", "cat <<E\n$(cat SECRET)\nE",
		"exec 3<SECRET; cat <&3", "coproc cat SECRET",
		"f() { . SECRET; }; f", "cd ~root; cat .profile", "shopt -s expand_aliases",
		"enable -f SECRET x", "base64 SECRET | base64 -d",
		"grep . SECRET", "head SECRET", "tail SECRET", "wc SECRET | grep 1 && echo " + secret,
		"am start -d $(cat SECRET)", "getprop $(cat SECRET)",
	} {
		line = strings.ReplaceAll(strings.ReplaceAll(line, "SECRET", h.dir+"/secret"), "DIR", h.dir)
		r := run(t, newSmall(), line)
		require.NotContains(t, r.stdout+r.stderr, secret, "line: %s", line)
		require.Equal(t, h.before, h.names(t), "line: %s", line)
	}
	text, err := os.ReadFile(h.dir + "/secret")
	require.NoError(t, err)
	require.Equal(t, "echo "+secret+"\n", string(text))
}

func TestALineEndsWithItsContext(t *testing.T) {
	for _, line := range []string{
		"sleep 1000", "cat", "", "grep x", "sleep 1000 | sleep 1000", "cat | cat", "(sleep 1000)",
		"sleep 1000; echo after", "cat > /sdcard/x",
		"input swipe 1 1 2 2 2000000",
		"input draganddrop 1 1 2 2 2000000",
	} {
		t.Run(line, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			defer cancel()
			stdin, feed := io.Pipe()
			defer context.AfterFunc(ctx, func() { _ = feed.Close() })()
			began := time.Now()
			code := newSmall().Run(ctx, line, stdin, io.Discard, io.Discard)
			require.Less(t, time.Since(began), patient.Lid)
			require.NotZero(t, code)
		})
	}
}

func TestWithoutALineWhatComesInIsRun(t *testing.T) {
	var out bytes.Buffer
	typed := strings.NewReader("echo one\nexit 3\n")
	require.Equal(t, 3, newShell().Run(t.Context(), "", typed, &out, &out))
	require.Equal(t, "one\n", out.String())
}

func TestExecRunsOneCommandWithoutAShell(t *testing.T) {
	var saved []string
	sh := newSmall().In("/home/me", func(name string, data []byte) error {
		saved = append(saved, name)
		require.NotEmpty(t, data)
		return nil
	})
	exec := func(argv ...string) result {
		var out, errs bytes.Buffer
		code := sh.Exec(t.Context(), argv, &out, &errs)
		return result{out.String(), errs.String(), code}
	}
	require.Equal(t, result{"14\n", "", 0}, exec("getprop", "ro.build.version.release"))
	require.Equal(t, result{"Physical size: 270x600\n", "", 0}, exec("wm", "size"))
	require.Equal(t, result{"", "/system/bin/sh: nope: inaccessible or not found\n", 127},
		exec("nope"))
	require.Equal(t, 1, exec().code)
	require.Equal(t, result{"", "", 0}, exec("screencap", "shot.png"))
	require.Equal(t, result{"UI hierchary dumped to: /sdcard/window_dump.xml\n", "", 0},
		exec("uiautomator", "dump"))
	require.Equal(t, []string{"/home/me/shot.png", "/sdcard/window_dump.xml"}, saved)
}

func TestNamesAreAndroidsCommandsOnly(t *testing.T) {
	require.Equal(t, []string{
		"am", "cmd", "content", "date", "dumpsys", "getevent", "getprop", "ime", "input", "logcat",
		"monkey", "pkill", "pm", "screencap", "settings", "uiautomator", "wm",
	}, shell.Names())
}
