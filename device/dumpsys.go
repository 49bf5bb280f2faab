package device

import (
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/lazyregexp"
	"github.com/taploop/taploop/screen"
)

// The parsers of this file are pure functions over what Android's services print about themselves.
// The formats differ between versions and makers, so each looks for the few fields that it needs,
// newest form first, and says when none is there. The golden cases in testdata/state hold the
// forms.

var (
	wakefulness  = lazyregexp.New(`(?m)^\s*mWakefulness=(\w+)`)
	displayPower = lazyregexp.New(`(?m)^\s*Display Power: state=(\w+)`)
	screenOn     = lazyregexp.New(`(?m)^\s*mScreenOn=(true|false)`)
)

// parsePower reads `dumpsys power`: whether the display is lit for a person. A clock on a dozing
// display is not.
func parsePower(s string) (on, ok bool) {
	awake := first(wakefulness, s)
	lit := first(displayPower, s)
	switch {
	case awake == "Asleep" || awake == "Dozing", lit == "OFF" || strings.HasPrefix(lit, "DOZE"):
		return false, true
	case awake != "" || lit != "":
		return true, true
	}
	old := first(screenOn, s)
	return old == "true", old != ""
}

var (
	interactive = lazyregexp.New(`(?m)^\s*interactiveState=INTERACTIVE_STATE_AWAKE\s*$`)
	screenState = lazyregexp.New(`(?m)^\s*screenState=SCREEN_STATE_ON\s*$`)
)

// parseLit reports whether `dumpsys window policy` says that the display is lit for a person. When
// it does not, nothing is known: it may be off, dozing or about to change, or the version prints
// other words.
func parseLit(policy string) bool {
	return interactive.MatchString(policy) && screenState.MatchString(policy)
}

var (
	keyguardShowing  = lazyregexp.New(`(?m)^\s*showing=(true|false)`)
	keyguardOccluded = lazyregexp.New(`(?m)^\s*occluded=(true|false)`)
	keyguardSecure   = lazyregexp.New(`(?m)^\s*secure=(true|false)`)
	keyguardOld      = lazyregexp.New(
		`\b(?:mIsShowing|mShowingLockscreen|isStatusBarKeyguard)=(true|false)`)
)

// keyguard is the lock screen as `dumpsys window policy` reports it.
type keyguard struct {
	front  bool // it is in front; an alarm or a call above it is not it
	secure bool // it asks for a PIN, a pattern or a password
}

func parseKeyguard(policy string) keyguard {
	if i := strings.Index(policy, "KeyguardServiceDelegate"); i >= 0 {
		policy = policy[i:]
	}
	showing := first(keyguardShowing, policy)
	if showing == "" {
		showing = first(keyguardOld, policy)
	}
	return keyguard{
		front:  showing == "true" && first(keyguardOccluded, policy) != "true",
		secure: first(keyguardSecure, policy) == "true",
	}
}

var (
	displayStart = lazyregexp.New(`(?m)^\s*Display: mDisplayId=(\d+)`)
	sizes        = lazyregexp.New(`\b(init|base|cur)=(\d{1,5})x(\d{1,5})\b`)
)

// mainDisplay is the part of `dumpsys window displays` that is about the built-in display.
func mainDisplay(displays string) string {
	starts := displayStart.FindAllStringSubmatchIndex(displays, -1)
	for i, s := range starts {
		if displays[s[2]:s[3]] != "0" {
			continue
		}
		if i+1 < len(starts) {
			return displays[s[0]:starts[i+1][0]]
		}
		return displays[s[0]:]
	}
	return displays
}

// geometry is the sizes of a display.
type geometry struct {
	natural screen.Size // as the display is not turned: an override, else the panel itself
	panel   screen.Size // the panel itself
	now     screen.Size // as it is turned now; zero when it is not reported
}

// parseGeometry reads `dumpsys window displays`, and `wm size` for what is missing there.
func parseGeometry(display, wmSize string) geometry {
	var g geometry
	for _, m := range sizes.FindAllStringSubmatch(display, -1) {
		size := toSize(m[2], m[3])
		switch {
		case m[1] == "init" && !g.panel.Valid():
			g.panel = size
		case m[1] == "base" && !g.natural.Valid():
			g.natural = size
		case m[1] == "cur" && !g.now.Valid():
			g.now = size
		}
	}
	physical, override := parseWMSize(wmSize)
	g.panel = firstSize(g.panel, physical)
	g.natural = firstSize(g.natural, override, g.panel)
	return g
}

// statusBar is a line about where a window's insets come from: of the form before Android 14 too.
var statusBar = lazyregexp.New(`(?m)^\s*InsetsSource\b.*\btype=(?:ITYPE_STATUS_BAR|statusBars)` +
	` frame=\[0,0\]\[(\d{1,5}),(\d{1,5})\].*\bvisible=true\b`)

// parseBar is the share of the display's height that the status bar covers, 0 when it does not say.
func parseBar(display string, size screen.Size) float64 {
	m := statusBar.FindStringSubmatch(display)
	if m == nil {
		return 0
	}
	bar := toSize(m[1], m[2])
	if bar.W != size.W || bar.H*8 > size.H {
		return 0 // of another display, or of another rotation
	}
	return float64(bar.H) / float64(size.H)
}

var (
	wmPhysical = lazyregexp.New(`(?m)^\s*Physical size: (\d{1,5})x(\d{1,5})`)
	wmOverride = lazyregexp.New(`(?m)^\s*Override size: (\d{1,5})x(\d{1,5})`)
)

// parseWMSize reads `wm size`; what is missing is zero.
func parseWMSize(s string) (physical, override screen.Size) {
	if m := wmPhysical.FindStringSubmatch(s); m != nil {
		physical = toSize(m[1], m[2])
	}
	if m := wmOverride.FindStringSubmatch(s); m != nil {
		override = toSize(m[1], m[2])
	}
	return physical, override
}

func toSize(w, h string) screen.Size {
	x, _ := strconv.Atoi(w)
	y, _ := strconv.Atoi(h)
	return screen.Size{W: x, H: y}
}

func firstSize(sizes ...screen.Size) screen.Size {
	for _, s := range sizes {
		if s.Valid() {
			return s
		}
	}
	return screen.Size{}
}

// rotations are the places where a display's rotation is reported, the surest first. A window's own
// mRotation comes last: an app may be turned differently from the display.
var rotations = []*lazyregexp.Regexp{
	lazyregexp.New(`(?ms)^\s*DisplayRotation\b.*?\bmRotation=(?:ROTATION_)?(\d+)`),
	lazyregexp.New(`\bmDisplayInfo=DisplayInfo\{[^\n]*?\brotation (\d)`),
	lazyregexp.New(`\bmDisplayRotation=ROTATION_(\d+)`),
	lazyregexp.New(`(?m)^\s*mRotation=(?:ROTATION_)?(\d+)`),
}

// parseRotation reads the rotation from the display's own part, then from what older versions print
// with the windows. What does not fit the sizes is not believed.
func parseRotation(display, windows string, g geometry) screen.Rotation {
	turned := g.now.Valid() && g.now == g.natural.Turned() && g.natural.W != g.natural.H
	upright := g.now.Valid() && g.now == g.natural && g.natural.W != g.natural.H
	for _, text := range []string{display, windows} {
		for _, r := range rotations {
			n, err := strconv.Atoi(first(r, text))
			if err != nil {
				continue
			}
			if n >= 90 {
				n /= 90
			}
			if n > 3 || turned && n%2 == 0 || upright && n%2 == 1 {
				continue
			}
			return screen.Rotation(n)
		}
	}
	if turned {
		return 1
	}
	return 0
}

// first is the first group of the first match of r in s, or "".
func first(r *lazyregexp.Regexp, s string) string {
	m := r.FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	return m[1]
}
