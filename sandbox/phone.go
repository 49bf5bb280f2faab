package sandbox

import (
	"image"
	"sync"
	"time"

	"github.com/taploop/taploop/sandbox/apps"
	"github.com/taploop/taploop/sandbox/ui"
)

// Phone is a simulated phone. All methods are safe for concurrent use; each sees and leaves a whole state.
type Phone struct {
	mu    sync.Mutex
	opts  Options
	sys   *apps.Phone
	files *Files
	boot  time.Time

	override *image.Point
	density  int
	off      bool
	locked   bool
	bouncer  bool   // the lock screen asks for the PIN
	pin      string // digits typed so far

	wrongPIN bool

	home    *apps.Task
	running []*apps.Task // most recently used last
	front   *apps.Task

	cover cover // what the system shows in front of the app

	lockMemory, coverMemory ui.Memory
	keyboardHidden          bool // the focused field has none
	shift, symbols          bool // the keyboard's state
	tapAt                   image.Point
	tapTime                 time.Time

	stage stage
}

// Node is one element of the UI tree.
type Node = ui.Node

// New makes a phone that is switched on.
func New(opts *Options) *Phone {
	o := opts.withDefaults()
	p := &Phone{opts: o, boot: o.Now(), density: o.Density, files: newFiles(o.Now)}
	p.sys = newSystem(&o)
	p.home = p.open(p.sys.Find(launcherPackage))
	p.front = p.home
	p.locked = o.Locked
	p.settle()
	return p
}

func newSystem(o *Options) *apps.Phone {
	return &apps.Phone{
		Settings: defaultSettings(o), Data: apps.Seed(o.Now(), o.Locale), Clock: o.Now, Lang: o.Locale,
		Apps: installed(o.adbKeyboard()),
	}
}

// Close ends the phone. It holds nothing but memory, so a closed phone still answers.
func (p *Phone) Close() error { return nil }

// do runs f on the phone as it is now: what became due has happened before.
func (p *Phone) do(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sys.Tick()
	f()
	p.settle()
}

// Inspect calls f with what the apps store; f must not keep or change it.
func (p *Phone) Inspect(f func(*apps.Data)) { p.do(func() { f(p.sys.Data) }) }

// Edit calls f, which may change what the apps store, as a task's setup does.
func (p *Phone) Edit(f func(*apps.Data)) { p.do(func() { f(p.sys.Data) }) }
