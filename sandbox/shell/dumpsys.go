package shell

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// dumps are the services that tell their state.
func dumps() map[string]func(*call, []string) string {
	return map[string]func(*call, []string) string{
		"SurfaceFlinger": dumpSurfaceFlinger, "activity": dumpActivity, "battery": dumpBattery, "display": dumpDisplay,
		"input_method": dumpInputMethod, "package": dumpPackage, "power": dumpPower, "window": dumpWindow,
	}
}

func dumpsys(c *call) int {
	words := c.args
	for len(words) > 1 && words[0] == "-t" { // a time-out
		words = words[2:]
	}
	if len(words) > 0 && words[0] == "-l" {
		c.outf("Currently running services:\n")
		for _, name := range slices.Sorted(maps.Keys(dumps())) {
			c.outf("  %s\n", name)
		}
		return exitOK
	}
	if len(words) == 0 {
		return dumpAll(c)
	}
	f, ok := dumps()[words[0]]
	if !ok {
		return c.fail(exitOK, "Can't find service: %s", words[0])
	}
	c.outf("%s", f(c, words[1:]))
	return exitOK
}

func dumpAll(c *call) int {
	var b strings.Builder
	b.WriteString("Currently running services:\n")
	names := slices.Sorted(maps.Keys(dumps()))
	for _, name := range names {
		fmt.Fprintf(&b, "  %s\n", name)
	}
	for _, name := range names {
		fmt.Fprintf(&b, "%s\nDUMP OF SERVICE %s:\n%s", strings.Repeat("-", 79), name, dumps()[name](c, nil))
	}
	c.outf("%s", b.String())
	return exitOK
}

// choose is one of two words.
func choose(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

func dumpPower(c *call, _ []string) string {
	p := c.sh.phone
	on, battery := p.On(), p.Battery()
	timeout, _ := p.Setting("system", "screen_off_timeout")
	return fmt.Sprintf(`POWER MANAGER (dumpsys power)

Power Manager State:
  mDirty=0x0
  mWakefulness=%s
  mWakefulnessChanging=false
  mIsPowered=%t
  mPlugType=1
  mBatteryLevel=%d
  mDockState=0
  mStayOn=false
  mProximityPositive=false
  mBootCompleted=true
  mSystemReady=true
  mHoldingWakeLockSuspendBlocker=false
  mHoldingDisplaySuspendBlocker=%t

Settings and Configuration:
  mScreenOffTimeoutSetting=%s
  mUserActivityTimeoutOverrideFromWindowManager=-1

Wake Locks: size=0

Display Power: state=%s
`, choose(on, "Awake", "Asleep"), battery.AC, battery.Level, on, timeout, choose(on, "ON", "OFF"))
}

func dumpBattery(c *call, _ []string) string {
	b := c.sh.phone.Battery()
	return fmt.Sprintf(`Current Battery Service state:
  AC powered: %t
  USB powered: false
  Wireless powered: false
  Dock powered: false
  Max charging current: 0
  Max charging voltage: 0
  Charge counter: 0
  status: %s
  health: 2
  present: true
  level: %d
  scale: 100
  voltage: %d
  temperature: %d
  technology: Li-ion
`, b.AC, choose(b.AC, "2", "3"), b.Level, b.Voltage, b.Temperature)
}

func dumpDisplay(c *call, _ []string) string {
	p := c.sh.phone
	size, physical, turned := p.Size(), p.PhysicalSize(), p.Rotation()
	state := choose(p.On(), "ON", "OFF")
	return fmt.Sprintf(`DISPLAY MANAGER (dumpsys display)
  mSafeMode=false
  mGlobalDisplayState=%[1]s
  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:%[8]s', physicalPort=0, orientation=%[2]d, logicalFrame=Rect(0, 0 - %[3]d, %[4]d), physicalFrame=Rect(0, 0 - %[5]d, %[6]d), deviceWidth=%[5]d, deviceHeight=%[6]d}]

Logical Displays: size=1
  Display 0:
    mDisplayId=0
    mCurrentOrientation=%[2]d
    mBaseDisplayInfo=DisplayInfo{"Built-in Screen", displayId 0, real %[5]d x %[6]d, rotation 0, state %[1]s, density %[7]d}
    mOverrideDisplayInfo=DisplayInfo{"Built-in Screen", displayId 0, real %[3]d x %[4]d, largest app %[3]d x %[4]d, smallest app %[3]d x %[4]d, rotation %[2]d, state %[1]s, density %[7]d}

Display Power Controller:
  mDisplayId=0
  mScreenState=%[1]s
`, state, turned, size.X, size.Y, physical.X, physical.Y, p.Density(), displayID)
}

func dumpSurfaceFlinger(c *call, words []string) string {
	if len(words) > 0 && words[0] == "--display-id" {
		return fmt.Sprintf("Display %s (HWC display 0): port=0 pnpId=GGL displayName=\"Built-in Screen\"\n", displayID)
	}
	size := c.sh.phone.PhysicalSize()
	return fmt.Sprintf("Display %s (HWC display 0):\n  size=[%d %d]\n", displayID, size.X, size.Y)
}

func dumpInputMethod(c *call, _ []string) string {
	p := c.sh.phone
	current := p.IME()
	var b strings.Builder
	fmt.Fprintf(&b, "Current Input Method Manager state:\n  Input Methods: mMethodMapUpdateCount=1\n")
	for i, id := range p.IMEs() {
		fmt.Fprintf(&b, "  InputMethod #%d:\n      mId=%s\n", i, id)
	}
	shown := p.KeyboardShown()
	fmt.Fprintf(&b, "  mCurMethodId=%s\n  mCurId=%s mHaveConnection=true mBoundToMethod=true\n", current, current)
	fmt.Fprintf(&b, "  mShowRequested=%t mShowExplicitlyRequested=false mShowForced=false mInputShown=%t\n", shown, shown)
	fmt.Fprintf(&b, "  mSystemReady=true mInteractive=%t\n", p.On())
	return b.String()
}

func dumpPackage(c *call, words []string) string {
	if len(words) == 0 {
		var b strings.Builder
		b.WriteString("Packages:\n")
		for i, app := range c.sh.phone.Packages() {
			fmt.Fprintf(&b, "  Package [%s] (%s):\n    userId=%d\n    codePath=%s\n", app.Package, identity(app.Package), uid(i), apk(app))
		}
		return b.String()
	}
	app, ok := c.sh.find(words[0])
	if !ok {
		return fmt.Sprintf("Unable to find package: %s\n", words[0])
	}
	var b strings.Builder
	if app.Activity != "" {
		fmt.Fprintf(&b, "Activity Resolver Table:\n  Non-Data Actions:\n      %s:\n        %s %s/%s filter %s\n          Action: %q\n          Category: %q\n\n",
			actionMain, identity(app.Activity), app.Package, app.Activity, identity("filter"+app.Package), actionMain, categoryLauncher)
	}
	fmt.Fprintf(&b, "Packages:\n  Package [%s] (%s):\n    codePath=%s\n    versionCode=34 minSdk=24 targetSdk=34\n    versionName=1.0\n    pkgFlags=[ %sHAS_CODE ]\n",
		app.Package, identity(app.Package), apk(app), choose(app.System, "SYSTEM ", ""))
	return b.String()
}
