package shell

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox"
)

func TestALineIsBounded(t *testing.T) {
	large := bytes.Repeat([]byte("a "), 1<<20)
	for _, c := range []struct{ name, line, says string }{
		{"its length", "echo " + strings.Repeat("x", maxSource), "longer than 65536 bytes"},
		{"what it keeps", "{ " + strings.Repeat("cat /sdcard/f; ", 70) + "} > /sdcard/x",
			"cat: write: No space left on device"},
		{"depth of its text", strings.Repeat("(", 201) + "true" + strings.Repeat(")", 190),
			"syntax error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sh := New(sandbox.New(nil))
			require.NoError(t, sh.save("/sdcard/f", large))
			var out, errs bytes.Buffer
			code := sh.Run(t.Context(), c.line, nil, &out, &errs)
			require.NotZero(t, code)
			require.Contains(t, errs.String(), c.says)
			require.Empty(t, out.String())
		})
	}
}

// What is small to write may not become large to hold.
func TestWhatALineTakesOfTheMemoryIsBounded(t *testing.T) {
	for name, line := range map[string]string{
		"long lines":  "cat /sdcard/f" + strings.Repeat(" | grep a", 30),
		"short lines": "cat /sdcard/l" + strings.Repeat(" | grep -v b", 30),
		"many files":  "cat" + strings.Repeat(" /sdcard/l", 30) + " | grep -v b",
		"stored":      strings.Repeat("cat /sdcard/f > /sdcard/g; ", 10),
		"appended":    strings.Repeat("cat /sdcard/f >> /sdcard/g; ", 4),
	} {
		t.Run(name, func(t *testing.T) {
			sh := New(sandbox.New(nil))
			run := func(line string) {
				sh.Run(t.Context(), line, nil, io.Discard, io.Discard)
			}
			require.NoError(t, sh.save("/sdcard/f", bytes.Repeat([]byte("a "), 1<<20)))
			require.NoError(t, sh.save("/sdcard/l", bytes.Repeat([]byte("a\n"), 1<<9)))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run(line)
			runtime.ReadMemStats(&after)
			spent := (after.TotalAlloc - before.TotalAlloc) >> 20
			require.Less(t, spent, uint64(300), "MB, freed ones included")
		})
	}
}

func TestADeepTextIsRefusedAndNotRun(t *testing.T) {
	sh := New(sandbox.New(nil))
	for _, opening := range []string{"(", "{ ", "$(", "echo $(", "if ", "! ", "$((", "[[ (", "a=(",
		"${a:-", "<<E", "f()"} {
		var errs bytes.Buffer
		line := strings.Repeat(opening, maxSource/len(opening))
		require.NotZero(t, sh.Run(t.Context(), line, nil, &errs, &errs), opening)
	}
}

// androidsRule is sendText of Android's input command, step by step over a buffer that shrinks.
func androidsRule(text string) string {
	buf := []rune(text)
	escaped := false
	for i := 0; i < len(buf); i++ {
		if escaped {
			escaped = false
			if buf[i] == 's' {
				buf[i] = ' '
				i--
				buf = append(buf[:i], buf[i+1:]...)
			}
		}
		if buf[i] == '%' {
			escaped = true
		}
	}
	return string(buf)
}

func FuzzInputTextReadsPercentSignsAsAndroidDoes(f *testing.F) {
	for _, s := range []string{"", "%", "%s", "%%s", "a%sb%s", "100%", "%s%", "%%", "%d%s", "s%",
		"%ss", "%%%s%%s", "ü%s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s = strings.ToValidUTF8(s, ""); typed(s) != androidsRule(s) {
			t.Fatalf("typed(%q) = %q, Android makes %q", s, typed(s), androidsRule(s))
		}
	})
}

func TestKeyNamesStandAtTheirCodes(t *testing.T) {
	for name, code := range map[string]int{
		"HOME": 3, "BACK": 4, "DPAD_CENTER": 23, "POWER": 26, "SPACE": 62, "ENTER": 66, "DEL": 67,
		"MENU": 82, "ESCAPE": 111, "APP_SWITCH": 187, "SLEEP": 223, "WAKEUP": 224,
	} {
		require.Equal(t, code, keyCode("KEYCODE_"+name), name)
		require.Equal(t, code, keyCode(name), name)
	}
	require.Equal(t, 66, keyCode("66"))
	require.Equal(t, 319, keyCode("319"), "the phone refuses it")
	require.Zero(t, keyCode("home"))
}

func TestASecureWindowIsMarkedAsSuch(t *testing.T) {
	page := sandbox.Window{Package: "com.x", Activity: ".Pay"}
	require.NotContains(t, windowState(page, true), "SECURE")
	page.Secure = true
	require.Contains(t, windowState(page, true), "fl=LAYOUT_IN_SCREEN SECURE LAYOUT_INSET_DECOR")
	shade := sandbox.Window{Package: "com.android.systemui", Activity: "NotificationShade"}
	require.Contains(t, windowState(shade, true), " u0 NotificationShade}:")
}

func TestAPanicThatIsNoExceptionIsNotSwallowed(t *testing.T) {
	broken := func(*invocation, string, *args) int { panic("a mistake of our own") }
	require.PanicsWithValue(t, "a mistake of our own",
		func() { callService(&invocation{}, broken, nil) })
}
