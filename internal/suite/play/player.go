// Package play carries out the cases of suites on phones. The phones work from one queue; each
// attempt of a case has a [Scene] for itself: set-up, the agent's run with the suite's replies and
// decisions, expectations, teardown. What came of it is a suite.Result.
package play

import (
	"context"
	"sync"
	"time"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
)

// Scene is where one attempt takes place.
type Scene struct {
	Cases *usecase.Cases
	Phone *device.Phone
	Admin device.Admin // of Phone
	// Judge asks the model about a claim, see expect.Facts, and says what that used.
	Judge func(ctx context.Context, claim string) (
		bool, string, store.Usage, error)
	// Plain is a message without names of files that are gone after Close.
	Plain func(message string) string
	// Told is the latest report of the agent with its secrets, or "".
	Told func() string
	// Healed reports whether a replay had to ask the model.
	Healed func() bool
	Unfit  func(message string) bool // this says that the cassette is not the case's
	// Files hands over what is kept of a session: its page and the model's replies. why is why the
	// attempt did not pass, or "".
	Files func(ctx context.Context, session, why string, keep Keep) error
	// Kept returns all that is stored of a session.
	Kept func(ctx context.Context, session string) (store.Trajectory, error)
	// StepAt is the step of a session whose screen was the last one to be seen by then, or 0.
	StepAt func(ctx context.Context, session string, by time.Time) int
	// Began is called with each run of the attempt, which the process may not live to end.
	Began func(run string)
	// Cost is what so many tokens cost.
	Cost func(sent, got int) float64
	// Close ends everything. passed says whether what was recorded is of use.
	Close func(passed bool) error
}

// Keep keeps a file about an attempt.
type Keep func(name, media string, b []byte) error

// Attempt says what a scene is for.
type Attempt struct {
	Item   *suite.Item
	Serial string
	Number int // from 1
}

// Options of Run. The functions have to be there, but for Keep.
type Options struct {
	Phones []runs.PhoneInfo
	Fits   func(*suite.Suite, runs.PhoneInfo) error // says why the suite cannot use the phone
	// Hold takes a phone for all that follows. It may wait for it until ctx ends, which it does
	// when nothing is left to do. A phone that it refuses is not used. What it returns ends, with
	// the cause, when the phone is taken from the tests.
	Hold func(ctx context.Context, serial string) (context.Context, error)
	Open func(ctx context.Context, a Attempt) (*Scene, error)
	// Usable says why the phone still cannot be used, after trouble with it, or nil. The error is a
	// Trouble if that is not the phone's.
	Usable  func(ctx context.Context, serial string) error
	By      runs.Actor // the suite's author
	Ask     bool       // unexpected questions wait for a person
	Mode    string     // the reply mode then
	Retries int        // of a case that does not say
	Timeout time.Duration
	Lang    string // of what people read
	// FailFast begins no further case after one that did not pass.
	FailFast bool
	Strict   bool // flaky and healed cases have failed
	Mask     text.Mask
	// Keep keeps a file of an attempt, and returns its path below the folder of the reports. Nil
	// keeps none.
	Keep func(a Attempt, name string, b []byte) (string, error)
	View View
}

// View shows what happens. Its methods may be called by several goroutines at once.
type View interface {
	Began(a Attempt)
	Step(a Attempt, words string)
	Ended(r suite.Result)
	Note(words string)
}

// Run carries the items out and returns their results, in the order of the items. When ctx ends,
// what runs is stopped and torn down, and what did not run is skipped.
func Run(ctx context.Context, items []*suite.Item, o Options) []suite.Result {
	q := newQueue(items, &o)
	q.working, q.rested = context.WithCancel(ctx)
	defer q.rested()
	stop := context.AfterFunc(ctx, q.changed.Send)
	defer stop()
	var wg sync.WaitGroup
	for _, p := range o.Phones {
		w := &worker{queue: q, phone: p, ready: map[*suite.Suite]bool{}}
		wg.Go(func() { w.work(ctx) })
	}
	wg.Wait()
	return q.rest(ctx)
}
