package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/sandbox/apps"
)

const (
	launcherPackage = apps.Launcher
	systemUI        = "com.android.systemui"
	latinPackage    = "com.android.inputmethod.latin"
	adbPackage      = "com.android.adbkeyboard"
)

// Reasons for which an app cannot be started.
var (
	ErrNoPackage  = errors.New("package is not installed")
	ErrNoActivity = errors.New("activity does not exist")
)

// App is an installed package.
type App struct {
	Package  string
	Label    string // in the phone's language
	Activity string // launcher activity in short form (".Main"), "" when it cannot be launched
	System   bool
}

// Window is what is in front. Activity is in short form (".Main"), or a bare window title such as "NotificationShade"
// when the system itself is in front.
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

func installed(adbKeyboard bool) []*apps.App {
	list := append(apps.All(),
		&apps.App{Package: systemUI, EN: "System UI", ZH: "系统界面", System: true},
		&apps.App{Package: latinPackage, EN: "Keyboard", ZH: "键盘", System: true},
	)
	if adbKeyboard {
		list = append(list, &apps.App{Package: adbPackage, EN: "ADB Keyboard", ZH: "ADB Keyboard"})
	}
	return list
}

// Packages lists what is installed, by package name.
func (p *Phone) Packages() (list []App) {
	p.do(func() {
		for _, a := range p.sys.Apps {
			list = append(list, App{a.Package, a.Label(p.sys), a.Activity, a.System})
		}
	})
	slices.SortFunc(list, func(a, b App) int { return strings.Compare(a.Package, b.Package) })
	return list
}

// Running lists the packages of running apps, most recently used first.
func (p *Phone) Running() (pkgs []string) {
	p.do(func() {
		for _, t := range slices.Backward(p.running) {
			pkgs = append(pkgs, t.App.Package)
		}
	})
	return pkgs
}

// Start starts a component such as "com.android.settings/.Settings"; the class may be written in full. Only launcher
// activities can be started from outside. Errors wrap ErrNoPackage or ErrNoActivity.
func (p *Phone) Start(component string) (err error) {
	pkg, class, ok := strings.Cut(component, "/")
	if !ok {
		return fmt.Errorf("component %q: want PACKAGE/ACTIVITY", component)
	}
	p.do(func() {
		app := p.sys.Find(pkg)
		switch class = strings.TrimPrefix(class, pkg); {
		case app == nil:
			err = fmt.Errorf("starting %s: %w", component, ErrNoPackage)
		case app.Activity == "" || class != app.Activity:
			err = fmt.Errorf("starting %s: %w", component, ErrNoActivity)
		default:
			p.bring(app)
		}
	})
	return err
}

// Launch brings an app to the front as its icon does: as it was left, or new. Errors wrap ErrNoPackage or ErrNoActivity.
func (p *Phone) Launch(pkg string) (err error) {
	p.do(func() {
		switch app := p.sys.Find(pkg); {
		case app == nil:
			err = fmt.Errorf("launching %s: %w", pkg, ErrNoPackage)
		case app.Activity == "":
			err = fmt.Errorf("launching %s: %w", pkg, ErrNoActivity)
		default:
			p.bring(app)
		}
	})
	return err
}

// ForceStop ends an app: pages and unsaved input are gone, what it stored stays. The error wraps ErrNoPackage.
func (p *Phone) ForceStop(pkg string) (err error) {
	p.do(func() {
		if p.sys.Find(pkg) == nil {
			err = fmt.Errorf("stopping %s: %w", pkg, ErrNoPackage)
			return
		}
		p.end(pkg)
	})
	return err
}

func (p *Phone) end(pkg string) {
	p.running = slices.DeleteFunc(p.running, func(t *apps.Task) bool { return t.App.Package == pkg })
	if p.front.App.Package != pkg {
		return
	}
	if pkg == launcherPackage {
		p.home = p.open(p.sys.Find(launcherPackage))
	}
	p.front = p.home
	p.sys.Moved(apps.Close)
}

func (p *Phone) open(a *apps.App) *apps.Task {
	t := &apps.Task{Phone: p.sys, App: a}
	t.Pages = []*apps.Page{a.Open(t)}
	return t
}

// bring brings an app to the front, most recently used.
func (p *Phone) bring(a *apps.App) {
	if a.Package == launcherPackage {
		p.goHome()
		return
	}
	task := p.task(a.Package)
	if task == nil {
		task = p.open(a)
	} else {
		p.running = slices.DeleteFunc(p.running, func(t *apps.Task) bool { return t == task })
	}
	p.running = append(p.running, task)
	if p.front != task || p.cover != coverNone {
		p.sys.Moved(apps.Open)
	}
	p.front, p.cover = task, coverNone
}

func (p *Phone) task(pkg string) *apps.Task {
	i := slices.IndexFunc(p.running, func(t *apps.Task) bool { return t.App.Package == pkg })
	if i < 0 {
		return nil
	}
	return p.running[i]
}

func (p *Phone) goHome() {
	if p.front != p.home || p.cover != coverNone {
		p.sys.Moved(apps.Close)
	}
	p.home.PopTo(1)
	p.home.Dialog = nil
	p.front, p.cover = p.home, coverNone
}

// Foreground is the window in front: the app's, its dialog's, or the system's when the phone is locked or off.
func (p *Phone) Foreground() (w Window) {
	p.do(func() { w = p.window() })
	return w
}

func (p *Phone) window() Window {
	switch {
	case p.locked, p.cover == coverShade:
		return Window{Package: systemUI, Activity: "NotificationShade"}
	case p.cover == coverRecents:
		return Window{Package: launcherPackage, Activity: ".RecentsActivity"}
	}
	page := p.front.Top()
	w := Window{Package: p.front.App.Package, Activity: page.Activity, Secure: page.Secure}
	if d := p.front.Dialog; d != nil && d.Package != "" {
		w.Package, w.Activity = d.Package, ".ui.GrantPermissionsActivity"
	}
	return w
}
