package runs

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/runs/touches"
	"github.com/taploop/taploop/internal/store"
)

// Options of a Manager. Store, Phones and NewPolicy must be set.
type Options struct {
	asking.Options // through which channels its questions are asked

	Store     *store.Store
	Phones    Phones
	NewPolicy func(Settings) (agentloop.Policy, error) // what decides in a run with these settings
	// of each life of a run; nil allows all
	NewGate func(store.Session, store.Run) agentloop.Gate

	Broker *inquiry.Broker // of the questions; nil means one over the store with default times
	// of the person at the Console, and of those who are handed the phone over: "zh"; anything
	// else means English
	ConsoleLang string
	Limits      agentloop.Limits // of each call; Steps is the configured maximum, default 40
	// a person is asked to take the phone over when its screen is locked or forbids capture;
	// otherwise the run is paused
	HandOver bool
	KeepApps bool // a new task opens even its first app where that was left
	AskEarly bool // see agentloop.Runner.Early
	// how long a run goes on with no call attached, see Manager.Attach; 0 means for ever
	DetachGrace time.Duration
	OnTimeout   inquiry.OnTimeout // what silence to a question leads to; "" means inquiry.Pause
	// what silence about an action leads to: "" or inquiry.Pause, or inquiry.RejectAll
	OnUndecided inquiry.OnTimeout
	Lang        string       // "zh" or "en", of our own words to the model; "" means en
	Observe     func(Event)  // gets every event, on its run's goroutine; nil does nothing
	Log         *slog.Logger // nil discards
	Goals       Goals        // carries out goals of agents; nil refuses them
}

// Manager carries runs out. It is safe for concurrent use.
type Manager struct {
	opts   Options
	store  *store.Store
	broker *inquiry.Broker
	desk   *asking.Desk
	log    *slog.Logger

	// The lifetime of all runs: it ends with Close and not with any call.
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	states     sessionStates
	delivering sync.Map // questions whose answers the store does not take yet
	lines      *queue.Lines
	touches    *touches.Counter

	closing sync.Mutex // Close ends ctx and spawn looks at it, one after the other
}

// Broker is the Manager's broker, for the channels through which people answer.
func (m *Manager) Broker() *inquiry.Broker { return m.broker }

// Desk puts questions to people and models, those of runs and others.
func (m *Manager) Desk() *asking.Desk { return m.desk }

// Close pauses the runs, as SERVER_RESTARTED, and returns when the last of them has left its phone
// alone. Questions stay open. Closing again does nothing.
func (m *Manager) Close() error {
	m.closing.Lock()
	m.cancel(agentloop.ErrClosing)
	m.closing.Unlock()
	m.desk.Close(agentloop.ErrClosing)
	m.wg.Wait()
	ctx, cancel := asking.Detached(context.Background())
	defer cancel()
	m.touches.Note(ctx, "")
	return nil
}

// spawn runs fn on a goroutine that Close waits for; false when the Manager is closed.
func (m *Manager) spawn(fn func()) bool {
	m.closing.Lock()
	defer m.closing.Unlock()
	if m.ctx.Err() != nil {
		return false
	}
	m.wg.Go(fn)
	return true
}

// checkOpen refuses a call when the Manager is closed.
func (m *Manager) checkOpen() error {
	if m.ctx.Err() != nil {
		return Refuse(ServerClosing, "call again when the server is back",
			"the server is shutting down")
	}
	return nil
}

// Goals makes the work of sessions of agents; package agents has it.
type Goals interface {
	// Work checks the goal and its settings, completes these, and returns the work.
	Work(g *Goal) (Work, error)
}

// Goal is what agents are to reach in a life of a run.
type Goal struct {
	Runs     *Manager  // that carries the run out
	Settings *Settings // of the run; Servers may be completed
	Said     string    // to the first agent by who goes on with the session; "" if nothing
	By       Actor     // who begins this life
}

// steps is the effective limit of a call: what was asked for, at most what is configured.
func (o *Options) steps(asked int) (int, error) {
	if asked < 0 {
		return 0, invalid("leave max_steps out for the configured maximum",
			"max_steps is %d (want at least 1)", asked)
	}
	most := o.Limits.Steps
	return min(cmp.Or(asked, most), most), nil
}
