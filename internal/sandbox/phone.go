package sandbox

import (
	"sync"

	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// Simulator is a simulated phone: the parts below, around one state of its system. A part has its
// own state and embeds the parts that it builds on. All methods are safe for concurrent use; each
// sees and leaves a whole state.
type Simulator struct {
	*core
	*settings
	*display
	*lock
	*appStack
	*keyboard
	*screen
	*stage
	*typing
	*touch
	*keys

	files *Files
}

// core is what all parts of a phone share.
type core struct {
	mu     sync.Mutex
	opts   Options
	sys    *apps.Host
	typist typist
	after  func() // each event
}

// typist does what keys of the screen stand for.
type typist interface {
	press(code int)
	commit(text string)
	enter()
}

// Node is one element of the UI tree.
type Node = ui.Node

// New makes a phone that is switched on.
func New(opts *Options) *Simulator {
	o := opts.withDefaults()
	c := &core{opts: o, sys: newSystem(&o)}
	p := &Simulator{core: c, settings: &settings{c}, files: newFiles(o.Now)}
	p.display = &display{settings: p.settings}
	p.lock = &lock{core: c, lockState: lockState{locked: o.Locked}}
	p.appStack = newAppStack(c)
	p.keyboard = &keyboard{settings: p.settings}
	p.screen = &screen{
		core: c, settings: p.settings, display: p.display, lock: p.lock, appStack: p.appStack,
		keyboard: p.keyboard,
	}
	p.stage = &stage{screen: p.screen}
	p.typing = &typing{p.stage}
	p.touch = &touch{typing: p.typing}
	p.keys = &keys{p.typing}
	c.typist, c.after = p.keys, p.stage.settle
	p.settle()
	return p
}

func newSystem(o *Options) *apps.Host {
	return &apps.Host{
		Settings: defaultSettings(o), Data: apps.Seed(o.Now(), o.Locale), Clock: o.Now,
		Lang: o.Locale,
		Apps: o.installed(),
	}
}

// Files is the phone's storage.
func (p *Simulator) Files() *Files { return p.files }

// do runs f on the phone as it is now: what became due has happened before.
func (c *core) do(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sys.Tick()
	f()
	c.after()
}

// ask is do for an f with an answer.
func ask[T any](c *core, f func() T) (answer T) {
	c.do(func() { answer = f() })
	return answer
}

// look returns what f says of the phone as it is now. f changes nothing: unless something became
// due, the windows are still those after the last event.
func look[T any](c *core, f func() T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sys.Tick() {
		c.after()
	}
	return f()
}

// Inspect calls f with what the apps store; f must not keep or change it.
func (p *Simulator) Inspect(f func(*apps.Data)) {
	look(p.core, func() bool { f(p.sys.Data); return true })
}

// Edit calls f, which may change what the apps store, as a task's setup does.
func (p *Simulator) Edit(f func(*apps.Data)) { p.do(func() { f(p.sys.Data) }) }
