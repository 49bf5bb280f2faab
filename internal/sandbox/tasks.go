package sandbox

import (
	"errors"
	"slices"

	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/words"
)

// Task is something to do on the phone, with a check on the phone's state.
type Task struct {
	ID     string
	Goal   string // for an English phone
	GoalZH string // for a Chinese phone: names and texts are as its apps show them
	// a person's answer when asked in the middle, "" when there is no need to ask
	Reply string
	// changes what the apps store after a reset, nil for no change
	prepare func(*apps.Host)
	check   func(*apps.Host) []error
}

// GoalIn returns the goal in the language of the phone.
func (t Task) GoalIn(lang string) string { return apps.In(words.Match(lang), t.Goal, t.GoalZH) }

// Setup puts the phone back as new, at the home screen, with what the task needs.
func (t Task) Setup(p *Simulator) {
	p.Reset()
	if t.prepare != nil {
		p.core.do(func() { t.prepare(p.core.sys) })
	}
}

// Check reports everything that is not as the goal wants it, or nil. It looks at the phone's state
// only, never at what a model said, and may be called at any time.
func (t Task) Check(p *Simulator) error {
	return look(p.core, func() error { return errors.Join(t.check(p.core.sys)...) })
}

// Tasks lists the tasks by rising difficulty.
func (p *Simulator) Tasks() []Task { return slices.Clone(tasks) }

// Task returns the task of that ID and whether there is one.
func (p *Simulator) Task(id string) (Task, bool) {
	i := slices.IndexFunc(tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return Task{}, false
	}
	return tasks[i], true
}

// Reset puts settings, apps and what they store back as on a new phone: unlocked, at the home
// screen. Size, density and storage stay.
func (p *Simulator) Reset() {
	p.core.do(func() {
		p.core.sys = newSystem(&p.core.opts)
		p.Lock.lockState = lockState{}
		p.Keyboard.keyboardState = keyboardState{}
		p.Apps.reset()
	})
}
