package runs

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/runs/touches"
	"github.com/taploop/taploop/internal/store"
)

// Options configure a Manager. Store, Phones and NewPolicy must be set.
type Options struct {
	Asking asking.Options // where questions are asked

	Store  *store.Store
	Phones Phones
	// the other machines that share the store, nil for none. Their phones are among Phones.
	Neighbours Neighbours
	NewPolicy  func(Settings) (agentloop.Policy, error) // for a run with these settings
	// Returns what looks at the end of a run with these settings, or nil. nil believes all ends.
	NewVerifier func(Settings) (agentloop.Verifier, error)
	// Returns the gate of a run's life. nil allows all actions.
	NewGate func(store.Session, store.Run) agentloop.Gate

	Broker *inquiry.Broker // nil means a new one over Store with default times
	// the language of the console and of takeovers: "zh", or anything else for English
	ConsoleLang string
	Limits      agentloop.Limits // of each call. Steps is the maximum, 40 by default.
	// Ask a person to take the phone over if its screen is locked or forbids capture. Otherwise the
	// run is paused.
	HandOver bool
	// Resume a run that lost its phone when the phone is back, however long that takes, see
	// Manager.Reunite. Otherwise the run stays paused.
	Reunite  bool
	KeepApps bool // do not restart the first app that a new task opens
	// see agentloop.Runner.Early and EarlyAlways
	AskEarly, AskEarlyAlways bool
	// How long a run continues with no call attached, see Manager.Attach. 0 means no limit.
	DetachGrace time.Duration
	OnTimeout   inquiry.OnTimeout // for questions. "" means inquiry.Pause.
	// for questions about an action: "" or inquiry.Pause, or inquiry.RejectAll
	OnUndecided inquiry.OnTimeout
	Lang        string      // of messages to the model: "zh" or "en", the default
	Observe     func(Event) // is called for each event on its run's goroutine
	// Told, unless it is nil, is called with each report of the model, secrets and all.
	Told  func(report string)
	Log   *slog.Logger // nil discards
	Goals goals        // carries out goals of agents, which are refused if it is nil
}

// Manager carries runs out. It is safe for concurrent use.
type Manager struct {
	opts   Options
	store  *store.Store
	broker *inquiry.Broker
	desk   *asking.Desk
	log    *slog.Logger

	*lifetime // of all runs

	states     sessionStates
	comingBack sync.Map // runs that are resumed after a restart
	delivering sync.Map // questions whose answers the store does not accept yet
	lines      *queue.Lines
	touches    *touches.Counter
	handsOver  atomic.Bool // runs that end with the process wait for another one
	ails       atomic.Bool // the store took no writes: no run is claimed before it does
	ends       *ends
}

// Broker returns the broker through which channels deliver answers.
func (m *Manager) Broker() *inquiry.Broker { return m.broker }

// Desk returns the desk that asks the questions of runs and of others.
func (m *Manager) Desk() *asking.Desk { return m.desk }

// Close pauses the runs as SERVER_RESTARTED. It returns when no run touches a phone any longer.
// Questions stay open. Further calls do nothing.
func (m *Manager) Close() error {
	m.end(agentloop.ErrClosing)
	m.desk.Close(agentloop.ErrClosing)
	m.wg.Wait()
	ctx, cancel := asking.Detached(context.Background())
	defer cancel()
	m.touches.Note(ctx, "")
	return nil
}

// report logs an error of what the Manager does by itself, unless that ends with it.
func report(m *Manager, doing string, err error, about ...any) {
	if err != nil && m.ctx.Err() == nil {
		m.log.Error(doing, append(about, "err", err)...)
	}
}

// goals creates the work for goals of agents. goals.Goals implements it.
type goals interface {
	// Work checks the goal and its settings. It may fill in g.Settings.Servers.
	Work(g *Goal) (Work, error)
}

// Goal is the goal of agents in one life of a run.
type Goal struct {
	Runs     *Manager  // the Manager of the run
	Settings *Settings // of the run, with Servers to be filled in
	Said     string    // a message to the first agent, or ""
	By       Actor     // who started this life
}

// steps returns the step limit of a call: the requested one, at most the configured one.
func (o *Options) steps(asked int) (int, error) {
	if asked < 0 {
		return 0, invalid("leave max_steps out for the configured maximum",
			"max_steps is %d (want at least 1)", asked)
	}
	most := o.Limits.Steps
	return min(cmp.Or(asked, most), most), nil
}
