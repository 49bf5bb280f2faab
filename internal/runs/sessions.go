package runs

import (
	"context"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// sessionState is what a Manager keeps in memory about one session.
type sessionState struct {
	op wait.Mutex // its holder may change the session's runs

	mu       sync.Mutex
	active   *activeRun
	unstored *ending        // that the store did not take; nil when there is none
	changed  wait.Broadcast // when the run is in another state, or another channel is asked
	watchers map[*Watch]struct{}
	grace    time.Duration // how long a run goes on with no call attached; 0 is for ever
	observe  func(Event)   // is given each event
	attached int
	timer    *time.Timer // of the grace; nil when it is not being counted

	users int // of this state; the registry's lock guards it
}

// activeRun is a run that a goroutine of this Manager carries out.
type activeRun struct {
	alone  bool // goes on with no call attached
	cancel context.CancelCauseFunc
	// closed when the goroutine has left the phone alone and the run's end is stored
	done chan struct{}
}

// sessionStates are those of the sessions that are in use.
type sessionStates struct {
	grace   time.Duration // of each
	observe func(Event)   // of each

	mu   sync.Mutex
	byID map[string]*sessionState
}

// use gives the session's state, the same to all who use it at one time. Each calls done once;
// after the last one the state is forgotten: it is of no use to anybody else.
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

// inUse is the session's state, nil when nobody uses one.
func (l *sessionStates) inUse(sessionID string) *sessionState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[sessionID]
}

// wake wakes those who wait for a change of the session.
func (l *sessionStates) wake(sessionID string) {
	if s := l.inUse(sessionID); s != nil {
		s.changed.Send()
	}
}

// lock waits for the right to change the session's runs; the caller gives it back.
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

// countDown begins to count the grace of a run to which no call is attached, anew, and stops
// counting otherwise. s.mu is held.
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
	timer = time.AfterFunc(s.grace, func() { // only memory is touched: nothing waits for it
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
	SessionID, RunID string
	State            store.State
	agentloop.Event
}

// StateChanged is the kind of the events that only say that the run is in another state now.
const StateChanged agentloop.EventKind = "state"

// PhoneBusy is the kind of the event that says that a QUEUED run has to wait for its phone.
const PhoneBusy agentloop.EventKind = "phone busy"

// publish gives an event to all who watch, and wakes those who wait when the run is in another
// state.
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

// moved publishes that a run is in another state.
func (s *sessionState) moved(r store.Run) {
	s.publish(Event{SessionID: r.SessionID, RunID: r.ID, State: r.State,
		Event: agentloop.Event{Kind: StateChanged, At: time.Now(), Progress: r.Progress}})
}

// Watch is a queue of a session's events.
type Watch struct {
	C      <-chan Event // closed by Close
	events chan Event
	state  *sessionState
	done   func() // with the state
}

// Close ends the watch. Closing again does nothing.
func (w *Watch) Close() {
	defer w.done()
	w.state.mu.Lock()
	defer w.state.mu.Unlock()
	if _, open := w.state.watchers[w]; open {
		delete(w.state.watchers, w)
		close(w.events)
	}
}

// put adds an event and drops the oldest when there is no room. The state's lock is held, so it is
// the only writer.
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

// otherProcessPoll is how often a run that another process carries out is looked at.
const otherProcessPoll = 500 * time.Millisecond
