package shell

import (
	"fmt"
	"hash/fnv"
	"image"
	"strings"

	"github.com/taploop/taploop/internal/sandbox"
)

// title is what a window is called in dumps: the component in full, or the bare name of a system
// window.
func title(w sandbox.Window) string {
	if component := w.Component(); component != "" {
		return long(component)
	}
	return w.Activity
}

func windowRecord(w sandbox.Window) string {
	return fmt.Sprintf("Window{%s u0 %s}", identity(title(w)), title(w))
}

// activity is the record of the app in front, which stays what it is while a system window covers
// it.
func (s *Shell) activity() string {
	component := s.phone.Screen.App().Component()
	return fmt.Sprintf("ActivityRecord{%s u0 %s t100}", identity(component), component)
}

func dumpWindow(c *invocation, words []string) string {
	parts := map[string]func(*Shell) string{
		"displays": windowDisplays, "d": windowDisplays,
		"policy": windowPolicy, "p": windowPolicy,
		"windows": windowWindows, "w": windowWindows,
	}
	for _, word := range words {
		if strings.HasPrefix(word, "-") {
			continue
		}
		if f, ok := parts[word]; ok {
			return f(c.sh)
		}
		return fmt.Sprintf("Bad window command, or no windows match: %s\nUse -h for help.\n", word)
	}
	return windowPolicy(c.sh) + "\n" + windowDisplays(c.sh) + "\n" + windowWindows(c.sh)
}

// focus is the two lines that tools look for.
func (s *Shell) focus(indent string) string {
	return fmt.Sprintf("%smCurrentFocus=%s\n%smFocusedApp=%s\n", indent,
		windowRecord(s.phone.Screen.Foreground()), indent, s.activity())
}

func windowDisplays(s *Shell) string {
	p := s.phone
	init, cur := p.Display.PhysicalSize(), p.Display.Size()
	turned := p.Display.Rotation()
	base := ""
	if o := p.Display.Override(); o != (image.Point{}) {
		base = fmt.Sprintf(" base=%dx%d %ddpi", o.X, o.Y, p.Display.Density())
	}
	auto, _ := p.Settings.Setting("system", "accelerometer_rotation")
	return fmt.Sprintf(`WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=0 (organized)
    init=%dx%d %ddpi mMinSizeOfResizeableTaskDp=220%s cur=%dx%d app=%dx%d rng=%dx%d-%dx%d
%s
  DisplayRotation
    mRotation=ROTATION_%d mDeferredRotationPauseCount=0
    mCurrentRotation=ROTATION_%d
    mUserRotationMode=%s mUserRotation=ROTATION_%d
  WindowInsetsStateController
    InsetsState
      mDisplayFrame=Rect(0, 0 - %d, %d)
      InsetsSource id=4a9e0000 type=statusBars frame=[0,0][%d,%d] visible=true flags=[]
`, init.X, init.Y, p.Display.Density(), base, cur.X, cur.Y, cur.X, cur.Y,
		min(cur.X, cur.Y), min(cur.X, cur.Y), max(cur.X, cur.Y), max(cur.X, cur.Y),
		s.focus("    "), 90*turned, 90*turned,
		choose(auto == "1", "USER_ROTATION_FREE", "USER_ROTATION_LOCKED"), 90*turned,
		cur.X, cur.Y, cur.X, p.Screen.StatusBar())
}

func windowPolicy(s *Shell) string {
	p := s.phone
	on, locked := p.Lock.On(), p.Lock.Locked()
	return fmt.Sprintf(`WINDOW MANAGER POLICY STATE (dumpsys window policy)
    mAwake=%[1]t mScreenOnEarly=%[1]t mScreenOnFully=%[1]t
    mShowingDream=false mDreamingLockscreen=%[2]t
    isKeyguardShowing=%[2]t
    KeyguardServiceDelegate
      showing=%[2]t
      inputRestricted=%[2]t
      occluded=false
      secure=%[3]t
      screenState=%[4]s
      interactiveState=%[5]s
`, on, locked, p.Lock.HasPIN(), choose(on, "SCREEN_STATE_ON", "SCREEN_STATE_OFF"),
		choose(on, "INTERACTIVE_STATE_AWAKE", "INTERACTIVE_STATE_SLEEP"))
}

func windowWindows(s *Shell) string {
	var b strings.Builder
	b.WriteString("WINDOW MANAGER WINDOWS (dumpsys window windows)\n")
	size := s.phone.Display.Size()
	b.WriteString(windowState(s.phone.Screen.Foreground(), s.phone.Lock.On()))
	fmt.Fprintf(&b, "    Requested w=%d h=%d mLayoutSeq=24\n", size.X, size.Y)
	fmt.Fprintf(&b, "\n  mTopFocusedDisplayId=0\n%s  mHasPermanentDpad=false\n", s.focus("  "))
	return b.String()
}

// windowState is the part of a dump about one window. A window that forbids capture has SECURE
// among its flags.
func windowState(w sandbox.Window, on bool) string {
	return fmt.Sprintf(`  Window #0 %s:
    mDisplayId=0 rootTaskId=100 mSession=Session{%s 1234:u0a10101} mClient=android.os.BinderProxy@%s
    mOwnerUid=10101 showForAllUsers=false package=%s appop=NONE
    mAttrs={(0,0)(fillxfill) sim={adjust=resize forwardNavigation} ty=%s fmt=TRANSLUCENT
      fl=LAYOUT_IN_SCREEN %sLAYOUT_INSET_DECOR SPLIT_TOUCH HARDWARE_ACCELERATED
      pfl=NO_MOVE_ANIMATION EDGE_TO_EDGE_ENFORCED FIT_INSETS_CONTROLLED}
    isOnScreen=%t
    isVisible=%t
`, windowRecord(w), identity("session"+w.Package), identity("client"+w.Package), w.Package,
		choose(w.Component() == "", "NOTIFICATION_SHADE", "BASE_APPLICATION"),
		choose(w.Secure, "SECURE ", ""), on, on)
}

func dumpActivity(c *invocation, _ []string) string {
	record := c.sh.activity()
	return fmt.Sprintf("ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\nDisplay #0 "+
		"(activities from top to bottom):\n    topResumedActivity=%s\n\n  ResumedActivity: %[1]s\n"+
		"  mResumedActivity: %[1]s\n  mFocusedApp=%[1]s\n", record)
}

// identity is the address that Android prints for a named object: stable, so that dumps can be
// compared.
func identity(name string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return fmt.Sprintf("%07x", h.Sum32()&0xfffffff)
}

// choose is one of two words.
func choose(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}
