package runs

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/session"
)

// WaitRequest waits for a session's run.
type WaitRequest struct {
	SessionID  string
	QuestionID string        // of a question that the caller knows of: waiting for its answer is not an end
	SinceStep  int           // the steps after this one are in the Status; 0 means those of the present call
	Budget     time.Duration // 0 returns at once
}

// elsewhere is how often a run that another process carries out is looked at.
const elsewhere = 500 * time.Millisecond

// Wait returns when the run is not QUEUED or RUNNING any more, and at the latest when the budget is used up: a run that goes on
// then has the stop reason STILL_RUNNING. Any number of callers may wait, and none of them holds up the run.
// It returns an error when there is no such session, or with the cause of ctx.
func (f *Manager) Wait(ctx context.Context, r WaitRequest) (Status, error) {
	began := time.Now()
	sess, err := f.store.Session(ctx, r.SessionID)
	if err != nil {
		return Status{}, unknown(r.SessionID, err)
	}
	d := f.desk(sess.ID)
	if err := f.await(ctx, d, r); err != nil {
		return Status{}, err
	}
	st, err := f.status(ctx, sess.ID, r.SinceStep)
	st.Waited, st.Budget = time.Since(began), r.Budget
	return st, err
}

func (f *Manager) await(ctx context.Context, d *desk, r WaitRequest) error {
	budget := time.NewTimer(r.Budget)
	defer budget.Stop()
	for {
		changed := d.changes()
		going, err := f.going(ctx, d, r)
		if err != nil || !going {
			return err
		}
		var tick <-chan time.Time
		if d.current() == nil {
			tick = time.After(elsewhere)
		}
		select {
		case <-changed:
		case <-tick:
		case <-budget.C:
			return nil
		case <-f.ctx.Done():
			if d.current() == nil {
				return nil
			}
			select { // the run is being paused
			case <-changed:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// going reports whether there is something to wait for.
func (f *Manager) going(ctx context.Context, d *desk, r WaitRequest) (bool, error) {
	run, err := f.store.LatestRun(ctx, r.SessionID)
	if err != nil {
		return false, unknown(r.SessionID, err)
	}
	switch run.State {
	case session.Queued, session.Running:
		if d.current() != nil || run.Owner == f.store.Owner() {
			return true, nil
		}
		recovered, err := f.store.Recover(ctx) // its process may have died
		return !slices.ContainsFunc(recovered, func(r session.Run) bool { return r.ID == run.ID }), err
	case session.WaitingReply:
		return f.answerable(ctx, d, run.QuestionID, r)
	}
	return false, nil
}

// answerable reports whether the question of a waiting run is worth waiting for: the caller knows of it, somebody else is being
// asked, or it is settled and about to be applied. That is seen to here, too, so that it does not hang on an event.
func (f *Manager) answerable(ctx context.Context, d *desk, questionID string, r WaitRequest) (bool, error) {
	q, err := f.broker.Get(ctx, questionID)
	switch {
	case errors.Is(err, inquiry.ErrNotFound), err == nil && q.Status == inquiry.Expired:
		return false, nil
	case err != nil:
		return false, err
	case q.Open():
		door, _ := d.door(q.ID)
		return r.QuestionID == q.ID || door.Elsewhere(), nil
	}
	return true, f.apply(ctx, q.ID)
}
