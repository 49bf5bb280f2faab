package sandbox

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/golden"
)

// Each case is a walk (section do, one step a line) and the dump at its end, a line for each
// element.
func TestDumps(t *testing.T) {
	golden.Run(t, "testdata/dump", func(t *testing.T, c *golden.Case) {
		locale := "en"
		if strings.HasPrefix(c.Name, "zh-") {
			locale = "zh"
		}
		h := hold(t, &Options{Locale: locale, PIN: "2468"})
		for line := range strings.Lines(c.Section(t, "do")) {
			h.step(strings.TrimSpace(line))
		}
		c.Want(t, "dump.xml", strings.NewReplacer(`"></node>`, `" />`, "<node", "\n<node", "</node",
			"\n</node", "</hier", "\n</hier").Replace(string(h.phone.Screen.DumpXML())))
	})
}

// step does one line of a walk.
func (h *hand) step(line string) {
	h.t.Helper()
	verb, arg, _ := strings.Cut(line, " ")
	number := func() int {
		n, err := strconv.Atoi(arg)
		require.NoError(h.t, err, line)
		return n
	}
	switch verb {
	case "open":
		h.open(arg)
	case "tap":
		h.touch(arg)
	case "hold":
		h.press(arg)
	case "scroll":
		h.scrollTo(arg)
	case "type":
		h.phone.Keys.Text(arg)
	case "key":
		h.keyCodes(number())
	case "turn":
		h.phone.Display.SetRotation(number())
	case "wait":
		h.wait(time.Duration(number()) * time.Second)
	default:
		require.Fail(h.t, "no such step", line)
	}
}
