package sandbox

import (
	"image"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// Simulator is a simulated phone: its parts around one state of its system. All methods of all
// parts are safe for concurrent use, and each sees and leaves a whole state.
type Simulator struct {
	Settings *Settings
	Display  *Display
	Lock     *Lock
	Apps     *Apps
	Keyboard *Keyboard
	Screen   *Screen
	Keys     *Keys
	Touch    *Touch
	Log      *Log

	core  *core
	stage *stage
	files *Files
}

// New makes a phone that is switched on.
func New(opts *Options) *Simulator {
	o := opts.withDefaults()
	c := &core{opts: o, sys: newSystem(&o)}
	p := &Simulator{core: c, Settings: &Settings{c}, Keyboard: &Keyboard{core: c},
		Apps: newApps(c), Log: &Log{now: o.Now}, files: newFiles(o.Now)}
	p.Apps.log = p.Log
	p.Display = &Display{core: c, settings: p.Settings}
	p.Lock = &Lock{core: c, lockState: lockState{locked: o.Locked}}
	p.Screen = &Screen{core: c, display: p.Display, lock: p.Lock, stack: p.Apps,
		keyboard: p.Keyboard, shade: &shade{core: c, lock: p.Lock, stack: p.Apps}}
	p.stage = &stage{core: c, display: p.Display, lock: p.Lock, stack: p.Apps,
		keyboard: p.Keyboard, screen: p.Screen}
	p.Keys = &Keys{core: c, lock: p.Lock, stack: p.Apps, keyboard: p.Keyboard,
		screen: p.Screen, stage: p.stage}
	p.Touch = &Touch{core: c, display: p.Display, lock: p.Lock, keyboard: p.Keyboard,
		screen: p.Screen, stage: p.stage}
	c.typist, c.after = p.Keys, p.stage.settle
	p.stage.settle()
	return p
}

func newSystem(o *Options) *apps.Host {
	return &apps.Host{
		Settings: defaultSettings(o), Data: apps.Seed(o.Now(), o.Locale), Clock: o.Now,
		Lang: o.Locale,
		Apps: o.installed(), Lower: o.Lower,
	}
}

// Files is the phone's storage.
func (p *Simulator) Files() *Files { return p.files }

// Screenshot is a capture of the display. It is black while the display is off, and below the
// system's bars and the keyboard while a secure window is in front. While a transition plays, it
// shows the middle of that. The picture is shared: callers must not draw on it.
func (p *Simulator) Screenshot() *image.RGBA { return look(p.core, p.stage.capture) }

// Data is what the apps store.
type Data = apps.Data

// Inspect calls f with what the apps store, which f must not keep or change.
func (p *Simulator) Inspect(f func(*apps.Data)) {
	look(p.core, func() bool { f(p.core.sys.Data); return true })
}

// Edit calls f, which may change what the apps store, as a task's setup does.
func (p *Simulator) Edit(f func(*apps.Data)) { p.core.do(func() { f(p.core.sys.Data) }) }
