package sandbox

import (
	"errors"
	"slices"

	"github.com/taploop/taploop/sandbox/apps"
)

// Task is something to do on the phone, with a check on the phone's state.
type Task struct {
	ID     string
	Goal   string // for an English phone
	GoalZH string // for a Chinese phone: names and texts are as its apps show them
	// what a person answers when asked in the middle; "" when nothing needs to be asked
	Reply string
	Setup func(*Phone)
	// Check reports everything that is not as the goal wants it, or nil. It looks at the phone's
	// state only, never at what a model said.
	Check func(*Phone) error
}

// Tasks lists the tasks by rising difficulty. Setup puts the phone back as new, at the home screen,
// with what the task needs; Check may be called at any time.
func (p *Phone) Tasks() []Task { return slices.Clone(tasks) }

// Task returns the task of that ID and whether there is one.
func (p *Phone) Task(id string) (Task, bool) {
	i := slices.IndexFunc(tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return Task{}, false
	}
	return tasks[i], true
}

// Reset puts settings, apps and what they store back as on a new phone: unlocked, at the home
// screen. Size, density and storage stay.
func (p *Phone) Reset() {
	p.do(func() {
		p.sys = newSystem(&p.opts)
		p.lockState = lockState{}
		p.keyboardState = keyboardState{}
		p.appStack.reset()
	})
}

// judge is a check that looks at what the apps store and at the settings.
func judge(f func(s *apps.Phone) []error) func(*Phone) error {
	return func(p *Phone) (err error) {
		p.do(func() { err = errors.Join(f(p.sys)...) })
		return err
	}
}

// prepare is a setup that changes what the apps store after a reset.
func prepare(f func(s *apps.Phone)) func(*Phone) {
	return func(p *Phone) {
		p.Reset()
		p.do(func() { f(p.sys) })
	}
}
