package runs

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// phonePoll is how often a phone that has gone away is looked for.
const phonePoll = 2 * time.Second

// parkedForPhone reports whether the run rests until its phone is back. A deliberate pause and a
// stop end that.
func parkedForPhone(r store.Run) bool {
	return r.State == store.Paused && r.StopReason == agentloop.DeviceDisconnected
}

// Reunite resumes a session's run when its phone is back, under whatever address, with the steps
// that it had left. It returns true once the run continues, and false when there is nothing to wait
// for: the run was stopped, continued by somebody else, or does not wait for its phone. If ctx
// ends first, the run stays paused, and the error is ctx's cause.
func (m *Manager) Reunite(ctx context.Context, sessionID string) (bool, error) {
	return reunion{m}.await(ctx, sessionID)
}

// reunion resumes runs whose phone is back, or whose server is.
type reunion struct{ m *Manager }

func (r reunion) await(ctx context.Context, sessionID string) (back bool, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil { // the store says so in its own words
			err = context.Cause(ctx)
		}
	}()
	m := r.m
	_, parked, err := m.latest(ctx, sessionID)
	if err == nil && parkedForPhone(parked) {
		s, done := m.states.use(sessionID)
		defer done()
		s.publish(Event{Context: ctx, SessionID: sessionID, RunID: parked.ID, State: store.Paused,
			Event: agentloop.Event{Kind: PhoneAway, At: time.Now()}})
	}
	for err == nil && parkedForPhone(parked) {
		if r.phoneIsBack(ctx, sessionID) {
			resumed, err := r.retake(ctx, ContinueRequest{SessionID: sessionID},
				"the phone is back", func(now store.Run) bool {
					return now.ID == parked.ID && now.Fence == parked.Fence && parkedForPhone(now)
				})
			if resumed || !busyPhone(err) {
				return resumed, err
			}
		}
		if err := wait.For(ctx, phonePoll); err != nil {
			return false, err
		}
		var now store.Run
		if _, now, err = m.latest(ctx, sessionID); now.ID != parked.ID {
			break
		}
		parked = now
	}
	return false, err
}

// phoneIsBack reports whether the session's phone answers. A phone that is starting up does not
// say yet what its display shows.
func (r reunion) phoneIsBack(ctx context.Context, sessionID string) bool {
	m := r.m
	sess, err := m.store.Session(ctx, sessionID)
	if err != nil {
		return false
	}
	p, err := m.opts.Phones.Open(ctx, sess.Serial)
	if err != nil {
		return false
	}
	defer p.Close()
	_, err = p.State(ctx)
	return err == nil && p.Device().ID == sess.Serial
}

// busyPhone reports whether another session has the phone, or it has just gone again.
func busyPhone(err error) bool {
	switch CodeOf(err) {
	case DeviceBusy, DeviceNotFound, DeviceOffline, DeviceUnauthorized, ADBUnreachable:
		return true
	}
	return false
}

// later awaits the phone in the background, for as long as the Manager lives.
func (r reunion) later(sessionID string) {
	m := r.m
	if !m.opts.Reunite {
		return
	}
	m.spawn(func() {
		_, err := r.await(m.ctx, sessionID)
		report(m, "resuming a run whose phone was away", err, "session", sessionID)
	})
}
