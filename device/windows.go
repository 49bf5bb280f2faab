package device

import (
	"slices"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/lazyregexp"
)

var (
	currentFocus = atLine("mCurrentFocus=", `Window\{(\S+) (?:u\d+ )?([^}\n]*)\}`)
	focusedApp   = atLine("mFocusedApp=", `[^\n]*?[ {]([\w.]+/[\w.$]+)(?: t-?\d+)?[ }]`)
	component    = lazyregexp.New(`^([\w.]+)/([\w.$]+)$`)
	windowStart  = atLine("Window #", `\d+ Window\{(\S+) (?:u\d+ )?([^}\n]*)\}`)
	windowOnMain = inLine("mDisplayId=", `(\d+)`)
	windowFlags  = inLine("fl=", `([^}\n]*)`)
)

// window is one window of `dumpsys window windows`.
type window struct {
	id      string // of all windows that there are, also of those with the same title
	pkg     string // its app, "" when the title does not tell
	visible bool
	secure  bool // FLAG_SECURE: it is black in a capture
}

// parseWindows lists the windows of the built-in display, the topmost first.
func parseWindows(s string) []window {
	var list []window
	starts := windowStart.all(s)
	for i, m := range starts {
		end := len(s)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		block := s[m[1]:end]
		if id := windowOnMain.first(block); id != "" && id != "0" {
			continue
		}
		pkg, _ := shortComponent(windowTitle(s[m[4]:m[5]]))
		list = append(list, window{s[m[2]:m[3]], pkg, visible(block),
			secureFlag(windowFlags.first(block))})
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

// front is what is in front: the focused window.
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
