package device

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/screen"
)

const hintSecure = "the app in front forbids screenshots (a password, a payment, a private " +
	"window); do this part by hand on the phone"

// lookAgain is how long a display that was turning gets before the second try.
const lookAgain = 250 * time.Millisecond

// Look captures one frame and the state along with it, in two services at the same time. The frame
// is nil when the display is off. When the window in front forbids capture the error is ErrSecure,
// and the look holds the state without a frame: a black picture never passes for content. A torn
// picture is taken once more; then it is an error.
func (p *Phone) Look(ctx context.Context) (screen.Observation, error) {
	look, err := p.glance(ctx)
	var torn tornError
	if errors.As(err, &torn) {
		if err = wait.For(ctx, lookAgain); err == nil {
			look, err = p.glance(ctx)
		}
	}
	return look, p.failed("looking at", err)
}

// Frame captures one frame without reading the state, in one service. It is cut as the last look
// was; before the first one the state is read, too.
func (p *Phone) Frame(ctx context.Context) (*screen.Frame, error) {
	f, err := p.frame(ctx)
	return f, p.failed("capturing", err)
}

func (p *Phone) frame(ctx context.Context) (*screen.Frame, error) {
	if _, err := p.logicalSize(ctx); err != nil {
		return nil, err
	}
	last := p.lastReading()
	now := make(chan reading, 1)
	now <- last
	f, err := p.shoot(ctx, now)
	if err != nil {
		return nil, err
	}
	return fit(f, last)
}

// State reads what the phone says of itself, in one service and without a picture.
func (p *Phone) State(ctx context.Context) (screen.State, error) {
	r, err := p.readState(ctx)
	return r.State, p.failed("reading the state of", err)
}

type shot struct {
	frame *screen.Frame
	err   error
}

// glance takes the picture and reads the state side by side, and waits for both.
func (p *Phone) glance(ctx context.Context) (screen.Observation, error) {
	at := time.Now()
	capturing, cancel := context.WithCancel(ctx)
	shots, now := make(chan shot, 1), make(chan reading, 1)
	go func() {
		frame, err := p.shoot(capturing, now)
		shots <- shot{frame, err}
	}()
	r, err := p.readState(ctx)
	now <- r
	if err != nil || !r.State.On {
		// there is nothing to see, and some phones never finish a capture of a dark display
		cancel()
	}
	s := <-shots
	cancel()
	if err != nil {
		return screen.Observation{}, err
	}
	p.last.Store(&r)
	look := screen.Observation{State: r.State, Bar: r.bar, At: at}
	if !r.State.On {
		return look, nil
	}
	look.Frame, err = developed(s, r)
	return look, err
}

// developed is the frame of a shot that belongs to the state, or why there is none. The flag of the
// window in front is believed, not the picture: the system's bars above it are in the picture.
func developed(s shot, r reading) (*screen.Frame, error) {
	var torn tornError
	whole := s.err == nil
	switch {
	case !whole && !errors.As(s.err, &torn):
		return nil, s.err
	case r.State.Secure && !r.State.Locked, r.hidden && (!whole || s.frame.Black()):
		return nil, hint.Add(ErrSecure, hintSecure)
	case !whole:
		return nil, s.err
	}
	return fit(s.frame, r)
}

// stateCommands are the reads of one state, which travel in one line; dumpCommands are the same in
// two, of which the second has what the next three have, under headings.
var (
	stateCommands = []string{"dumpsys power", "dumpsys window policy", "dumpsys window displays",
		"dumpsys window windows", "wm size"}
	dumpCommands = []string{"dumpsys power", "dumpsys window"}
)

// readState reads the state alone, in one service: by one command when that says all there is to
// know, by two when the phone's whole dump can be read, and otherwise each part by itself.
func (p *Phone) readState(ctx context.Context) (reading, error) {
	if !p.dumpUnread.Load() {
		r, ok, err := p.readDump(ctx)
		if ok || err != nil {
			return r, err
		}
		p.dumpUnread.Store(true)
	}
	sections, err := p.read(ctx, stateCommands...)
	if err != nil {
		return reading{}, err
	}
	return parseState(sections)
}

// readDump asks the power manager only where the window manager does not say that the display is
// lit: on phones that do not tell it there, and when it is not.
func (p *Phone) readDump(ctx context.Context) (r reading, ok bool, err error) {
	if p.tellsLit.Load() {
		s, err := p.read(ctx, dumpCommands[1])
		if err != nil {
			return reading{}, false, err
		}
		if r, ok := parseDump("", s[0]); ok {
			return r, true, nil
		}
	}
	s, err := p.read(ctx, dumpCommands...)
	if err != nil {
		return reading{}, false, err
	}
	r, ok = parseDump(s[0], s[1])
	p.tellsLit.Store(ok && r.State.On && parseLit(s[1]))
	return r, ok, nil
}

var dumpHeading = atLine("WINDOW MANAGER ", `([A-Z ]+?) \(dumpsys window `)

// parseDump reads what `dumpsys window` says of everything. ok is false when a part is missing, or
// there more than once: the title of an app's window may pass for a heading.
func parseDump(power, window string) (r reading, ok bool) {
	parts := map[string]string{}
	headings := dumpHeading.all(window)
	for i, h := range headings {
		end := len(window)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		name := window[h[2]:h[3]]
		if parts[name] != "" {
			return reading{}, false
		}
		parts[name] = window[h[0]:end]
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

// forbidden reports whether the window in front is black in a capture, and whether any that is seen
// is. In front is the one that has the focus, and what a popup of the same app stands on; while
// nothing has the focus, any may be.
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

// batch is several commands in one line, with marks between their outputs. The marks are not to be
// guessed, so no command's output can pass for another's.
type batch struct{ mark string }

func newBatch() batch { return batch{"taploop-" + rand.Text()} }

// line runs all commands, even after one that fails. Only what they say on stdout counts.
func (b batch) line(commands []string) string {
	return strings.Join(commands, " 2>/dev/null; echo "+b.mark+"; ") + " 2>/dev/null; echo " +
		b.mark
}

// split gives each command's output. ok is false when the output is not whole.
func (b batch) split(output string, n int) (sections []string, ok bool) {
	sections = strings.Split(output, b.mark+"\n")
	return sections[:len(sections)-1], len(sections) == n+1
}
