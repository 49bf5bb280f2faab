package shell

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

var sources = []string{
	"touchscreen", "keyboard", "mouse", "stylus", "touchpad", "trackball", "dpad", "gamepad",
}

const (
	defaultSwipe = 300 * time.Millisecond
	longPress    = 500 * time.Millisecond
)

// inputService is the input command. Like the real one it answers 0 to a subcommand that it does
// not know.
func inputService(c *invocation, name string, a *args) int {
	if slices.Contains(sources, name) {
		name = a.need()
	}
	switch name {
	case "text":
		inputText(c, a)
	case "keyevent":
		inputKeys(c, a)
	case "tap":
		x, y := a.pixel(name), a.pixel(name)
		c.sh.phone.Touch.Tap(x, y)
	case "swipe":
		m := a.move(name)
		if c.pause(m.takes) {
			c.sh.phone.Touch.Swipe(m.x1, m.y1, m.x2, m.y2, m.takes)
		}
	case "draganddrop":
		m := a.move(name)
		if c.pause(max(m.takes, longPress)) {
			c.sh.phone.Touch.DragAndDrop(m.x1, m.y1, m.x2, m.y2, m.takes)
		}
	default:
		unknownCommand(c, name)
	}
	return exitOK
}

func invalid(command string) exception {
	return illegalArgument("Error: Invalid arguments for command: %s", command)
}

// pixel reads a coordinate.
func (a *args) pixel(command string) int {
	f, err := strconv.ParseFloat(a.need(), 32)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		panic(invalid(command))
	}
	return int(math.Floor(min(max(f, -1e6), 1e6)))
}

// move is a finger's way.
type move struct {
	x1, y1, x2, y2 int
	takes          time.Duration
}

func (a *args) move(command string) move {
	m := move{a.pixel(command), a.pixel(command), a.pixel(command), a.pixel(command), defaultSwipe}
	word, ok := a.next()
	if !ok {
		return m
	}
	n, err := strconv.ParseInt(word, 10, 32)
	if err != nil {
		panic(invalid(command))
	}
	if n >= 0 {
		m.takes = time.Duration(n) * time.Millisecond
	}
	return m
}

// typed is the text that input text types: %s is a space, other percent signs are themselves.
//
// The rule is Android's own, seen from the left: after a percent sign an s makes both a space,
// anything else stays.
func typed(s string) string { return strings.ReplaceAll(s, "%s", " ") }

// unmapped reports whether s has a character that no key of the virtual keyboard makes.
func unmapped(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return (r < ' ' && r != '\n' && r != '\t') || r > '~'
	})
}

func inputText(c *invocation, a *args) {
	text := typed(a.need())
	if unmapped(text) {
		panic(exception("java.lang.NullPointerException: Attempt to get length of null array"))
	}
	c.sh.phone.Keys.Text(text)
}

func inputKeys(c *invocation, a *args) {
	word := a.need()
	rest := a.rest
	if word == "--longpress" {
		word, rest = a.need(), a.rest
		if !c.pause(longPress) {
			return
		}
	}
	for _, name := range append([]string{word}, rest...) {
		_ = c.sh.phone.Keys.Key(keyCode(name)) // one that does not exist does nothing
	}
}

// getevent prints in words what fingers do on the glass, and nothing of the devices: getevent
// -lv1 [-c COUNT], as many events, else until it is ended.
func getevent(c *invocation) int {
	letters, rest := options(c.args)
	most := math.MaxInt
	if strings.HasSuffix(letters, "c") && len(rest) == 1 {
		most, _ = strconv.Atoi(rest[0])
	} else if letters != "lv1" || len(rest) > 0 {
		return c.fail(exitFailure, "Usage: getevent -lv1 [-c count]")
	}
	for n := 0; n < most && c.stdout.err == nil; {
		at, err := c.sh.phone.Touch.Feel(c.ctx)
		if err != nil {
			return exitKilled
		}
		events := []inputEvent{
			{"EV_ABS", "ABS_MT_TRACKING_ID", 1}, {"EV_ABS", "ABS_MT_POSITION_X", at.X},
			{"EV_ABS", "ABS_MT_POSITION_Y", at.Y}, {"EV_SYN", "SYN_REPORT", 0},
		}
		for _, e := range events[:min(len(events), most-n)] {
			c.outf("/dev/input/event2: %-12.12s %-20.20s %08x\n", e.kind, e.name, e.value)
			n++
		}
	}
	return exitOK
}

// inputEvent is one of an input device.
type inputEvent struct {
	kind, name string
	value      int
}
