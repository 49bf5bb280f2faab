// Package watch is a full-screen view of what runs on all phones, in which questions are answered
// and tasks are stopped.
package watch

import (
	"context"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/terminal/tty"
)

// Board is what there is to see at one moment.
type Board struct {
	At        time.Time
	Questions []inquiry.Question // that are open, the oldest first
	Tasks     []Task             // under way first, then ended, the newest first
	Phones    map[string]string  // states by id
	Trouble   string             // why the phones are not known, or ""
}

// Task is the latest run of a session, with its steps in people's words.
type Task struct {
	Session, Phone, Title string
	State                 store.State
	Why                   string // a stop reason, or ""
	Answer                string
	Steps                 []Step // the last ones
	Taken, Most           int    // of all steps; Most is 0 for no limit
	Begun, Ended          time.Time
}

// Step is one step in words.
type Step struct {
	Index int
	Said  string
	Mark  tty.Span // what came of it
}

// Source is where a board comes from, and what a person does there goes to. It is safe for
// concurrent use.
type Source interface {
	// Board reads what there is now.
	Board(ctx context.Context) (Board, error)
	// Ask puts an open question to the person behind lines, until it is settled or ctx ends.
	Ask(ctx context.Context, lines terminal.Lines, q inquiry.Question) error
	// Stop stops a session's run.
	Stop(ctx context.Context, session string) error
}

// texts are the view's words in one language.
type texts struct {
	Title                            string
	Counts                           string // of questions and tasks under way
	Waiting, Running, Phones, Recent string // the parts
	Quiet                            string // nothing runs, and nothing is asked
	Host                             string
	Step, StepOf                     string
	Begins                           string // of a task without a step
	Task, Answer, Phone, Why         string // labels of the single task
	Keys, OneKeys, TypeKeys          string // what is typed: in the list, at a task, as an answer
	Sure, Stopped                    string
	Hidden                           string // in the place of what is typed
	Answered, Left, Elsewhere        string // what became of an answer
	Loading                          string
	PhoneStates                      map[string]string
}
