package runs

import (
	"context"
	"sync"
)

// Attach notes that somebody waits for the session's runs, or watches them. The caller calls detach
// when that is over; calling it again does nothing. A run to which no call is attached for
// Options.DetachGrace is paused, as CLIENT_DETACHED, unless its settings say that it may go on
// alone.
func (m *Manager) Attach(sessionID string) (detach func()) {
	s, done := m.states.use(sessionID)
	s.attach(1)
	return sync.OnceFunc(func() {
		defer done()
		s.attach(-1)
	})
}

// PickUp takes a run up that was paused because no call was attached: the call that it was in goes
// on, with what is left of its steps. Any other run is left as it is. The caller attaches first.
func (m *Manager) PickUp(ctx context.Context, sessionID string) (Status, error) {
	c, unlock, err := m.openContinuation(ctx, ContinueRequest{SessionID: sessionID})
	if err != nil {
		return Status{}, err
	}
	defer unlock()
	if !pausedAlone(c.run) {
		return m.Status(ctx, c.sess.ID)
	}
	return c.resumeOrReport(ctx, resumption{SameCall: true})
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
