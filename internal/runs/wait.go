package runs

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
)

// WaitRequest waits for a session's run.
type WaitRequest struct {
	SessionID string
	// of a question that the caller knows of: waiting for its answer is not an end
	QuestionID string
	// the steps after this one are in the Status; 0 means those of the present call
	SinceStep int
	Budget    time.Duration // 0 returns at once
}

// Wait returns when the run is not QUEUED or RUNNING any more, and at the latest when the budget is
// used up: a run that goes on then has the stop reason STILL_RUNNING. Any number of callers may
// wait, and none of them holds up the run. It returns an error when there is no such session, or
// with the cause of ctx.
func (m *Manager) Wait(ctx context.Context, r WaitRequest) (Status, error) {
	began := time.Now()
	st, err := m.await(ctx, r)
	st.Waited, st.Budget = time.Since(began), r.Budget
	return st, err
}

func (m *Manager) await(ctx context.Context, r WaitRequest) (Status, error) {
	s, done := m.states.use(r.SessionID)
	defer done()
	budget := time.NewTimer(r.Budget)
	defer budget.Stop()
	for over := false; ; {
		changed := s.changed.Next()
		st, err := m.status(ctx, r.SessionID, r.SinceStep)
		if err != nil || over || !st.worthWaiting(r.QuestionID) {
			return st, err
		}
		if s.current() == nil {
			if err := m.recoverStale(ctx, s, st.Run, st.Question == nil); err != nil {
				return st, err
			}
		}
		if over, err = s.stateChange(ctx, m.ctx.Done(), changed, budget.C); err != nil {
			return st, err
		}
	}
}

// worthWaiting reports whether the run goes on without the caller, or waits for the answer to a
// question that the caller knows of.
func (st Status) worthWaiting(questionID string) bool {
	asked := st.Run.State.Waiting() && st.Question != nil && st.Question.ID == questionID
	return st.Reason == agentloop.StillRunning || asked
}

// stateChange returns when the state may be another one. over says that there is nothing more to
// wait for.
func (s *sessionState) stateChange(ctx context.Context, closing, changed <-chan struct{},
	budget <-chan time.Time) (over bool, err error) {
	var look <-chan time.Time
	if s.current() == nil {
		look = time.After(otherProcessPoll)
	}
	select {
	case <-changed:
	case <-look:
	case <-budget:
		return true, nil
	case <-closing:
		if s.current() == nil {
			return true, nil
		}
		select { // the run is being paused
		case <-changed:
		case <-ctx.Done():
			return true, context.Cause(ctx)
		}
	case <-ctx.Done():
		return true, context.Cause(ctx)
	}
	return false, nil
}

// recoverStale sees to a run that no goroutine of this Manager carries out: its process may have
// died, and may have left an answer to its question that it did not bring to the run.
func (m *Manager) recoverStale(ctx context.Context, s *sessionState, r store.Run,
	settled bool) error {
	switch {
	case m.store.Owner.Elsewhere(r):
		return nil
	case r.State.Waiting():
		if settled {
			m.spawn(func() { resumer{m}.deliverRetrying(r.QuestionID) })
		}
		return nil
	case r.Owner == m.store.Owner.ID && time.Since(r.UpdatedAt) < asking.StoreTime:
		return nil // it is about to be launched, or has just ended
	}
	unlock, err := s.lock(ctx)
	if err == nil {
		defer unlock()
		_, err = m.currentRun(ctx, s, r.SessionID)
	}
	return err
}
