package device

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

var (
	landscape = map[string]string{"dumpsys window displays": "  Display: mDisplayId=0\n    " +
		"init=108x240 420dpi cur=240x108 app=240x108\n  DisplayRotation\n    mRotation=1\n"}
	corner = screen.Point{X: 1, Y: 1}
	middle = screen.Point{X: 0.5, Y: 0.5}
)

func TestEveryVerbCountsInPixelsOfTheDisplayAsItIsTurned(t *testing.T) {
	w := &wirePhones{shell: ordinary(landscape), exec: shows(upright.Turned(), white, 0, 0)}
	p := w.open(t)
	_, err := p.Look(t.Context())
	require.NoError(t, err)
	w.asked()
	for want, do := range map[string]func() error{
		"input tap 120 54": func() error {
			return p.Tap(t.Context(), middle)
		},
		"input tap 239 107 && input tap 239 107": func() error {
			return p.DoubleTap(t.Context(), corner)
		},
		"input swipe 0 0 0 0 2000": func() error {
			return p.LongPress(t.Context(), screen.Point{}, 2*time.Second)
		},
		"input swipe 120 54 239 107 300": func() error {
			return p.Swipe(t.Context(), middle, corner, 300*time.Millisecond)
		},
		"input swipe 120 54 239 107 1": func() error {
			return p.Swipe(t.Context(), middle, corner, 0)
		},
		"input draganddrop 120 54 239 107 1500": func() error {
			return p.Drag(t.Context(), middle, corner)
		},
		"input keyevent 187": func() error {
			return p.Key(t.Context(), actions.KeyRecents)
		},
	} {
		require.NoError(t, do())
		require.Equal(t, []string{"shell,v2,raw:" + want}, w.asked())
	}
}

func TestATouchBeforeAnyLookReadsTheSizeOnce(t *testing.T) {
	w := &wirePhones{shell: ordinary(landscape)}
	p := w.open(t)
	require.NoError(t, p.Tap(t.Context(), corner))
	require.NoError(t, p.Tap(t.Context(), corner))
	asked := w.asked()
	require.Len(t, asked, 3)
	require.Equal(t, "shell,v2,raw:input tap 239 107", asked[2])
}

func TestAPointBeyondTheScreenNeverReachesThePhone(t *testing.T) {
	w := &wirePhones{shell: ordinary(nil)}
	p := w.open(t)
	err := p.Swipe(t.Context(), middle, screen.Point{X: 1.2, Y: 0.5}, time.Second)
	require.EqualError(t, err, "swiping on emu: the point (1.200,0.500) is not on the screen (0 "+
		"to 1 on each axis)")
	require.Empty(t, w.asked())
}

func TestARefusedTouchIsAnErrorWithTheHint(t *testing.T) {
	for name, c := range map[string]struct {
		out, err   string
		code       int
		want, hint string
	}{
		"Xiaomi blocks input": {err: "java.lang.SecurityException: Injecting input events " +
			"requires the caller (or the source of the instrumentation, if any) to have the " +
			"INJECT_EVENTS permission.\n\tat " +
			"android.os.Parcel.createExceptionOrNull(Parcel.java:3057)\n",
			code: 255, want: "the phone refused: java.lang.SecurityException",
			hint: "USB debugging (Security settings)"},
		"an old phone says it with exit code 0": {out: "Error: Injecting to another application " +
			"requires INJECT_EVENTS permission\n", want: "INJECT_EVENTS",
			hint: "Security settings"},
		"usage": {out: "Usage: input [<source>] <command> " +
			"[<arg>...]\n", want: "the phone refused: Usage: input"},
		"no such command": {err: "/system/bin/sh: input: inaccessible or " +
			"not found\n", code: 127, want: "inaccessible or not found"},
		"killed without a word": {code: 137,
			want: `before it was through (exit code 137, "")`},
		"failed without a word": {code: 1, want: "the phone refused with exit code 1"},
		"some other words": {err: "\ncmd: Can't find service: input\n",
			code: 20, want: "the phone refused: cmd: Can't find service: input"},
		"a linker's warning is no refusal": {err: "WARNING: linker: libdvm.so has text " +
			"relocations. This is wasting memory.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &wirePhones{shell: ordinary(nil)}
			p := w.open(t)
			require.NoError(t, p.Tap(t.Context(), middle))
			w.shell = func(string, string) (string, string, int) { return c.out, c.err, c.code }
			err := p.Tap(t.Context(), middle)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "tapping emu: ")
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
			require.Contains(t, hint.Of(err), c.hint)
		})
	}
}

func TestAPhoneWithoutDragAndDropGetsASlowSwipe(t *testing.T) {
	w := &wirePhones{}
	w.shell = func(serial, command string) (string, string, int) {
		if strings.HasPrefix(command, "input draganddrop") {
			return "", "Error: Unknown command: draganddrop\nUsage: input [<source>] <command>\n", 0
		}
		return ordinary(nil)(serial, command)
	}
	p := w.open(t)
	require.NoError(t, p.Tap(t.Context(), middle))
	w.asked()
	require.NoError(t, p.Drag(t.Context(), middle, corner))
	require.NoError(t, p.Drag(t.Context(), middle, corner))
	require.Equal(t, []string{
		"shell,v2,raw:input draganddrop 54 120 107 239 1500",
		"shell,v2,raw:input swipe 54 120 107 239 1500",
		"shell,v2,raw:input swipe 54 120 107 239 1500",
	}, w.asked(), "it is tried once")
}

func TestAKeyThatIsNoneIsRefused(t *testing.T) {
	w := &wirePhones{shell: ordinary(nil)}
	p := w.open(t)
	require.EqualError(t, p.Key(t.Context(), "warp; reboot"),
		`pressing a key on emu: there is no key "warp; reboot"`)
	require.Empty(t, w.asked())
}
