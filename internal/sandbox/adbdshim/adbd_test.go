package adbdshim_test

import (
	"context"
	"fmt"
	"image"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbdshim"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
)

// real is a phone under the real adb server, adbd and shell.
type real struct {
	*bench
	*adbtest.Rig
}

func underADBD(t *testing.T, size image.Point) *real {
	t.Helper()
	b := setUp(t, size)
	rig := adbtest.Start(t, &adbtest.Options{Phones: []adbtest.Daemon{{Standins: b.dir,
		Env: []string{adbdshim.Env + "=" + b.socket}}}})
	return &real{b, rig}
}

func (r *real) shell(line string) result {
	r.t.Helper()
	stdout, stderr, code := r.ADB("shell", line)
	return result{stdout, stderr, code}
}

func TestTheRealShellRunsThePhonesCommands(t *testing.T) {
	r := underADBD(t, small)
	require.Equal(t, result{"Physical size: 270x600\n", "", 0}, r.shell("wm size"))
	require.Equal(t, result{"", "Error: bad size 7\n", 255}, r.shell("wm size 7"))
	require.Equal(t, result{"yes\n", "", 0}, r.shell("input keyevent HOME && echo yes"))
	require.Equal(t, result{"  mWakefulness=Asleep\n", "", 0},
		r.shell("input keyevent 26; dumpsys power | grep mWakefulness="))
	require.False(t, r.phone.Lock.On())
	got := r.shell("input tap 5")
	require.Equal(t, 255, got.code)
	require.Contains(t, got.stderr, "\nException occurred while executing "+
		"'tap':\njava.lang.IllegalArgumentException: Argument expected after \"5\"\n")
	require.Equal(t, "1 2 \n",
		r.shell("printf '1\\n2\\n' | while read n; do wm density >/dev/null; "+
			"printf \"$n \"; done; echo").stdout, "stdin stays the loop's")
}

// TestBothWaysGiveTheSame runs lines through the real daemon and through the endpoint, on the same
// phone.
func TestBothWaysGiveTheSame(t *testing.T) {
	r := underADBD(t, image.Point{})
	port := r.endpoint()
	for _, line := range []string{
		"wm size; wm density; wm nope", "dumpsys window",
		"dumpsys power; dumpsys display; dumpsys battery", "getprop", "getprop nope",
		"pm list packages -f", "cmd package resolve-activity --brief com.android.settings",
		"cmd nope; echo $?", "am start -n com.x/.Y; echo $?",
		"settings list global", "ime list -s", "input", "input text ''", "input text",
		"monkey -p com.x 1; echo $?", "uiautomator dump /dev/tty",
		"screencap -x; echo $?", "input keyevent HOME 2>&1; echo $?",
	} {
		want := r.shell(line)
		stdout, stderr, code := r.ADB("-P", port, "-s", "endpoint", "shell", line)
		require.Equal(t, want, result{stdout, stderr, code}, line)
	}
	for _, line := range []string{"screencap", "screencap -p"} {
		want, _, _ := r.ADB("exec-out", line)
		got, _, _ := r.ADB("-P", port, "-s", "endpoint", "exec-out", line)
		require.Greater(t, len(want), 1000)
		require.True(t, want == got, "%s: %d and %d bytes", line, len(want), len(got))
	}
}

// endpoint serves the same phone without adbd and returns the port.
func (r *real) endpoint() string {
	r.t.Helper()
	s := adbserver.New()
	s.Attach("endpoint", r.sh)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(r.t, err)
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- s.Serve(ctx, ln) }()
	r.t.Cleanup(func() {
		cancel()
		require.NoError(r.t, <-done)
	})
	_, port, err := net.SplitHostPort(ln.Addr().String())
	require.NoError(r.t, err)
	return port
}

func TestWhatIsWrittenUnderTheRealDaemonCanBePulled(t *testing.T) {
	r := underADBD(t, small)
	dir := t.TempDir()
	require.Equal(t, result{"UI hierchary dumped to: /sdcard/window_dump.xml\n", "", 0},
		r.shell("uiautomator dump"))
	require.Zero(t, r.shell("cd /sdcard && screencap -p shot && screencap raw").code)
	for file, want := range map[string]string{"window_dump.xml": string(r.phone.Screen.DumpXML()),
		"shot": "", "raw": ""} {
		_, stderr, code := r.ADB("pull", "/sdcard/"+file, dir)
		require.Zero(t, code, stderr)
		got, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		if want != "" {
			require.Equal(t, want, string(got))
		}
		require.Greater(t, len(got), 100)
	}
	require.Equal(t, result{"", "Error opening file: /nope/x (No such file or directory)\n", 1},
		r.shell("screencap /nope/x"))
}

// nasty are texts that a shell, a percent sign or a protocol could change on their way.
var nasty = []string{
	"plain", "two words", "  leading and trailing  ", "it's", `"quoted"`, `'"'"'`, "`id`", "$(id)",
	"${HOME}", "$HOME", "$$", "a;id", "a&&id", "a||id", "a|id", "a&",
	"> /sdcard/x", "< /etc/passwd", "*", "?", "[a-z]", "{a,b}", "{1..3}", "~", "~root", "#comment",
	`back\slash`, `\n`, `\\`, `trailing\`, "!history", "!!", "^a^b",
	"100%", "%d%n%x", "% s", "%%", "a=b", "--longpress", "-d 0", "(sub)", "a,b;c:d", "@file",
	"line\nbreak", "tab\there", "\\x41\\u0041", "😀 is refused by a key map",
	"$'\\x41'", "<(id)", "a\\\nb", "%sspace", "-", "--", "=", "\"; input keyevent 26; \"",
}

// quote is a word for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func find(t *testing.T, phone *sandbox.Simulator, id string) *sandbox.Node {
	t.Helper()
	root := phone.Screen.UITree()
	n := root.Find(func(n *sandbox.Node) bool { return strings.HasSuffix(n.ResourceID, ":id/"+id) })
	require.NotNil(t, n, "no %s on the screen", id)
	return n
}

func TestNastyTextsArriveExactlyThroughTheRealShell(t *testing.T) {
	require.GreaterOrEqual(t, len(nasty), 40)
	r := underADBD(t, image.Point{})
	for _, text := range nasty {
		r.phone.Apps.ForceStop("com.taploop.sandbox.notes")
		require.NoError(t, r.phone.Apps.Launch("com.taploop.sandbox.notes"))
		for _, id := range []string{"new_note", "edit_body"} {
			at := find(t, r.phone, id).Bounds
			r.phone.Touch.Tap((at.Min.X+at.Max.X)/2, (at.Min.Y+at.Max.Y)/2)
		}
		before := find(t, r.phone, "edit_body").Text
		got := r.shell("input text " + quote(text))
		want := strings.ReplaceAll(text, "%s", " ") // Android's own rule
		if strings.ContainsFunc(text, func(c rune) bool { return c > '~' }) {
			require.Equal(t, 255, got.code, text)
			want = before
		} else {
			require.Equal(t, result{}, got, text)
		}
		require.Equal(t, want, find(t, r.phone, "edit_body").Text, "typed %q", text)
		require.True(t, r.phone.Lock.On())
	}
}

func BenchmarkStandInCapture(b *testing.B) {
	bench := setUp(b, image.Point{})
	for b.Loop() {
		cmd := bench.command("screencap")
		out, err := cmd.StdoutPipe()
		require.NoError(b, err)
		require.NoError(b, cmd.Start())
		n, err := io.Copy(io.Discard, out)
		require.NoError(b, err)
		require.NoError(b, cmd.Wait())
		require.Equal(b, "10368016", fmt.Sprint(n))
	}
}
