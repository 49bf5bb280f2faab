package runs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/runs/touches"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// sessionState is the state of one session that a Manager holds in memory.
type sessionState struct {
	op wait.Mutex // guards changes of the session's runs

	mu       sync.Mutex
	active   *activeRun
	unstored *ending        // not yet accepted by the store, or nil
	changed  wait.Broadcast // sent when the run's state or the asking channel changes
	watchers map[*Watch]struct{}
	grace    time.Duration // how long a run continues with no call attached, 0 for no limit
	observe  func(Event)   // is called for each event
	attached int
	timer    *time.Timer // of the grace, nil while it is not running

	users int // guarded by the registry's lock
}

// ends is what the ends of runs are stored with.
type ends struct {
	life    *lifetime
	store   *store.Store
	desk    *asking.Desk
	lines   *queue.Lines
	touches *touches.Counter
	states  *sessionStates
	log     *slog.Logger

	// settled applies an answer that may have come already.
	settled func(ctx context.Context, questionID string)
}

// ending is the end of a life of a run, or of its waiting.
type ending struct {
	ends   *ends
	state  *sessionState
	run    store.Run // before it ended
	serial string    // of its phone
	parked string    // the question that it parked, or ""
	change store.Change
	failed error // the last error of the store, or nil
}

// activeRun is a run that a goroutine of this Manager carries out.
type activeRun struct {
	alone  bool            // may continue with no call attached
	ctx    context.Context // of its goroutine
	cancel context.CancelCauseFunc
	// closed when the goroutine no longer touches the phone and the run's end is stored
	done chan struct{}
}

// sessionStates are the states of the sessions in use.
type sessionStates struct {
	grace   time.Duration // of each
	observe func(Event)   // of each

	mu   sync.Mutex
	byID map[string]*sessionState
}

// use returns the session's state, which concurrent users share. Each user must call done. The
// state is dropped after the last one.
func (l *sessionStates) use(sessionID string) (s *sessionState, done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s = l.byID[sessionID]; s == nil {
		s = &sessionState{
			op:       wait.NewMutex(),
			watchers: map[*Watch]struct{}{},
			grace:    l.grace,
			observe:  l.observe,
		}
		l.byID[sessionID] = s
	}
	s.users++
	return s, sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(l.byID, sessionID)
		}
	})
}

// inUse returns the session's state, or nil if it is not in use.
func (l *sessionStates) inUse(sessionID string) *sessionState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[sessionID]
}

// lock acquires the right to change the session's runs. The caller must call unlock.
func (s *sessionState) lock(ctx context.Context) (unlock func(), err error) {
	return s.op.Unlock, s.op.Lock(ctx)
}

func (s *sessionState) current() *activeRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

func (s *sessionState) enter(r *activeRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = r
	s.countDown()
}

// leave ends the life of a run here.
func (s *sessionState) leave(r *activeRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == r {
		s.active = nil
	}
	s.countDown()
	close(r.done)
	s.changed.Send()
}

func (s *sessionState) attach(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attached += n
	s.countDown()
}

// countDown restarts the grace period of a run with no call attached. Otherwise it stops the timer.
// The caller holds s.mu.
func (s *sessionState) countDown() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	r := s.active
	if s.grace <= 0 || s.attached > 0 || r == nil || r.alone {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(s.grace, func() { // touches only memory, so nothing waits for it
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.timer == timer {
			r.cancel(agentloop.ErrDetached)
		}
	})
	s.timer = timer
}

// Event is something that happened in a run.
type Event struct {
	Context          context.Context // of the run's life, or of the call that changed it, for logs
	SessionID, RunID string
	State            store.State
	Run              *store.Run // in its new state, under StateChanged
	agentloop.Event
}

// StateChanged is the kind of an event that only reports a run's new state.
const StateChanged agentloop.EventKind = "state"

// PhoneBusy is the kind of an event that reports that a QUEUED run has to wait for its phone.
const PhoneBusy agentloop.EventKind = "phone busy"

// PhoneAway is the kind of an event that reports that a paused run waits for its phone to be back.
const PhoneAway agentloop.EventKind = "phone away"

// publish sends an event to all watchers, and wakes the waiters if the run's state has changed.
func (s *sessionState) publish(e Event) {
	s.observe(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		w.put(e)
	}
	if e.Kind == StateChanged {
		s.changed.Send()
	}
}

// moved publishes a run's new state.
func (s *sessionState) moved(ctx context.Context, r store.Run) {
	s.publish(Event{Context: ctx, SessionID: r.SessionID, RunID: r.ID, State: r.State, Run: &r,
		Event: agentloop.Event{Kind: StateChanged, At: time.Now(), Progress: r.Progress}})
}

// Watch is a queue of a session's events.
type Watch struct {
	C      <-chan Event // closed by Close
	events chan Event
	state  *sessionState
	done   func() // releases the state
}

// Close ends the watch. Further calls do nothing.
func (w *Watch) Close() {
	defer w.done()
	w.state.mu.Lock()
	defer w.state.mu.Unlock()
	if _, open := w.state.watchers[w]; open {
		delete(w.state.watchers, w)
		close(w.events)
	}
}

// put adds an event, and drops the oldest if the queue is full. The caller holds the state's lock,
// so there is only one writer.
func (w *Watch) put(e Event) {
	for {
		select {
		case w.events <- e:
			return
		default:
		}
		select {
		case <-w.events:
		default:
		}
	}
}

// otherProcessPoll is how often a waiter polls a run that another process carries out.
const otherProcessPoll = 500 * time.Millisecond
