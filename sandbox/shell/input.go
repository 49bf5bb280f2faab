package shell

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const inputHelp = `Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]

The sources are: 
      touchnavigation
      touchscreen
      joystick
      stylus
      touchpad
      gamepad
      rotaryencoder
      dpad
      mouse
      keyboard
      trackball

-d: the display (default: -1 for keys, 0 for touches)
The commands and their default sources are:
      text <string> (keyboard)
      keyevent [--longpress|--doubletap|--async|--delay <ms between keys>] <key code number or name> ... (keyboard)
      tap <x> <y> (touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (touchscreen)
      press (trackball)
      roll <dx> <dy> (trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (touchscreen)
      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (keyboard; the order matters)
`

var sources = []string{
	"keyboard", "dpad", "gamepad", "touchscreen", "mouse", "stylus", "trackball", "touchpad", "touchnavigation", "joystick",
	"rotaryencoder",
}

const (
	defaultSwipe = 300 * time.Millisecond
	longPress    = 500 * time.Millisecond
)

func input(c *call) int { return callService(c, inputService, c.args) }

// inputService is the input command. Like the real one it answers 0 to a subcommand that it does not know.
func inputService(c *call, name string, a *args) int {
	if slices.Contains(sources, name) {
		name = a.need()
	}
	display := 0
	if name == "-d" {
		display = displayNumber(a.need())
		name = a.need()
	}
	do, ok := map[string]func(*call, *args) func(){
		"text": inputText, "keyevent": inputKeys, "tap": inputTap, "swipe": inputSwipe, "draganddrop": inputDrag,
		"press": inputPress, "roll": inputRoll, "motionevent": inputMotion, "keycombination": inputCombination,
		"scroll": func(*call, *args) func() { return func() {} },
	}[name]
	if !ok {
		unknownCommand(c, name, inputHelp)
		return exitOK
	}
	act := do(c, a)
	if display <= 0 { // events for a display that is not there go nowhere
		act()
	}
	return exitOK
}

func displayNumber(s string) int {
	switch strings.ToUpper(s) {
	case "INVALID_DISPLAY":
		return -1
	case "DEFAULT_DISPLAY":
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(illegalArgument("Error: Invalid arguments for display ID."))
	}
	return n
}

// pixel reads a coordinate.
func (a *args) pixel(command string) int {
	f, err := strconv.ParseFloat(a.need(), 32)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		panic(illegalArgument("Error: Invalid arguments for command: %s", command))
	}
	return int(math.Floor(min(max(f, -1e6), 1e6)))
}

// millis reads the next word as a time, or gives the default when there is none or it is negative.
func (a *args) millis(command string, standard time.Duration) time.Duration {
	s, ok := a.next()
	if !ok {
		return standard
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		panic(illegalArgument("Error: Invalid arguments for command: %s", command))
	}
	if n < 0 {
		return standard
	}
	return time.Duration(n) * time.Millisecond
}

// pause waits as the real command does while a finger moves or rests; it reports false when the line was ended meanwhile.
func (c *call) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// typed is the text that input text types: %s is a space, other percent signs are themselves.
//
// The rule is Android's own, seen from the left: after a percent sign an s makes both a space, anything else stays.
func typed(s string) string { return strings.ReplaceAll(s, "%s", " ") }

// unmapped reports whether s has a character that no key of the virtual keyboard makes.
func unmapped(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return (r < ' ' && r != '\n' && r != '\t') || r > '~' })
}

func inputText(c *call, a *args) func() {
	text := typed(a.need())
	if unmapped(text) {
		panic(exception("java.lang.NullPointerException: Attempt to get length of null array"))
	}
	return func() { c.sh.phone.Text(text) }
}

func inputKeys(c *call, a *args) func() {
	word, more := a.need(), true
	long, double := false, false
	var delay time.Duration
	for ; more && strings.HasPrefix(word, "--"); word, more = a.next() {
		switch word {
		case "--longpress":
			long = true
		case "--doubletap":
			double = true
		case "--delay":
			delay = a.millis("keyevent", 0)
		}
	}
	if !more {
		return func() {}
	}
	codes := []int{keyCode(word)}
	for _, w := range a.rest {
		codes = append(codes, keyCode(w))
	}
	return func() {
		for i, code := range codes {
			if i > 0 && delay > 0 && !c.pause(delay) || long && !c.pause(longPress) {
				return
			}
			c.press(code)
			if double {
				c.press(code)
			}
		}
	}
}

// press presses a key; the unknown key does nothing.
func (c *call) press(code int) {
	if code > 0 {
		_ = c.sh.phone.Key(code) // keyCode gives codes that exist only
	}
}

func inputTap(c *call, a *args) func() {
	x, y := a.pixel("tap"), a.pixel("tap")
	return func() { c.sh.phone.Tap(x, y) }
}

func inputSwipe(c *call, a *args) func() {
	x1, y1, x2, y2 := a.pixel("swipe"), a.pixel("swipe"), a.pixel("swipe"), a.pixel("swipe")
	d := a.millis("swipe", defaultSwipe)
	return func() {
		if c.pause(d) {
			c.sh.phone.Swipe(x1, y1, x2, y2, d)
		}
	}
}

func inputDrag(c *call, a *args) func() {
	x1, y1, x2, y2 := a.pixel("draganddrop"), a.pixel("draganddrop"), a.pixel("draganddrop"), a.pixel("draganddrop")
	d := a.millis("draganddrop", defaultSwipe)
	return func() {
		if c.pause(max(d, longPress)) {
			c.sh.phone.DragAndDrop(x1, y1, x2, y2, d)
		}
	}
}

func inputPress(c *call, _ *args) func() { return func() { c.press(keyDpadCenter) } }

// inputRoll turns a trackball, which nothing on this phone listens to.
func inputRoll(_ *call, a *args) func() {
	a.pixel("roll")
	a.pixel("roll")
	return func() {}
}

// inputCombination holds keys down together. With a modifier they are a shortcut.
func inputCombination(c *call, a *args) func() {
	word := a.need()
	if word == "-t" {
		a.millis("keycombination", 0)
		word = a.need()
	}
	codes := []int{keyCode(word), keyCode(a.need())}
	for _, w := range a.rest {
		codes = append(codes, keyCode(w))
	}
	return func() {
		for _, code := range codes {
			c.press(code)
		}
	}
}

// finger is where a finger of motionevent is down.
type finger struct {
	mu    sync.Mutex
	down  bool
	x, y  int
	since time.Time
}

func inputMotion(c *call, a *args) func() {
	action := strings.ToUpper(a.need())
	if !slices.Contains([]string{"DOWN", "UP", "MOVE", "CANCEL"}, action) {
		panic(illegalArgument("Unknown action: %s", action))
	}
	x, y := a.pixel("motionevent"), a.pixel("motionevent")
	return func() {
		f := &c.sh.state.finger
		f.mu.Lock()
		defer f.mu.Unlock()
		switch action {
		case "DOWN":
			f.down, f.x, f.y, f.since = true, x, y, time.Now()
		case "CANCEL":
			f.down = false
		case "UP":
			if f.down {
				c.sh.phone.Swipe(f.x, f.y, x, y, time.Since(f.since))
			}
			f.down = false
		}
	}
}
