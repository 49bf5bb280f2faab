package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

const (
	launcherPackage = apps.Launcher
	systemUI        = "com.android.systemui"
	latinPackage    = "com.android.inputmethod.latin"
	adbPackage      = "com.android.adbkeyboard"
)

// App is an installed package.
type App = apps.App

// Window is what is in front. Activity is in short form (".Main"), or a bare window title such as
// "NotificationShade" when the system itself is in front.
type Window struct {
	Package  string
	Activity string
	Secure   bool // it forbids capture
}

// Component is the window's activity as "package/.Activity", or "" when the window is no activity.
func (w Window) Component() string {
	if !strings.HasPrefix(w.Activity, ".") {
		return ""
	}
	return w.Package + "/" + w.Activity
}

func (o *Options) installed() []*apps.App {
	list := append(append(apps.All(), o.Apps...),
		&apps.App{Package: systemUI, EN: "System UI", ZH: "系统界面", System: true},
		&apps.App{Package: latinPackage, EN: "Keyboard", ZH: "键盘", System: true},
	)
	if o.adbKeyboard() {
		list = append(list, &apps.App{Package: adbPackage, EN: "ADB Keyboard", ZH: "ADB Keyboard"})
	}
	return list
}

// appStack is the apps: what is installed, what runs, and what is in front.
type appStack struct {
	*core
	home    *apps.Task
	running []*apps.Task // most recently used last
	front   *apps.Task
	// whether the overview of what runs is in front of the app
	overview bool
}

func newAppStack(c *core) *appStack {
	stack := &appStack{core: c}
	stack.reset()
	return stack
}

// reset leaves nothing but a new home screen.
func (stack *appStack) reset() {
	stack.home = stack.open(stack.sys.Find(launcherPackage))
	stack.running = nil
	stack.front, stack.overview = stack.home, false
}

// show puts the overview in front, or the app again.
func (stack *appStack) show(overview bool) {
	stack.overview = overview
	stack.sys.Moved(apps.Popup)
}

// Packages lists what is installed, by package name.
func (stack *appStack) Packages() []*App {
	list := look(stack.core, func() []*App { return slices.Clone(stack.sys.Apps) })
	slices.SortFunc(list, func(a, b *App) int { return strings.Compare(a.Package, b.Package) })
	return list
}

// Start starts a component such as "com.android.settings/.Settings"; the class may be written in
// full. Only launcher activities can be started from outside.
func (stack *appStack) Start(component string) error {
	pkg, class, _ := strings.Cut(component, "/")
	return stack.start(pkg, strings.TrimPrefix(class, pkg))
}

// Launch brings an app to the front as its icon does: as it was left, or new.
func (stack *appStack) Launch(pkg string) error { return stack.start(pkg, "") }

// start brings an app to the front by its activity, where "" is the one that it has.
func (stack *appStack) start(pkg, activity string) error {
	return ask(stack.core, func() error {
		app := stack.sys.Find(pkg)
		switch {
		case app == nil:
			return fmt.Errorf("starting %s: it is not installed", pkg)
		case app.Activity == "", activity != "" && activity != app.Activity:
			return fmt.Errorf("starting %s: it has no such activity", pkg)
		}
		stack.bring(app)
		return nil
	})
}

// ForceStop ends an app if it runs: pages and unsaved input are gone, what it stored stays.
func (stack *appStack) ForceStop(pkg string) { stack.do(func() { stack.end(pkg) }) }

func (stack *appStack) end(pkg string) {
	stack.running = slices.DeleteFunc(stack.running, func(t *apps.Task) bool {
		return t.App.Package == pkg
	})
	if stack.front.App.Package != pkg {
		return
	}
	stack.front = stack.home
	stack.sys.Moved(apps.Popup)
}

func (stack *appStack) open(a *apps.App) *apps.Task {
	t := &apps.Task{Host: stack.sys, App: a}
	t.Pages = []*apps.Page{a.Open(t)}
	return t
}

// bring brings an app to the front, most recently used.
func (stack *appStack) bring(a *apps.App) {
	if a.Package == launcherPackage {
		stack.goHome()
		return
	}
	task := stack.task(a.Package)
	if task == nil {
		task = stack.open(a)
	}
	others := slices.DeleteFunc(stack.running, func(t *apps.Task) bool { return t == task })
	stack.running = append(others, task)
	if stack.front != task || stack.overview {
		stack.sys.Moved(apps.Backward)
	}
	stack.front, stack.overview = task, false
}

func (stack *appStack) task(pkg string) *apps.Task {
	return apps.First(stack.running, func(t *apps.Task) bool { return t.App.Package == pkg })
}

func (stack *appStack) goHome() {
	if stack.front != stack.home || stack.overview {
		stack.sys.Moved(apps.Popup)
	}
	stack.home.PopAll()
	stack.home.Dialog = nil
	stack.front, stack.overview = stack.home, false
}

// Foreground is the window in front: the app's, its dialog's, or the system's when the phone is
// locked or off.
func (sc *screen) Foreground() Window { return look(sc.core, sc.window) }

// App is the app's window in front, which stays what it is while the system's covers it.
func (sc *screen) App() Window { return look(sc.core, sc.app) }

func (sc *screen) window() Window {
	if sc.locked {
		return Window{Package: systemUI, Activity: "NotificationShade"}
	}
	return sc.app()
}

func (sc *screen) app() Window {
	if sc.overview {
		return Window{Package: launcherPackage, Activity: ".RecentsActivity"}
	}
	page := sc.front.Top()
	w := Window{Package: sc.front.App.Package, Activity: page.Activity, Secure: page.Secure}
	if d := sc.front.Dialog; d != nil && d.Package != "" {
		w.Package, w.Activity = d.Package, ".ui.GrantPermissionsActivity"
	}
	return w
}
