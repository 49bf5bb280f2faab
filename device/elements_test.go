package device

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
)

// Dumps as Android's versions write them, made after the format of AOSP's
// AccessibilityNodeInfoDumper, and broken ones.
func TestDumps(t *testing.T) {
	golden.Run(t, "testdata/dumps", func(t *testing.T, c *golden.Case) {
		size, rotation := displayOf(t, c)
		list, err := ParseElements([]byte(c.Section(t, "dump")), size, rotation)
		if err != nil {
			require.Empty(t, list)
			c.Want(t, "error", err.Error())
			return
		}
		var b strings.Builder
		for _, e := range list {
			b.WriteString(line(e, size))
		}
		c.Want(t, "elements", b.String())
	})
}

func displayOf(t testing.TB, c *golden.Case) (size screen.Size, rotation screen.Rotation) {
	t.Helper()
	_, err := fmt.Sscanf(c.Section(t, "display"), "%dx%d %d", &size.W, &size.H, &rotation)
	require.NoError(t, err)
	return size, rotation
}

// line is an element as golden files show it.
func line(e screen.Element, size screen.Size) string {
	s := fmt.Sprintf("%d %v %s text=%q desc=%q id=%q", e.Depth, e.Bounds.Pixels(size), e.Class,
		e.Text, e.ContentDesc, e.ResourceID)
	for _, f := range []struct {
		name string
		is   bool
	}{{"clickable", e.Clickable}, {"scrollable", e.Scrollable}, {"editable", e.Editable},
		{"password", e.Password}, {"checkable", e.Checkable}, {"checked", e.Checked},
		{"disabled", !e.Enabled}, {"focused", e.Focused}, {"long-clickable", e.LongClickable}} {
		if f.is {
			s += " " + f.name
		}
	}
	if e.Hint != "" {
		s += fmt.Sprintf(" hint=%q", e.Hint)
	}
	return s + "\n"
}

// written is a dump with the nodes in it.
func written(nodes string) string {
	return "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">" +
		nodes + "</hierarchy>"
}

const button = `<node index="0" text="%s" resource-id="com.app:id/b" ` +
	`class="android.widget.Button" package="com.app" content-desc="" checkable="false" ` +
	`checked="false" clickable="true" enabled="true" focusable="true" focused="false" ` +
	`scrollable="false" long-clickable="false" password="false" selected="false" ` +
	`bounds="[40,%d][500,%d]" />`

var panel = screen.Size{W: 1080, H: 2400}

func TestADumpOfFiveMegabytesIsReadAndALargerOneCut(t *testing.T) {
	node := fmt.Sprintf(button, "Pay "+strings.Repeat("x", 4000)+" now", 100, 200)
	n := (maxDump - len(written(""))) / len(node)
	whole := written(strings.Repeat(node, n))
	whole += strings.Repeat("\n", maxDump-len(whole))
	list, err := ParseElements([]byte(whole), panel, 0)
	require.NoError(t, err)
	require.Len(t, list, n)
	require.Greater(t, n, 1000)
	require.Len(t, []rune(list[n-1].Text), screen.MaxElementText)
	require.True(t, strings.HasPrefix(list[0].Text, "Pay xx"))
	require.True(t, strings.HasSuffix(list[0].Text, "xx now"), "both ends are kept")

	list, err = ParseElements([]byte(written(strings.Repeat(node, n+20))), panel, 0)
	require.NoError(t, err, "what is beyond the bound is cut off")
	require.Len(t, list, n)
	small := `<node bounds="[0,0][9,9]"/>`
	_, err = ParseElements([]byte(written(strings.Repeat(small, maxNodes+1))), panel, 0)
	require.ErrorIs(t, err, errEmptyScreen)
	said := `<node text="%d" bounds="[0,0][9,9]"/>`
	var many strings.Builder
	for i := range maxNodes + 7 {
		fmt.Fprintf(&many, said, i)
	}
	list, err = ParseElements([]byte(written(many.String())), panel, 0)
	require.NoError(t, err)
	require.Len(t, list, maxNodes)
	require.Equal(t, "7", list[0].Text, "the last ones are drawn over the others")
}

func TestADumpIsReadFiveHundredDeepAndNoDeeper(t *testing.T) {
	nested := func(n int) []byte {
		inner := fmt.Sprintf(button, "deep", 100, 200)
		return []byte(written(strings.Repeat(`<node bounds="[0,0][1080,2400]">`, n-1) + inner +
			strings.Repeat("</node>", n-1)))
	}
	list, err := ParseElements(nested(maxDepth), panel, 0)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, 1, list[0].Depth, "it lies in nothing that is listed")
	list, err = ParseElements([]byte(written(`<node text="page" bounds="[0,0][9,9]"/>`+
		strings.TrimPrefix(strings.TrimSuffix(string(nested(maxDepth+1)), "</hierarchy>"),
			written("")[:len(written(""))-len("</hierarchy>")])+
		`<node text="last" bounds="[0,0][9,9]"/>`)), panel, 0)
	require.NoError(t, err, "what is deeper is left out")
	require.Len(t, list, 2)
	require.Equal(t, "last", list[1].Text)
	tags := strings.Repeat("<x>", 100_000)
	_, err = ParseElements([]byte(written(tags)), panel, 0)
	require.ErrorIs(t, err, errHugeDump)
}

// A view that is not listed is between its children and the row in front of it, however deep they
// are drawn.
func TestWhatLiesInAViewThatIsNotListedIsNotANeighbours(t *testing.T) {
	wrapped := func(node string, n int) string {
		return strings.Repeat(`<node bounds="[0,0][1080,2400]">`, n) + node +
			strings.Repeat("</node>", n)
	}
	at := func(text string, y int) string { return fmt.Sprintf(button, text, y, y+90) }
	inside := strings.TrimSuffix(at("Row", 100), "/>") + ">" + wrapped(at("Title", 100), 3) +
		"</node>"
	for deep := range 5 {
		list, err := ParseElements([]byte(written(wrapped(
			wrapped(inside, 1)+wrapped(at("Send", 300), deep)+at("Last", 500), 2))), panel, 0)
		require.NoError(t, err)
		depths := map[string]int{}
		for _, e := range list {
			depths[e.Text] = e.Depth
		}
		require.Equal(t, map[string]int{"Row": 1, "Title": 2, "Send": 1, "Last": 1}, depths, deep)
	}
}

// The law: elements on the screen, bounded, without the text of a password field, or one of the
// errors that are named.
func FuzzParseElements(f *testing.F) {
	for _, c := range golden.Load(f, "testdata/dumps") {
		f.Add([]byte(c.Section(f, "dump")))
	}
	f.Fuzz(func(t *testing.T, dump []byte) {
		list, err := ParseElements(dump, panel, 0)
		if err != nil {
			require.Empty(t, list)
			named := false
			for _, kind := range []error{errBadDump, errHugeDump, errEmptyScreen, errOtherScreen} {
				named = named || errors.Is(err, kind)
			}
			require.True(t, named, "%v", err)
			require.Less(t, len(err.Error()), 500)
			return
		}
		require.NotEmpty(t, list)
		require.LessOrEqual(t, len(list), maxNodes)
		for _, e := range list {
			require.True(t, e.Bounds.Valid(), "%v", e.Bounds)
			require.True(t, e.Bounds.Contains(e.Bounds.Center()))
			require.False(t, e.Password && e.Text != "")
			require.LessOrEqual(t, len([]rune(e.Text)), screen.MaxElementText)
			require.True(t, e.Depth > 0 && e.Depth <= maxDepth)
		}
	})
}

// busyDump is a dump of n bytes or a bit more.
func busyDump(n int) []byte {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, button, "Message of somebody &amp; others", 100+i%2000, 180+i%2000)
	}
	return []byte(written(b.String()))
}

func BenchmarkParseElements(b *testing.B) {
	dump := busyDump(300_000)
	b.SetBytes(int64(len(dump)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := ParseElements(dump, panel, 0)
		require.NoError(b, err)
	}
}

// dumpingPhone is a phone whose uiautomator answers a line that runs it.
func dumpingPhone(t *testing.T, answer func(line string) string) (*wirePhones, *Phone) {
	w := &wirePhones{shell: ordinary(nil)}
	w.exec = func(_, command string, c io.Writer) { io.WriteString(c, answer(command)) }
	return w, w.open(t)
}

func TestWhatPhonesDoInsteadOfADump(t *testing.T) {
	one := written(strings.Replace(fmt.Sprintf(button, "One", 10, 20), "[500", "[50", 1))
	const sentence = "UI hierchary dumped to: /dev/tty\n"
	for name, c := range map[string]struct {
		answer func(line string) string
		want   error
		runs   int
	}{
		"a dump and the sentence": {func(string) string { return one + sentence }, nil, 1},
		"the terminal is not written to": {func(line string) string {
			if strings.Contains(line, "/dev/tty") {
				return sentence
			}
			return sentence + one
		}, nil, 2},
		"there is no timeout command": {func(line string) string {
			if strings.Contains(line, "timeout") {
				return "/system/bin/sh: timeout: not found\n"
			}
			return one
		}, nil, 2},
		"neither": {func(line string) string {
			switch {
			case strings.Contains(line, "timeout"):
				return "/system/bin/sh: timeout: inaccessible or not found\n"
			case strings.Contains(line, "/dev/tty"):
				return ""
			}
			return one
		}, nil, 3},
		"the screen moves": {func(string) string {
			return "ERROR: could not get idle state.\n"
		}, ErrNotIdle, 1},
		"no window": {func(string) string {
			return "ERROR: null root node returned by UiTestAutomationBridge.\n"
		}, errNoWindow, 1},
		"no uiautomator": {func(string) string {
			return "/system/bin/sh: uiautomator: inaccessible or not found\n"
		}, errNoDump, 2},
		"another one runs": {func(string) string {
			return "java.lang.IllegalStateException: UiAutomationService already registered!\n"
		}, errNoDump, 2},
		"nothing":    {func(string) string { return "" }, errNoDump, 2},
		"half of it": {func(string) string { return one[:200] }, errBadDump, 1},
		"far too much": {func(string) string {
			return strings.Repeat("x", maxDump+maxSaid+1)
		}, errHugeDump, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := dumpingPhone(t, c.answer)
			for range 2 {
				w.asked()
				list, err := p.Elements(t.Context())
				require.ErrorIs(t, err, c.want)
				var runs []string
				for _, service := range w.asked() {
					if strings.Contains(service, "uiautomator") {
						runs = append(runs, service)
					}
				}
				require.Len(t, runs, c.runs, "%q", runs)
				if c.want == nil {
					require.Equal(t, "One", list[0].Text)
					c.runs = 1 // it is known how
				}
			}
		})
	}
}
