package runs

import (
	"context"
	"sync"
)

// Attach registers a caller that waits for the session's runs or watches them, until it calls
// detach. Further calls of detach do nothing. A run without callers for Options.DetachGrace is
// paused as CLIENT_DETACHED, unless its settings allow it to run unattended.
func (m *Manager) Attach(sessionID string) (detach func()) {
	s, done := m.states.use(sessionID)
	s.attach(1)
	ctx, leave := context.WithCancel(m.ctx)
	if m.opts.Neighbours != nil {
		m.spawn(func() { farm{m}.attend(ctx, s, sessionID) })
	}
	return sync.OnceFunc(func() {
		defer done()
		leave()
		s.attach(-1)
	})
}

// PickUp resumes a run that was paused because no caller was attached, with the steps that its call
// has left. It does nothing to other runs. The caller must attach first.
func (m *Manager) PickUp(ctx context.Context, sessionID string) (Status, error) {
	if _, err := (reunion{m}).retake(ctx, ContinueRequest{SessionID: sessionID},
		"a caller is back", pausedAlone); err != nil {
		return Status{}, err
	}
	return m.Status(ctx, sessionID)
}

// Watch returns a queue of the session's future events. It never blocks a run: a reader that is
// more than 64 events behind misses the oldest. The caller must close it.
func (m *Manager) Watch(sessionID string) *Watch {
	w := &Watch{events: make(chan Event, 64)}
	w.state, w.done = m.states.use(sessionID)
	w.C = w.events
	w.state.mu.Lock()
	defer w.state.mu.Unlock()
	w.state.watchers[w] = struct{}{}
	return w
}
