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
	// a question whose answer is also waited for, so that Wait does not return for it
	QuestionID string
	// Status.Steps begins after this step. 0 means with those of the present call.
	SinceStep int
	Budget    time.Duration // 0 returns at once
}

// Wait returns when the run is no longer QUEUED or RUNNING, or when the budget is used up. In the
// latter case the stop reason is STILL_RUNNING. Wait may be called by several goroutines at once
// and does not delay the run. It returns an error if there is no such session, or ctx's cause.
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
			if err := (resumer{m}).stale(ctx, s, st.Run, st.Question == nil); err != nil {
				return st, err
			}
		}
		if over, err = s.stateChange(ctx, m.ctx.Done(), changed, budget.C); err != nil {
			return st, err
		}
	}
}

// worthWaiting reports whether the run is still running, or waits for the answer to the question.
func (st Status) worthWaiting(questionID string) bool {
	asked := st.Run.State.Waiting() && st.Question != nil && st.Question.ID == questionID
	return st.Reason == agentloop.StillRunning || asked
}

// stateChange returns when the state may have changed. over reports that waiting is pointless.
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
		select { // the run is about to be paused
		case <-changed:
		case <-ctx.Done():
			return true, context.Cause(ctx)
		}
	case <-ctx.Done():
		return true, context.Cause(ctx)
	}
	return false, nil
}

// stale recovers a run that no goroutine of this Manager carries out, if its process has
// died. It also applies an answer that the process left.
func (a resumer) stale(ctx context.Context, s *sessionState, r store.Run,
	settled bool) error {
	m := a.m
	switch {
	case m.store.Owner.Elsewhere(r), r.State == store.Queued && r.Owner == "":
		return nil
	case r.State.Waiting():
		if settled {
			m.spawn(func() { a.deliverRetrying(m.ctx, r.QuestionID) })
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
