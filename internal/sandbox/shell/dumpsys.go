package shell

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/sandbox"
)

// dumps are the services that print their state.
func dumps() map[string]func(*invocation, []string) string {
	return map[string]func(*invocation, []string) string{
		"SurfaceFlinger": dumpSurfaceFlinger,
		"activity":       dumpActivity, "dropbox": dumpDropBox, "input_method": dumpInputMethod,
		"battery": dumpBattery,
		"package": dumpPackage,
		"power":   dumpPower,
		"window":  dumpWindow,
	}
}

func dumpsys(c *invocation) int {
	name := strings.Join(c.args[:min(1, len(c.args))], "")
	f, ok := dumps()[name]
	if !ok {
		return c.fail(exitOK, "Can't find service: %s", name)
	}
	c.outf("%s", f(c, c.args[1:]))
	return exitOK
}

func dumpBattery(*invocation, []string) string {
	return `Current Battery Service state:
  AC powered: false
  USB powered: true
  status: 2
  health: 2
  present: true
  level: 87
  scale: 100
  voltage: 4123
  temperature: 271
  technology: Li-ion
`
}

func dumpPackage(c *invocation, args []string) string {
	pkg := strings.Join(args[:min(1, len(args))], "")
	if !c.sh.installed(func(app *sandbox.App) bool { return app.Package == pkg }) {
		return "Unable to find package: " + pkg + "\n"
	}
	return fmt.Sprintf("Packages:\n  Package [%s] (3c6fb5):\n    versionCode=1 minSdk=26 "+
		"targetSdk=34\n    versionName=1.0\n", pkg)
}

func dumpPower(c *invocation, _ []string) string {
	p := c.sh.phone
	on := p.Lock.On()
	return fmt.Sprintf(`POWER MANAGER (dumpsys power)

Power Manager State:
  mWakefulness=%s
  mBootCompleted=true
  mSystemReady=true
  mHoldingDisplaySuspendBlocker=%t

Wake Locks: size=0

Display Power: state=%s
`, choose(on, "Awake", "Asleep"), on, choose(on, "ON", "OFF"))
}

func dumpInputMethod(c *invocation, _ []string) string {
	p := c.sh.phone
	current, shown := p.Keyboard.IME(), p.Screen.KeyboardShown()
	var b strings.Builder
	b.WriteString("Current Input Method Manager state:\n  Input Methods: mMethodMapUpdateCount=1\n")
	for i, id := range p.Keyboard.IMEs() {
		fmt.Fprintf(&b, "  InputMethod #%d:\n      mId=%s\n", i, id)
	}
	fmt.Fprintf(&b, "  mCurMethodId=%s\n  mCurId=%s mHaveConnection=true mBoundToMethod=true\n",
		current, current)
	fmt.Fprintf(&b, "  mShowRequested=%t mInputShown=%t\n", shown, shown)
	fmt.Fprintf(&b, "  mSystemReady=true mInteractive=%t\n\n", p.Lock.On())
	b.WriteString(dumpClient(p.Screen.Focus(), current))
	return b.String()
}

// dumpClient is what the app in front says of the view that its input goes to. Any view that has
// the focus is served. Only one that takes text has a connection.
func dumpClient(f sandbox.Focus, ime string) string {
	view, info := "null", " null"
	connection := "null"
	if f.Class != "" {
		view = fmt.Sprintf("%s{%s V.ED..C.. .F...... app:%s}", f.Class, identity(f.ID), f.ID)
		info = fmt.Sprintf("\n    inputType=%#x imeOptions=0x0 privateImeOptions=null", f.InputType)
	}
	if f.Field {
		connection = fmt.Sprintf("RemoteInputConnectionImpl{connection=android.widget.Editable"+
			"InputConnection@%s mDeactivateRequested=false mServedView=%s}", identity(f.ID), view)
	}
	const manager = "android.view.inputmethod.InputMethodManager"
	return fmt.Sprintf(`Input method client state for %s@%s:
  mActive=true mRestartOnNextWindowFocus=false mBindSequence=7 mCurImeId=%s
  mFullscreenMode=false
  mServedView=%s
  mNextServedView=%s
  mServedConnecting=false
  mCurrentEditorInfo:%s
  mServedInputConnection=%s
`, manager, identity("client"), ime, view, view, info, connection)
}
