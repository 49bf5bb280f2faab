package device

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/hint"
)

func TestTheServedFieldOfAndroidsVersions(t *testing.T) {
	golden.Run(t, "testdata/editor", func(t *testing.T, c *golden.Case) {
		dump := c.Section(t, "dump")
		e := parseEditor(dump)
		c.Want(t, "want", fmt.Sprintf("served=%t several lines=%t", e.served, e.lines))
		require.Equal(t, e, parseEditor(strings.ReplaceAll(dump, "\n", "\r\n")))
	})
}

// served is a dump of `dumpsys input_method` with a field of one line, of several, or none.
func served(field, lines bool) string {
	connection, kind := "null", 0
	if field {
		connection, kind = "RemoteInputConnectionImpl{mDeactivateRequested=false}", 1
	}
	if lines {
		kind |= typeMultiLine
	}
	return fmt.Sprintf("  mServedView=android.view.View{1}\n    inputType=%#x\n"+
		"  mServedInputConnection=%s\n", kind, connection)
}

// typingPhone has a field, and counts how often it was asked for it.
type typingPhone struct {
	wirePhones
	field, lines bool
	after        int // the field is there from this question on
	asks         int
	leaves       bool // Enter takes the field away
}

func newTypingPhone() *typingPhone {
	p := &typingPhone{field: true}
	p.wirePhones.shell = func(serial, command string) (string, string, int) {
		switch {
		case command == "dumpsys input_method":
			p.asks++
			return served(p.field && p.asks > p.after, p.lines), "", 0
		case strings.Contains(command, "keyevent 66") && p.leaves:
			p.field = false
		}
		return ordinary(nil)(serial, command)
	}
	return p
}

// inputs are the lines that press keys or type.
func (p *typingPhone) inputs() (lines []string) {
	for _, line := range p.wirePhones.asked() {
		if line = strings.TrimPrefix(line, "shell,v2,raw:"); strings.HasPrefix(line, "input") {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestWithoutAFieldNothingIsTyped(t *testing.T) {
	for name, do := range map[string]func(*testing.T, *Phone) error{
		"text":  func(t *testing.T, p *Phone) error { return p.Type(t.Context(), "a b c") },
		"lines": func(t *testing.T, p *Phone) error { return p.Type(t.Context(), "\n\n") },
		"clear": func(t *testing.T, p *Phone) error { return p.Clear(t.Context()) },
		"enter": func(t *testing.T, p *Phone) error { return p.Key(t.Context(), actions.KeyEnter) },
		"delete": func(t *testing.T, p *Phone) error {
			return p.Key(t.Context(), actions.KeyDelete)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTypingPhone()
				w.field = false
				began := time.Now()
				err := do(t, w.open(t))
				require.ErrorIs(t, err, errNoField)
				require.Contains(t, hint.Of(err), "tap the field")
				require.InDelta(t, fieldWithin, time.Since(began), float64(2*fieldPoll))
				require.Empty(t, w.inputs())
			})
		})
	}
}

func TestAFieldThatIsJustGettingTheFocusIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTypingPhone()
		w.after = 4
		require.NoError(t, w.open(t).Type(t.Context(), " a b "))
		require.Equal(t, []string{"input text '%sa%sb%s'"}, w.inputs())
	})
}

func TestUnicodeWithoutAFieldLeavesTheKeyboardAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &imePhone{t: t, current: latin, installed: true, nowhere: true}
		w := &wirePhones{shell: i.shell}
		require.ErrorIs(t, w.open(t).Type(t.Context(), "ü ü"), errNoField)
		require.Equal(t, latin, i.current)
		for _, line := range w.asked() {
			require.NotContains(t, line, "ime set")
		}
	})
}

func TestWhatComesBehindEnterIsTypedOnlyIntoAField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTypingPhone()
		w.leaves = true // the form is sent, or a button has the focus now
		err := w.open(t).Type(t.Context(), "name\na b c")
		require.EqualError(t, err,
			"typing on emu: after 5 of 10 characters: no text field has the focus")
		require.Equal(t, []string{"input text name && input keyevent 66"}, w.inputs())

		w = newTypingPhone()
		require.NoError(t, w.open(t).Type(t.Context(), "a\nb\n"))
		require.Equal(t, 2, w.asks)
		require.Len(t, w.inputs(), 2)

		w = newTypingPhone()
		w.lines = true // where Enter leaves nothing
		require.NoError(t, w.open(t).Type(t.Context(), "a\nb\n"))
		require.Equal(t, 1, w.asks)
		require.Len(t, w.inputs(), 1)
	})
}

// The law: what is served is said by a connection that the app in front has, or by a keyboard.
func FuzzParseEditor(f *testing.F) {
	for _, c := range golden.Load(f, "testdata/editor") {
		f.Add(c.Section(f, "dump"))
	}
	f.Fuzz(func(t *testing.T, dump string) {
		e := parseEditor(dump)
		if e.lines && !e.served {
			t.Fatalf("%+v", e)
		}
		if e.served && !strings.Contains(dump, "mServedInputConnection") &&
			!strings.Contains(dump, "mInputShown=true") {
			t.Fatalf("nothing in %q says that a field is served", dump)
		}
	})
}
