package device

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/screen"
)

// The parsers of this file are pure functions over what Android's services print about themselves.
// The formats differ between versions and makers, so each looks for the few fields that it needs,
// newest form first, and says when none is there. The golden cases in testdata/state hold the
// forms.

var (
	wakefulness  = atLine("mWakefulness=", `(\w+)`)
	displayPower = atLine("Display Power: state=", `(\w+)`)
	screenOn     = atLine("mScreenOn=", `(true|false)`)
)

// parsePower reads `dumpsys power`: whether the display is lit for a person. A clock on a dozing
// display is not.
func parsePower(s string) (on, ok bool) {
	awake := wakefulness.first(s)
	lit := displayPower.first(s)
	switch {
	case awake == "Asleep" || awake == "Dozing", lit == "OFF" || strings.HasPrefix(lit, "DOZE"):
		return false, true
	case awake != "" || lit != "":
		return true, true
	}
	old := screenOn.first(s)
	return old == "true", old != ""
}

var (
	interactive = atLine("interactiveState=", `(\S+)[ \t\r]*(?:\n|$)`)
	screenState = atLine("screenState=", `(\S+)[ \t\r]*(?:\n|$)`)
)

// parseLit reports whether `dumpsys window policy` says that the display is lit for a person. When
// it does not, nothing is known: it may be off, dozing or about to change, or the version prints
// other words.
func parseLit(policy string) bool {
	return interactive.first(policy) == "INTERACTIVE_STATE_AWAKE" &&
		screenState.first(policy) == "SCREEN_STATE_ON"
}

var (
	keyguardShowing  = atLine("showing=", `(true|false)`)
	keyguardOccluded = atLine("occluded=", `(true|false)`)
	keyguardSecure   = atLine("secure=", `(true|false)`)
	keyguardOld      = regexp.MustCompile(
		`\b(?:mIsShowing|mShowingLockscreen|isStatusBarKeyguard)=(true|false)`)
)

// keyguard is the lock screen as `dumpsys window policy` reports it.
type keyguard struct {
	front  bool // it is the app in front, not an alarm or a call above it
	secure bool // it asks for a PIN, a pattern or a password
}

func parseKeyguard(policy string) keyguard {
	if i := strings.Index(policy, "KeyguardServiceDelegate"); i >= 0 {
		policy = policy[i:]
	}
	showing := keyguardShowing.first(policy)
	if showing == "" {
		showing = first(keyguardOld, policy)
	}
	return keyguard{
		front:  showing == "true" && keyguardOccluded.first(policy) != "true",
		secure: keyguardSecure.first(policy) == "true",
	}
}

var (
	displayStart = atLine("Display: mDisplayId=", `(\d+)`)
	sizeInit     = inLine("init=", wxh)
	sizeBase     = inLine("base=", wxh)
	sizeNow      = inLine("cur=", wxh)
)

const wxh = `(\d{1,5})x(\d{1,5})\b`

// size returns the size in a field of s, or zero if missing.
func size(f field, s string) screen.Size {
	if g := f.groups(s); g != nil {
		return toSize(g[0], g[1])
	}
	return screen.Size{}
}

// mainDisplay is the part of `dumpsys window displays` that is about the built-in display.
func mainDisplay(displays string) string {
	for _, b := range displayStart.blocks(displays) {
		if b.groups[0] == "0" {
			return b.text
		}
	}
	return displays
}

// geometry is the sizes of a display.
type geometry struct {
	natural screen.Size // as the display is not turned: an override, else the panel itself
	panel   screen.Size // the panel itself
	now     screen.Size // the size in the current rotation, zero if not reported
}

// parseGeometry reads `dumpsys window displays`, and takes missing values from `wm size`.
func parseGeometry(display, wmSize string) geometry {
	g := geometry{natural: size(sizeBase, display), panel: size(sizeInit, display),
		now: size(sizeNow, display)}
	physical, override := parseWMSize(wmSize)
	g.panel = firstSize(g.panel, physical)
	g.natural = firstSize(g.natural, override, g.panel)
	return g
}

// statusBar is a line about where a window's insets come from: of the form before Android 14 too.
var statusBar = atLine("InsetsSource", `\b.*\btype=(?:ITYPE_STATUS_BAR|statusBars)`+
	` frame=\[0,0\]\[(\d{1,5}),(\d{1,5})\].*\bvisible=true\b`)

// parseBar is the share of the display's height that the status bar covers, 0 when it does not say.
func parseBar(display string, of screen.Size) float64 {
	bar := size(statusBar, display)
	if bar.W != of.W || bar.H*8 > of.H || !of.Valid() {
		return 0 // of another display, or of another rotation
	}
	return float64(bar.H) / float64(of.H)
}

var (
	wmPhysical = atLine("Physical size: ", `(\d{1,5})x(\d{1,5})`)
	wmOverride = atLine("Override size: ", `(\d{1,5})x(\d{1,5})`)
)

// parseWMSize reads `wm size`. A missing size is zero.
func parseWMSize(s string) (physical, override screen.Size) {
	return size(wmPhysical, s), size(wmOverride, s)
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
var rotations = []field{
	atLine("DisplayRotation", `(?s)\b.*?\bmRotation=(?:ROTATION_)?(\d+)`),
	inLine("mDisplayInfo=DisplayInfo{", `[^\n]*?\brotation (\d)`),
	inLine("mDisplayRotation=ROTATION_", `(\d+)`),
	atLine("mRotation=", `(?:ROTATION_)?(\d+)`),
}

// parseRotation reads the rotation from the display's own part, then from what older versions print
// with the windows. What does not fit the sizes is not believed.
func parseRotation(display, windows string, g geometry) screen.Rotation {
	turned := g.now.Valid() && g.now == g.natural.Turned() && g.natural.W != g.natural.H
	upright := g.now.Valid() && g.now == g.natural && g.natural.W != g.natural.H
	for _, text := range []string{display, windows} {
		for _, r := range rotations {
			n, err := strconv.Atoi(r.first(text))
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
func first(r *regexp.Regexp, s string) string {
	m := r.FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	return m[1]
}

var (
	currentFocus = atLine("mCurrentFocus=", `Window\{(\S+) (?:u\d+ )?([^}\n]*)\}`)
	focusedApp   = atLine("mFocusedApp=", `[^\n]*?[ {]([\w.]+/[\w.$]+)(?: t-?\d+)?[ }]`)
	component    = regexp.MustCompile(`^([\w.]+)/([\w.$]+)$`)
	windowStart  = atLine("Window #", `\d+ Window\{(\S+) (?:u\d+ )?([^}\n]*)\}`)
	windowOnMain = inLine("mDisplayId=", `(\d+)`)
	windowFlags  = inLine("fl=", `([^}\n]*)`)
)

// window is one window of `dumpsys window windows`.
type window struct {
	id      string // of all windows that there are, even of those with the same title
	pkg     string // its app, "" when the title does not tell
	visible bool
	secure  bool // FLAG_SECURE: it is black in a capture
}

// parseWindows lists the windows of the built-in display, the topmost first.
func parseWindows(s string) []window {
	var list []window
	for _, b := range windowStart.blocks(s) {
		if id := windowOnMain.first(b.rest); id != "" && id != "0" {
			continue
		}
		pkg, _ := shortComponent(windowTitle(b.groups[1]))
		list = append(list, window{b.groups[0], pkg, visible(b.rest),
			secureFlag(windowFlags.first(b.rest))})
	}
	return list
}

// windowTitle takes off what older versions print behind a title.
func windowTitle(t string) string {
	t = strings.TrimSuffix(t, " EXITING")
	t, _, _ = strings.Cut(t, " paused=")
	return t
}

// visible reports whether a window is drawn, from the fields of the versions, newest first.
func visible(block string) bool {
	for _, field := range []string{"isVisible=", "isOnScreen=", "isReadyForDisplay()=",
		"mHasSurface="} {
		if _, rest, ok := strings.Cut(block, field); ok {
			return strings.HasPrefix(rest, "true")
		}
	}
	return false
}

const flagSecure = 0x2000

// secureFlag reads window flags: names since Android 9, a hexadecimal number before.
func secureFlag(flags string) bool {
	fields := strings.Fields(flags)
	if slices.Contains(fields, "SECURE") {
		return true
	}
	if len(fields) == 0 || !strings.HasPrefix(fields[0], "#") {
		return false
	}
	n, err := strconv.ParseUint(fields[0][1:], 16, 64)
	return err == nil && n&flagSecure != 0
}

// front is the focused window.
type front struct {
	window string // the focused window's id, "" when nothing has the focus
	part   bool   // it is a part of the app that is in front: a popup, a menu
	app    string // package
	object string // component, "" when the system itself is in front
}

// systemWindows are the titles of the system's own windows that take the whole screen over.
var systemWindows = []string{"NotificationShade", "StatusBar", "Keyguard", "KeyguardScrim",
	"LockScreen"}

const systemUI = "com.android.systemui"

// parseFront reads the focus from the display's own part, then from what older versions print with
// the windows. A window that is no activity (a popup, a dialog of the system) belongs to the
// focused app.
func parseFront(display, windows string) front {
	var f front
	var title, app string
	for _, s := range []string{display, windows} {
		if g := currentFocus.groups(s); g != nil && f.window == "" {
			f.window, title = g[0], windowTitle(g[1])
		}
		if app == "" {
			app = focusedApp.first(s)
		}
	}
	if slices.Contains(systemWindows, title) {
		f.app = systemUI
		return f
	}
	if component.MatchString(title) {
		app = title
	} else {
		f.part = true
	}
	f.app, f.object = shortComponent(app)
	return f
}

// shortComponent splits "com.x/com.x.Main" into the package and "com.x/.Main".
func shortComponent(s string) (pkg, short string) {
	m := component.FindStringSubmatch(s)
	if m == nil {
		return "", ""
	}
	class := m[2]
	if rest, ok := strings.CutPrefix(class, m[1]+"."); ok {
		class = "." + rest
	}
	return m[1], m[1] + "/" + class
}
