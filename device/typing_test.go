package device

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/hint"
)

// asAndroidTypes runs lines through a real shell whose `input` only prints its arguments, and types
// them as Android's does.
func asAndroidTypes(t testing.TB, steps []step) string {
	t.Helper()
	const input = `input() { for a; do printf '%s\000' "$a"; done; printf '\001\000'; }; `
	var typed strings.Builder
	for _, s := range steps {
		line := strings.Join(s.commands, " && ")
		out, err := exec.Command("/bin/sh", "-c", input+line).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
		for call := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x01\x00"),
			"\x01\x00") {
			args := strings.Split(strings.TrimSuffix(call, "\x00"), "\x00")
			switch {
			case len(args) == 2 && args[0] == "text" && strings.Contains(args[1], " "):
				t.Fatalf("%q: older versions take the first word only", args[1])
			case len(args) == 2 && args[0] == "text":
				typed.WriteString(sendText(args[1]))
			case len(args) == 2 && args[0] == "keyevent" && args[1] == "66":
				typed.WriteByte('\n')
			default:
				t.Fatalf("%q is no way to type", args)
			}
		}
	}
	return typed.String()
}

// sendText is what Android's `input text` makes of its argument: a percent sign with an s behind it
// is a space, seen from the left.
func sendText(s string) string {
	b, escape := []byte(s), false
	for i := 0; i < len(b); i++ {
		if escape {
			escape = false
			if b[i] == 's' {
				b[i] = ' '
				b = append(b[:i-1], b[i:]...)
				i--
			}
		}
		if b[i] == '%' {
			escape = true
		}
	}
	return string(b)
}

// The law: whatever the text, the shell gives `input` arguments that type exactly it, in lines of
// bounded length.
func FuzzPlainSteps(f *testing.F) {
	for _, s := range devicetest.Nasty {
		f.Add(s)
	}
	f.Add(strings.Repeat("%s", 300))
	f.Add(strings.Repeat("\n", 100))
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		if typeable(text) != nil || !plain(text) {
			return
		}
		steps := plainSteps(text)
		if got := asAndroidTypes(t, steps); got != text {
			t.Fatalf("typed %q, want %q", got, text)
		}
		chars := 0
		for _, s := range steps {
			chars += s.chars
			// what the daemons of old phones take
			sh := shell{mark: "taploop-" + rand.Text()}
			if line, _ := sh.guarded(s.commands); len(line) > 4000 {
				t.Fatalf("a line of %d bytes", len(line))
			}
		}
		if chars != len(text) {
			t.Fatalf("%d characters counted, %d typed", chars, len(text))
		}
	})
}

func TestPlainTextIsTypedExactly(t *testing.T) {
	for _, text := range append(devicetest.Nasty, "%", "%%", "%s%s %s", "s%",
		strings.Repeat("x", 999)+"%s") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		if typeable(text) == nil && plain(text) {
			require.Equal(t, text, asAndroidTypes(t, plainSteps(text)))
		}
	}
}

// imePhone is the keyboards of a phone.
type imePhone struct {
	t         *testing.T
	current   string
	enabled   bool
	installed bool
	bindAfter int  // reads of the state until the keyboard has taken over
	hidden    bool // it is not shown
	nowhere   bool // no field has the focus
	failText  bool
	typed     string
}

const latin = "com.android.inputmethod.latin/.LatinIME"

var broadcastB64 = regexp.MustCompile(
	`^am broadcast --user current -a ADB_INPUT_B64 --es msg '?([A-Za-z0-9+/=]*)'?$`)

func (i *imePhone) shell(serial, command string) (string, string, int) {
	ids := latin + "\n"
	switch command {
	case "settings get secure default_input_method":
		return i.current + "\n", "", 0
	case "ime list -a -s":
		if i.installed {
			ids += adbIME + "\n"
		}
		return ids, "", 0
	case "ime list -s":
		if i.enabled {
			ids += adbIME + "\n"
		}
		return ids, "", 0
	case "ime enable " + adbIME + " && ime set " + adbIME:
		i.current, i.enabled = adbIME, true
		return "Input method " + adbIME + " selected for user #0\n", "", 0
	case "ime set " + latin:
		i.current = latin
		return "", "", 0
	case "ime set " + latin + " && ime disable " + adbIME:
		i.current, i.enabled = latin, false
		return "", "", 0
	case "ime disable " + adbIME:
		i.enabled = false
		return "", "", 0
	case "ime reset && ime disable " + adbIME:
		i.current, i.enabled = latin, false
		return "", "", 0
	case "dumpsys input_method":
		bound := true
		if i.current == adbIME {
			i.bindAfter--
			bound = i.bindAfter < 0
		}
		return fmt.Sprintf("  mCurMethodId=%s\n  mHaveConnection=%t mBoundToMethod=%[2]t\n  "+
			"mShowRequested=true mInputShown=%t\n%s", i.current, bound, bound && !i.hidden,
			served(!i.nowhere, true)), "", 0
	case "am broadcast --user current -a ADB_CLEAR_TEXT":
		i.typed = ""
		return "Broadcasting: Intent { act=ADB_CLEAR_TEXT }\nBroadcast completed: result=0\n", "", 0
	case "input keyevent 66":
		i.typed += "\n"
		return "", "", 0
	}
	if m := broadcastB64.FindStringSubmatch(command); m != nil {
		if i.failText {
			return "", "Error: Can't find service: activity\n", 20
		}
		b, err := base64.StdEncoding.DecodeString(m[1])
		require.NoError(i.t, err)
		require.Equal(i.t, adbIME, i.current, "a broadcast to a keyboard that is not there")
		require.Negative(i.t, i.bindAfter, "a broadcast before the keyboard listens")
		i.typed += string(b)
		return "Broadcasting: Intent { act=ADB_INPUT_B64 }\nBroadcast completed: result=0\n", "", 0
	}
	return ordinary(nil)(serial, command)
}

func TestUnicodeGoesThroughADBKeyboardWhichIsPutBack(t *testing.T) {
	for _, enabled := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			i := &imePhone{t: t, current: latin, installed: true, enabled: enabled, bindAfter: 3}
			p := (&wirePhones{shell: i.shell}).open(t)
			text := "你好\nwörld\t$(reboot)" + strings.Repeat("长", 450)
			require.NoError(t, p.Type(t.Context(), text))
			require.Equal(t, text, i.typed)
			require.Equal(t, latin, i.current)
			require.Equal(t, enabled, i.enabled, "it is switched off again when it was off")
		})
	}
}

func TestAnADBKeyboardInUseStays(t *testing.T) {
	i := &imePhone{t: t, current: adbIME, installed: true, enabled: true, bindAfter: 0}
	i.bindAfter = -1
	w := &wirePhones{shell: i.shell}
	p := w.open(t)
	require.NoError(t, p.Type(t.Context(), "ü"))
	require.Equal(t, "ü", i.typed)
	require.Equal(t, adbIME, i.current)
	require.Len(t, w.asked(), 3, "the state, the field and the text")
	require.NoError(t, p.Clear(t.Context()))
	require.Empty(t, i.typed)
}

func TestTheKeyboardIsPutBackAlsoAfterFailureAndCancellation(t *testing.T) {
	i := &imePhone{t: t, current: latin, installed: true, failText: true}
	p := (&wirePhones{shell: i.shell}).open(t)
	require.ErrorContains(t, p.Type(t.Context(), "ü"),
		"typing on emu: the phone refused: Error: Can't find service: activity")
	require.Equal(t, latin, i.current)

	synctest.Test(t, func(t *testing.T) {
		// it never takes over
		i := &imePhone{t: t, current: latin, installed: true, bindAfter: 1 << 30}
		p := (&wirePhones{shell: i.shell}).open(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("the run was stopped")
		time.AfterFunc(time.Second, func() { cancel(stop) })
		require.ErrorIs(t, p.Type(ctx, "ü"), stop)
		require.Equal(t, latin, i.current)
		require.False(t, i.enabled)

		began := time.Now()
		require.EqualError(t, p.Type(t.Context(), "ü"),
			"typing on emu: nothing was typed: the phone did not switch to ADBKeyBoard within 5s")
		i.bindAfter, i.hidden = 2, true // a hardware keyboard
		err := p.Type(t.Context(), "ü")
		require.ErrorIs(t, err, errNotShown)
		require.Contains(t, hint.Of(err), "tap the field")
		require.InDelta(t, 2*imeWithin, time.Since(began), float64(2*imePoll))
		require.Equal(t, latin, i.current)
		require.Empty(t, i.typed)
	})
}

func TestUnicodeWithoutAKeyboardForItIsRefusedWithTheHint(t *testing.T) {
	i := &imePhone{t: t, current: latin}
	w := &wirePhones{shell: i.shell}
	p := w.open(t)
	err := p.Type(t.Context(), "héllo")
	require.ErrorIs(t, err, errNoKeyboard)
	require.Contains(t, hint.Of(err), "ADBKeyBoard")
	require.Len(t, w.asked(), 1, "nothing is done besides asking for the keyboards")
	require.Equal(t, latin, i.current)
}

func TestWhatNoKeyboardTypesIsRefusedBeforeThePhoneIsAsked(t *testing.T) {
	w := &wirePhones{shell: ordinary(nil)}
	p := w.open(t)
	for text, want := range map[string]string{
		"a\x00b":                    "U+0000",
		"\x1b[31m":                  "U+001B",
		"a\rb":                      "U+000D",
		"bad\xff":                   "UTF-8",
		strings.Repeat("x", 10_001): "10001 characters, at most 10000",
	} {
		err := p.Type(t.Context(), text)
		require.ErrorContains(t, err, "nothing was typed")
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, p.Type(t.Context(), ""))
	require.Empty(t, w.asked())
}

// What is typed may be a code or a password: it is in no error, whichever way typing fails.
func TestErrorsNeverShowWhatIsTyped(t *testing.T) {
	const secret = "hunter2"
	synctest.Test(t, func(t *testing.T) {
		var errs []error
		w := &wirePhones{shell: ordinary(nil)}
		p := w.open(t)
		w.hang("emu", true)
		errs = append(errs, p.Type(t.Context(), secret))
		w.hang("emu", false)
		w.shell = func(string, string) (string, string, int) { return "", "Killed\n", 137 }
		errs = append(errs, p.Type(t.Context(), secret), p.Type(t.Context(), secret+"\x07"),
			p.Type(t.Context(), secret+"ü"))
		w.refuse = map[string]string{"emu": "device offline"}
		errs = append(errs, p.Type(t.Context(), secret))
		for _, err := range errs {
			require.Error(t, err)
			require.NotContains(t, err.Error()+hint.Of(err), secret)
		}
	})
}

func TestAFailureInTheMiddleSaysHowFarItCame(t *testing.T) {
	n := 0
	w := &wirePhones{}
	w.shell = func(serial, command string) (string, string, int) {
		if strings.HasPrefix(command, "input text") {
			if n++; n == 3 {
				return "", "cmd: Failure calling service input\n", 20
			}
		}
		return ordinary(nil)(serial, command)
	}
	p := w.open(t)
	err := p.Type(t.Context(), strings.Repeat("x", 1000))
	require.EqualError(t, err, "typing on emu: after 400 of 1000 characters: the phone "+
		"refused: cmd: Failure calling service input")
}

func TestClearDeletesAsMuchAsTheFieldHolds(t *testing.T) {
	tree := func(nodes string) string {
		return "<?xml version='1.0' ?><hierarchy rotation=\"0\">" + nodes + "</hierarchy>"
	}
	field := func(text string) string {
		return tree(`<node class="android.widget.FrameLayout" focused="false" text="">` +
			`<node class="android.widget.EditText" focused="true" text="` + text + `"/></node>`)
	}
	for name, c := range map[string]struct {
		tree           string
		before, behind int
		err            error
	}{
		"a short text":         {field("abc"), 3, 0, nil},
		"nothing in it":        {field(""), 0, 0, nil},
		"letters of two bytes": {field("äöü&#10084;"), 4, 0, nil},
		"several lines":        {field("a&#10;b"), 3, 3, nil},
		"a suggestion field": {strings.Replace(field("ab"), "EditText", "AutoCompleteTextView",
			1), 2, 0, nil},
		"no field has " +
			"the focus": {tree(`<node class="android.widget.FrameLayout" focused="false"/>`), 0, 0,
			errNoField},
		"the app draws itself": {tree(`<node class="com.game.Canvas" focused="true"/>`),
			blindDeletes, blindDeletes, nil},
		"the screen never rests": {"", blindDeletes, blindDeletes, nil},
		"a tree that is cut off": {field("abc")[:60], blindDeletes, blindDeletes, nil},
	} {
		t.Run(name, func(t *testing.T) {
			i := &imePhone{t: t, current: latin}
			w := &wirePhones{}
			w.shell = i.shell
			w.exec = func(_, _ string, out io.Writer) { io.WriteString(out, c.tree) }
			p := w.open(t)
			err := p.Clear(t.Context())
			require.ErrorIs(t, err, c.err)
			var codes []string
			for _, line := range w.asked()[2:] {
				if strings.Contains(line, "uiautomator") {
					continue
				}
				codes = append(codes, strings.Fields(strings.TrimPrefix(line,
					"shell,v2,raw:input keyevent"))...)
			}
			want := slices.Concat([]string{"123"}, slices.Repeat([]string{"67"}, c.before),
				slices.Repeat([]string{"112"}, c.behind))
			if c.err != nil {
				want = nil
			}
			require.Equal(t, want, codes)
		})
	}
}

// The law: a text that stands in the tree as an attribute, or one of the two errors.
func FuzzParseFocused(f *testing.F) {
	f.Add(`<hierarchy><node class="android.widget.EditText" focused="true" ` +
		`text="a&#10;b"/></hierarchy>`)
	f.Add(`<hierarchy><node focused="false"/></hierarchy>`)
	f.Fuzz(func(t *testing.T, tree string) {
		text, err := parseFocused([]byte(tree))
		switch {
		case err == nil:
			if !strings.Contains(tree, `focused=`) {
				t.Fatalf("%q has the focus in %q", text, tree)
			}
		case text != "", !errors.Is(err, errNoField) && !errors.Is(err, errNoTree):
			t.Fatalf("%q, %v", text, err)
		}
	})
}
