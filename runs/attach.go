package runs

import (
	"context"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/session"
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
	c, unlock, err := m.receive(ctx, ContinueRequest{SessionID: sessionID})
	if err != nil {
		return Status{}, err
	}
	defer unlock()
	if !pausedAlone(c.run) {
		return m.Status(ctx, c.sess.ID)
	}
	return c.goOn(ctx, resumption{SameCall: true})
}

// pausedAlone reports whether the run was paused because no call was attached.
func pausedAlone(r session.Run) bool {
	return r.State == session.Paused && r.StopReason == agentloop.ClientDetached
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
