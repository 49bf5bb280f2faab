package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/runs/touches"
	"github.com/taploop/taploop/internal/store"
)

// Options of a Manager. Store, Phones and NewPolicy have to be there.
type Options struct {
	Store     *store.Store
	Phones    Phones
	NewPolicy func(Settings) (agentloop.Policy, error) // what decides in a run with these settings
	// of each life of a run; nil allows all
	NewGate func(store.Session, store.Run) agentloop.Gate

	Broker   *inquiry.Broker // of the questions; nil means one over the store with default times
	Answerer Answerer        // answers under auto_reply; nil refuses that mode
	// the deciding models, channel.Model or channel.OfModel of each; nil when this process has none
	Deciders  map[channel.Mode]Decider
	OnRefusal channel.Mode // the one that is asked when a person refuses to answer; "" for none
	Draft     channel.Mode // the one that drafts answers for people; "" for none
	Console   Console      // answers under manual_reply; nil refuses that mode
	// of the person at the Console, and of those who are handed the phone over: "zh"; anything
	// else means English
	ConsoleLang string
	Channels    []string         // the channels where every question is listed, along with its own
	Limits      agentloop.Limits // of each call; Steps is the configured maximum, default 40
	// a person is asked to take the phone over when its screen is locked or forbids capture;
	// otherwise the run is paused
	HandOver bool
	KeepApps bool // a new task opens even its first app where that was left
	AskEarly bool // see agentloop.Runner.Early
	// how long a channel is in turn under a mode that does not say; 0 means 10 min
	Attention time.Duration
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
	questioner

	cancel context.CancelCauseFunc // ends questioner.ctx
	wg     sync.WaitGroup

	states     sessionStates
	delivering sync.Map // questions whose answers the store does not take yet
	lines      *queue.Lines
	touches    *touches.Counter

	closing sync.Mutex // Close ends ctx and spawn looks at it, one after the other
}

// New makes a Manager and starts its watch over the questions. The caller closes it.
func New(opts *Options) *Manager {
	o := *opts
	o.Limits.Steps = cmp.Or(o.Limits.Steps, 40)
	o.Attention = cmp.Or(o.Attention, 10*time.Minute)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Broker == nil {
		o.Broker = inquiry.NewBroker(o.Store.Questions, &inquiry.Options{CheckEdit: CheckEdit})
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	m := &Manager{questioner: questioner{opts: o, store: o.Store, broker: o.Broker, log: o.Log},
		states: sessionStates{grace: o.DetachGrace, observe: o.Observe,
			byID: map[string]*sessionState{}},
		lines: queue.New(o.Store.Leases, o.Log), touches: touches.New(o.Store.Audit, o.Log)}
	m.askers = m.newAskers(m.stopFromConsole)
	m.router = route.New(&route.Options{Store: m.broker, Askers: m.askers,
		Name: m.store.Owner.ID, Alive: m.store.Owner.Alive,
		Moved: func(q inquiry.Question) { m.states.wake(q.SessionID) }, Log: m.log})
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	events := m.broker.Subscribe()
	m.wg.Go(func() { resumer{m}.watch(events) })
	m.wg.Go(func() {
		// Returns only the cause of our own end.
		_ = m.broker.Run(m.ctx, func(err error) { m.log.Error("questions", "err", err) })
	})
	return m
}

// Broker is the Manager's broker, for the channels through which people answer.
func (m *Manager) Broker() *inquiry.Broker { return m.broker }

// Close pauses the runs, as SERVER_RESTARTED, and returns when the last of them has left its phone
// alone. Questions stay open. Closing again does nothing.
func (m *Manager) Close() error {
	m.closing.Lock()
	m.cancel(agentloop.ErrClosing)
	m.closing.Unlock()
	m.router.Close(agentloop.ErrClosing)
	m.wg.Wait()
	ctx, cancel := detached(context.Background())
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

// storeTime bounds a write that has to happen although the call or the run is over.
const storeTime = 10 * time.Second

var errStoreTime = fmt.Errorf("the store did not answer within %v", storeTime)

// detached is ctx for such a write.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithoutCancel(ctx), storeTime, errStoreTime)
}

// superseded reports whether err says that somebody else, perhaps in another process, has moved the
// run in the meantime.
func superseded(err error) bool {
	_, moved := errors.AsType[*store.StateError](err)
	return moved || errors.Is(err, store.ErrFenced)
}
