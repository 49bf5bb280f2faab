package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

// maxCapture bounds a capture, in bytes. An 8K screen of raw pixels is 133 MB.
const maxCapture = 160 << 20

// display is a phone's report about its display and the windows in front.
type display struct {
	*shell
	wakes  time.Duration           // see waits
	who    *sameness               // nil while the phone is being opened
	opened geometry                // as it was when the phone was opened
	last   atomic.Pointer[reading] // of the last look, nil before the first

	unread   atomic.Bool // what dumpsys window says of everything cannot be read
	tellsLit atomic.Bool // it said by itself that the display is lit
}

// lastReading is that of the last look, zero before the first.
func (d *display) lastReading() reading { return *cmp.Or(d.last.Load(), new(reading)) }

// known is the reading of the last look, or one of now, which is kept, when there was none.
func (d *display) known(ctx context.Context) (reading, error) {
	if r := d.last.Load(); r != nil {
		return *r, nil
	}
	r, err := d.readState(ctx)
	if err == nil {
		d.last.Store(&r)
	}
	return r, err
}

// captureLimit is how many bytes a capture may have: the raw pixels of the largest display that the
// phone has reported, and some room for what comes in front of them.
func (d *display) captureLimit() int {
	g, most := d.lastReading().geometry, 0
	for _, s := range []screen.Size{d.opened.panel, d.opened.natural, g.panel, g.natural, g.now} {
		most = max(most, 4*s.W*s.H)
	}
	if most == 0 {
		return maxCapture
	}
	return min(most+1<<20, maxCapture)
}

// expected returns nil if a capture has the display's size: the one of the last look, or else the
// current one, which comes through now.
func (d *display) expected(ctx context.Context, size screen.Size, now chan reading) error {
	if d.lastReading().shows(size) == nil {
		return nil
	}
	select {
	case r := <-now:
		now <- r // for the next panel
		return r.shows(size)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stateCommands read one state in one line. dumpCommands read the same in two commands. The second
// has the outputs of the next three of stateCommands under headings.
var (
	stateCommands = []string{"dumpsys power", "dumpsys window policy", "dumpsys window displays",
		"dumpsys window windows", "wm size"}
	dumpCommands = []string{"dumpsys power", "dumpsys window"}
)

// readState reads the state alone, in one service: by one command when that says all there is to
// know, by two when the phone's whole dump can be read, and otherwise each part by itself.
func (d *display) readState(ctx context.Context) (reading, error) {
	if !d.unread.Load() {
		r, ok, err := d.readDump(ctx)
		if ok || err != nil {
			return r, err
		}
		d.unread.Store(true)
	}
	sections, err := d.ask(ctx, stateCommands...)
	if err != nil {
		return reading{}, err
	}
	return parseState(sections)
}

// readDump asks the power manager only where the window manager does not say that the display is
// lit: on phones that do not tell it there, and when it is not.
func (d *display) readDump(ctx context.Context) (r reading, ok bool, err error) {
	if d.tellsLit.Load() {
		s, err := d.ask(ctx, dumpCommands[1])
		if err != nil {
			return reading{}, false, err
		}
		if r, ok := parseDump("", s[0]); ok {
			return r, true, nil
		}
	}
	s, err := d.ask(ctx, dumpCommands...)
	if err != nil {
		return reading{}, false, err
	}
	r, ok = parseDump(s[0], s[1])
	d.tellsLit.Store(ok && r.State.On && parseLit(s[1]))
	return r, ok, nil
}

var dumpHeading = atLine("WINDOW MANAGER ", `([A-Z ]+?) \(dumpsys window `)

// parseDump reads what `dumpsys window` says of everything. ok is false when a part is missing, or
// there more than once: the title of an app's window may pass for a heading.
func parseDump(power, window string) (r reading, ok bool) {
	parts := map[string]string{}
	for _, b := range dumpHeading.blocks(window) {
		name := b.groups[0]
		if parts[name] != "" {
			return reading{}, false
		}
		parts[name] = b.text
	}
	policy, displays := parts["POLICY STATE"], parts["DISPLAY CONTENTS"]
	windows := parts["WINDOWS"]
	if policy == "" || displays == "" || windows == "" {
		return reading{}, false
	}
	r, err := parseState([]string{power, policy, displays, windows, ""})
	return r, err == nil && r.geometry.panel.Valid() && r.geometry.now.Valid()
}

// reading is what one state read gives, beyond what a [screen.State] holds.
type reading struct {
	screen.State
	keyguard keyguard
	geometry geometry
	bar      float64 // share of the height that the status bar covers
	hidden   bool    // a window that is seen, in front or not, is black in a capture
}

// errNoState is a phone whose answers are not understood.
var errNoState = hint.Add(errors.New("the phone does not report its display's state"),
	"check `adb shell dumpsys power` and `adb shell dumpsys window displays`; a phone that is "+
		"still starting up does not answer them yet")

// parseState puts the sections together, in the order of stateCommands. What the power manager says
// may be missing when the policy says that the display is lit.
func parseState(sections []string) (reading, error) {
	power, policy := sections[0], sections[1]
	displays, windows := sections[2], sections[3]
	wmSize := sections[4]
	on, known := parsePower(power)
	if power == "" && parseLit(policy) {
		on, known = true, true
	}
	display := mainDisplay(displays)
	g := parseGeometry(display, wmSize)
	if !known || !g.natural.Valid() {
		return reading{}, errNoState
	}
	r := reading{keyguard: parseKeyguard(policy), geometry: g}
	f := parseFront(display, windows)
	r.State = screen.State{
		On:       on,
		Locked:   r.keyguard.front,
		Rotation: parseRotation(display, windows, g),
		App:      f.app,
		Activity: f.object,
		Window:   f.window,
	}
	r.State.Secure, r.hidden = forbidden(parseWindows(windows), f)
	r.State.Size = g.now
	if !g.now.Valid() {
		r.State.Size = g.natural
		if r.State.Rotation%2 == 1 {
			r.State.Size = g.natural.Turned()
		}
	}
	r.bar = parseBar(display, r.State.Size)
	return r, nil
}

// forbidden reports whether the window in front is black in a capture, and whether any visible one
// is. The window with the focus is in front, together with the window below a popup of the same
// app. While none has the focus, any window may be in front.
func forbidden(windows []window, f front) (inFront, anywhere bool) {
	for _, w := range windows {
		focused := w.id == f.window
		if !w.secure || !focused && !w.visible {
			continue
		}
		anywhere = true
		if focused || f.window == "" || f.part && w.pkg == f.app {
			inFront = true
		}
	}
	return inFront, anywhere
}

// shows is nil for the size of a picture that is one of the display. It is not the display's own
// size always, some versions capture physical pixels while an override is set, but never larger
// than both.
func (r reading) shows(size screen.Size) error {
	logical, panel := r.State.Size, r.geometry.panel
	overridden := r.geometry.natural != panel
	fits := alike(size, logical) ||
		overridden && (alike(size, panel) || alike(size, panel.Turned()))
	most := max(logical.W*logical.H, panel.W*panel.H)
	if fits && size.W*size.H <= most+most/20 { // rounding, of a small one
		return nil
	}
	err := fmt.Errorf("the picture is %s, the display %s", size, logical)
	if alike(size, logical.Turned()) {
		return tornError{hint.Add(err, "the display was turning; look again")}
	}
	return tornError{hint.Add(err, "screencap shows another display than the one that "+
		"takes touches; fold or unfold the phone, or switch the other display off")}
}

// alike reports whether two sizes have the same shape, within what rounding makes of it.
func alike(a, b screen.Size) bool {
	const slack = 0.015
	if !a.Valid() || !b.Valid() {
		return false
	}
	x, y := a.W*b.H, b.W*a.H
	return float64(max(x, y)-min(x, y)) <= slack*float64(max(x, y))
}
