package runs

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
	"weak"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/session"
)

// Options of a Manager. Store, Phones and Mind have to be there.
type Options struct {
	Store     *session.Store
	Phones    Phones
	NewPolicy func(Settings) (agentloop.Policy, error) // what decides in a run with these settings

	NewGate     func(session.Session, session.Run) agentloop.Gate // of each life of a run; nil allows all
	Broker      *inquiry.Broker                                   // of the questions; nil means one over the store with default times
	Answerer    Answerer                                          // answers under AutoReply; nil refuses that mode
	Console     Console                                           // answers under ManualReply; nil refuses that mode
	Limits      agentloop.Limits                                  // of each call; Steps is the configured maximum, default 40
	Attention   time.Duration                                     // how long a door of a ReplyMode has its turn when that does not say; 0 means 10 min
	Doors       []string                                          // through which every question can be answered beside those of its ReplyMode
	DetachGrace time.Duration                                     // how long a run goes on with nobody attached, see Manager.Attach; 0 means for ever
	OnTimeout   inquiry.OnTimeout                                 // what silence to a question leads to; "" means inquiry.Pause
	Lang        string                                            // "zh" or "en", of the few words that the Manager itself has for the model; "" means en
	Observe     func(Event)                                       // called with every event, on the goroutine of its run; nil when nobody watches
	Log         *slog.Logger                                      // nil discards
}

// Manager carries runs out. It is safe for concurrent use.
type Manager struct {
	opts   Options
	store  *session.Store
	broker *inquiry.Broker
	log    *slog.Logger

	attention time.Duration

	// The lifetime of all runs: it ends with Close and not with any call.
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	console chan struct{} // holds one token: one question at a time is on the console

	mu     sync.Mutex
	closed bool
	desks  map[string]weak.Pointer[desk] // by session
	lines  map[string][]*ticket          // by serial
}

// New makes a Manager and starts its watch over the questions. The caller closes it.
func New(opts *Options) *Manager {
	f := &Manager{opts: *opts, store: opts.Store, broker: opts.Broker, log: opts.Log,
		console: make(chan struct{}, 1), desks: map[string]weak.Pointer[desk]{}, lines: map[string][]*ticket{}}
	if f.opts.Limits.Steps == 0 {
		f.opts.Limits.Steps = 40
	}
	f.attention = cmp.Or(opts.Attention, 10*time.Minute)
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	if f.broker == nil {
		f.broker = inquiry.NewBroker(f.store.Questions(), nil)
	}
	f.ctx, f.cancel = context.WithCancelCause(context.Background())
	events := f.broker.Subscribe()
	f.wg.Go(func() { f.heed(events) })
	f.wg.Go(func() {
		_ = f.broker.Run(f.ctx, func(err error) { f.log.Error("questions", "err", err) }) // returns only the cause of our own end
	})
	return f
}

// Broker is the Manager's broker, for the doors through which people answer.
func (f *Manager) Broker() *inquiry.Broker { return f.broker }

// Close pauses the runs, as SERVER_RESTARTED, and returns when the last of them has left its phone alone. Questions stay open.
// Closing again does nothing.
func (f *Manager) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.cancel(agentloop.ErrClosing)
	f.wg.Wait()
	return nil
}

// spawn runs fn on a goroutine that Close waits for; false when the Manager is closed.
func (f *Manager) spawn(fn func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.wg.Go(fn)
	return true
}

func (f *Manager) closing() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return refuse(ServerClosing, "call again when the server is back", "the server is shutting down")
	}
	return nil
}

// storeTime bounds a write that has to happen although the call or the run is over.
const storeTime = 10 * time.Second

// lasting is ctx for such a write.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTime)
}

// overtaken reports whether err says that somebody else, perhaps in another process, has moved the run in the meantime.
func overtaken(err error) bool {
	var s *session.StateError
	return errors.As(err, &s) || errors.Is(err, session.ErrFenced)
}
