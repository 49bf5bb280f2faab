package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// App is an installed package.
type App = apps.App

// Window is the window in front. Activity is in short form (".Main"), or a bare window title such
// as "NotificationShade" when the system itself is in front.
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

// Apps holds the installed and the running apps, and the one in front.
type Apps struct {
	*core
	home    *apps.Task
	running []*apps.Task // most recently used last
	front   *apps.Task
	// whether the overview of what runs is in front of the app
	overview bool
	log      *Log
}

func newApps(c *core) *Apps {
	stack := &Apps{core: c}
	stack.reset()
	return stack
}

// reset leaves nothing but a new home screen.
func (stack *Apps) reset() {
	stack.home = stack.open(stack.sys.Find(launcherPackage))
	stack.running = nil
	stack.front, stack.overview = stack.home, false
}

// show puts the overview in front, or the app again.
func (stack *Apps) show(overview bool) {
	stack.overview = overview
	stack.sys.Moved(apps.Popup)
}

// Packages lists the installed apps by package name.
func (stack *Apps) Packages() []*App {
	list := look(stack.core, func() []*App { return slices.Clone(stack.sys.Apps) })
	slices.SortFunc(list, func(a, b *App) int { return strings.Compare(a.Package, b.Package) })
	return list
}

// Secluded reports whether there is a profile that the shell may not see.
func (stack *Apps) Secluded() bool { return stack.opts.Profile }

// Start starts a component such as "com.android.settings/.Settings". The class may be written in
// full. Only launcher activities can be started from outside.
func (stack *Apps) Start(component string) error {
	pkg, class, _ := strings.Cut(component, "/")
	return stack.start(pkg, strings.TrimPrefix(class, pkg))
}

// Launch brings an app to the front as its icon does: as it was left, or new.
func (stack *Apps) Launch(pkg string) error { return stack.start(pkg, "") }

// start brings an app to the front by its activity, where "" is the one that it has.
func (stack *Apps) start(pkg, activity string) error {
	return ask(stack.core, func() error {
		app := stack.sys.Find(pkg)
		switch {
		case app == nil:
			return fmt.Errorf("starting %s: it is not installed", pkg)
		case app.Activity == "", activity != "" && activity != app.Activity:
			return fmt.Errorf("starting %s: it has no such activity", pkg)
		}
		stack.bring(app)
		stack.log.Write('I', "ActivityTaskManager", "START "+pkg+"/"+app.Activity)
		return nil
	})
}

// ForceStop ends an app if it runs: pages and unsaved input are gone, what it stored stays.
func (stack *Apps) ForceStop(pkg string) { stack.do(func() { stack.end(pkg) }) }

func (stack *Apps) end(pkg string) {
	stack.running = slices.DeleteFunc(stack.running, func(t *apps.Task) bool {
		return t.App.Package == pkg
	})
	if stack.front.App.Package != pkg {
		return
	}
	stack.front = stack.home
	stack.sys.Moved(apps.Popup)
}

func (stack *Apps) open(a *apps.App) *apps.Task {
	t := &apps.Task{Host: stack.sys, App: a}
	t.Pages = []*apps.Page{a.Open(t)}
	return t
}

// bring brings an app to the front, most recently used.
func (stack *Apps) bring(a *apps.App) {
	if a.Package == launcherPackage {
		stack.goHome()
		return
	}
	task := apps.First(stack.running,
		func(t *apps.Task) bool { return t.App.Package == a.Package })
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

func (stack *Apps) goHome() {
	if stack.front != stack.home || stack.overview {
		stack.sys.Moved(apps.Popup)
	}
	stack.home.PopAll()
	stack.home.Dialog = nil
	stack.front, stack.overview = stack.home, false
}

// window is the window of the app in front, or of its dialog.
func (stack *Apps) window() Window {
	if stack.overview {
		return Window{Package: launcherPackage, Activity: ".RecentsActivity"}
	}
	page := stack.front.Top()
	w := Window{Package: stack.front.App.Package, Activity: page.Activity, Secure: page.Secure}
	if d := stack.front.Dialog; d != nil && d.Package != "" {
		w.Package, w.Activity = d.Package, ".ui.GrantPermissionsActivity"
	}
	return w
}
