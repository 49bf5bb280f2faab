package sandbox

import (
	"sync"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

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

// do runs f on the phone after everything that became due.
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

// look returns what f says of the phone now. f must change nothing: unless something
// became due, the windows are still those after the last event.
func look[T any](c *core, f func() T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sys.Tick() {
		c.after()
	}
	return f()
}
