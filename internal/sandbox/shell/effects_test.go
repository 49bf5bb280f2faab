package shell_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

// find returns the node whose resource id ends with id.
func find(t testing.TB, phone *sandbox.Simulator, id string) *sandbox.Node {
	t.Helper()
	root := phone.Screen.UITree()
	n := root.Find(func(n *sandbox.Node) bool { return strings.HasSuffix(n.ResourceID, ":id/"+id) })
	require.NotNil(t, n, "no %s on the screen", id)
	return n
}

// newNote opens an empty note with the focus in its text.
func newNote(t testing.TB, sh *shell.Shell) {
	t.Helper()
	phone := sh.Phone()
	phone.Apps.ForceStop("com.taploop.sandbox.notes")
	require.NoError(t, phone.Apps.Launch("com.taploop.sandbox.notes"))
	for _, id := range []string{"new_note", "edit_body"} {
		at := center(find(t, phone, id).Bounds)
		require.Zero(t, run(t, sh, fmt.Sprintf("input tap %d %d", at.X, at.Y)).code)
	}
}

func center(r image.Rectangle) image.Point { return r.Min.Add(r.Max).Div(2) }

func TestInputTextTypesIntoTheFocusedField(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"input text hello", "hello"},
		{"input text 'two%swords%s'", "two words "},
		{`input text '100% $(id) ` + "`id`" + ` "q" \\ ; & | <x> * ? ~ #'`, `100% $(id) ` + "`id`" +
			` "q" \\ ; & | <x> * ? ~ #`},
		{"input text 'it'\\''s'", "it's"},
		{"input keyboard text a; input text b; input keyevent KEYCODE_DEL 61 --longpress", "a"},
		{"ime set com.android.adbkeyboard/.AdbIME >/dev/null; am broadcast -a ADB_INPUT_B64 " +
			"--es msg 5L2g5aW9 | grep -q result=-1", "你好"},
	} {
		t.Run(c.line, func(t *testing.T) {
			sh := newShell()
			newNote(t, sh)
			require.Equal(t, result{}, run(t, sh, c.line))
			require.Equal(t, c.want, find(t, sh.Phone(), "edit_body").Text)
		})
	}
}

func TestBothFormsOfACaptureShowTheSamePicture(t *testing.T) {
	sh := newSmall()
	want := sh.Phone().Screenshot()
	raw := run(t, sh, "screencap").stdout
	require.Equal(t, "\x0e\x01\x00\x00\x58\x02\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00", raw[:16])
	require.Equal(t, string(want.Pix), raw[16:])
	img, err := png.Decode(strings.NewReader(run(t, sh, "screencap -p").stdout))
	require.NoError(t, err)
	require.Equal(t, want.Bounds(), img.Bounds())
	for _, p := range []image.Point{{0, 0}, {135, 300}, {269, 599}} {
		require.Equal(t, want.RGBAAt(p.X, p.Y), want.ColorModel().Convert(img.At(p.X, p.Y)))
	}
	require.Zero(t, run(t, sh, "screencap /sdcard/raw; screencap -p > /sdcard/x.png").code)
	file, err := sh.Phone().Files().Read("/sdcard/raw")
	require.NoError(t, err)
	require.Equal(t, raw, string(file))
	file, err = sh.Phone().Files().Read("/sdcard/x.png")
	require.NoError(t, err)
	_, err = png.Decode(bytes.NewReader(file))
	require.NoError(t, err)
}

func TestAFullStorageIsReported(t *testing.T) {
	sh := newShell()
	require.NoError(t, sh.Phone().Files().Write("/sdcard/a", make([]byte, 60<<20)))
	require.Equal(t, result{}, run(t, sh, "cat /sdcard/a > /sdcard/b"))
	r := run(t, sh, "cat /sdcard/a > /sdcard/e || echo full")
	require.Equal(t, result{"full\n", "cat: write: No space left on device\n", 0}, r)
}

func BenchmarkTrue(b *testing.B) {
	sh := newShell()
	for b.Loop() {
		require.Zero(b, sh.Run(b.Context(), "true", nil, io.Discard, os.Stderr))
	}
}

func BenchmarkScreencap(b *testing.B) {
	sh := newShell()
	for _, line := range []string{"screencap", "screencap -p"} {
		b.Run(line, func(b *testing.B) {
			for b.Loop() {
				require.Zero(b, sh.Run(b.Context(), line, nil, io.Discard, os.Stderr))
			}
		})
	}
}

func TestGeteventTellsOfFingersAndOfNothingInjected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sh := newShell()
		const line = "timeout 10 getevent -lv1 -c 1"
		told := make(chan result, 1)
		go func() { told <- run(t, sh, line) }()
		synctest.Wait()
		require.Equal(t, result{}, run(t, sh, "input tap 100 200"))
		synctest.Wait()
		require.Empty(t, told)
		sh.Phone().Touch.Finger(100, 200)
		require.Equal(t, result{stdout: "/dev/input/event2: " +
			"EV_ABS       ABS_MT_TRACKING_ID   00000001\n"}, <-told)
		require.Equal(t, result{code: 124}, run(t, sh, line), "nobody touches it")
		go func() { told <- run(t, sh, "getevent -lv1 -c 3") }()
		synctest.Wait()
		sh.Phone().Touch.Finger(16, 32)
		require.Equal(t, "/dev/input/event2: EV_ABS       ABS_MT_TRACKING_ID   00000001\n"+
			"/dev/input/event2: EV_ABS       ABS_MT_POSITION_X    00000010\n"+
			"/dev/input/event2: EV_ABS       ABS_MT_POSITION_Y    00000020\n", (<-told).stdout)
	})
}
