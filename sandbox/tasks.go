package sandbox

import "slices"

// Task is something to do on the phone, with a check on the phone's state.
type Task struct {
	ID     string
	Goal   string // English
	GoalZH string // Chinese
	Reply  string // what a person answers when asked in the middle; "" when the task needs no question
	Setup  func(*Phone)
	// Check reports what is not as the goal wants it, or nil. It never looks at what a model said.
	Check func(*Phone) error
}

// Tasks lists the tasks by rising difficulty.
func (p *Phone) Tasks() []Task { return slices.Clone(tasks) }

var tasks []Task
