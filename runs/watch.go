package runs

import (
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/session"
)

// Event is something that happened in a run.
type Event struct {
	SessionID, RunID string
	State            session.State
	agentloop.Event
}

// StateChanged is the kind of the events that only say that the run is in another state now.
const StateChanged agentloop.EventKind = "state"

// PhoneBusy is the kind of the event that says that a QUEUED run has to wait for its phone.
const PhoneBusy agentloop.EventKind = "phone busy"

// publish gives an event to all who watch, and wakes those who wait when the run is in another
// state.
func (m *Manager) publish(s *sessionState, e Event) {
	if m.opts.Observe != nil {
		m.opts.Observe(e)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		w.put(e)
	}
	if e.Kind == StateChanged {
		s.wake()
	}
}

// moved publishes that a run is in another state.
func (m *Manager) moved(s *sessionState, r session.Run) {
	m.publish(s, Event{SessionID: r.SessionID, RunID: r.ID, State: r.State,
		Event: agentloop.Event{Kind: StateChanged, At: time.Now(), Progress: r.Progress}})
}

// Watch is a queue of a session's events.
type Watch struct {
	C      <-chan Event // closed by Close
	events chan Event
	state  *sessionState
	done   func() // with the state
}

// Watch returns a queue of the session's events from now on. It never holds a run up: a reader who
// is more than 64 events behind misses the oldest. The caller closes it.
func (m *Manager) Watch(sessionID string) *Watch {
	w := &Watch{events: make(chan Event, 64)}
	w.state, w.done = m.states.use(sessionID)
	w.C = w.events
	w.state.mu.Lock()
	defer w.state.mu.Unlock()
	w.state.watchers[w] = struct{}{}
	return w
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
