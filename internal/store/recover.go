package store

import (
	"context"
	"slices"

	"github.com/taploop/taploop/agentloop"
)

// Recover takes over the runs of owners that have died, and returns them. A run that was QUEUED or
// RUNNING becomes PAUSED with the reason SERVER_RESTARTED, or waits if it had asked a question. An
// action without an outcome is noted in the run's progress and never repeated. Runs of living
// owners, in any process, are not changed. It may be called at any time, by any number of
// processes.
//
// It writes only when there is something to bring back.
func (rs Runs) Recover(ctx context.Context) ([]Run, error) {
	return rs.recover(ctx, recoverRun, func(Run) bool { return false })
}

// HandOver is Recover, but leaves the runs with phones that were going on QUEUED for whichever
// process claims them, and not PAUSED. It does so as well with runs of this store that are lost:
// a change whose answer did not arrive made them its own, and nothing carries them out. A run
// that only had a phone, without Settings, ends.
func (rs Runs) HandOver(ctx context.Context, lost func(Run) bool) ([]Run, error) {
	return rs.recover(ctx, handOver, lost)
}

func (rs Runs) recover(
	ctx context.Context, one func(context.Context, *tx, *Run) error, lost func(Run) bool,
) ([]Run, error) {
	left, err := abandoned(ctx, rs.read, rs.owner, lost)
	if err != nil || len(left) == 0 {
		return nil, doing(err, "recovering interrupted runs")
	}
	err = rs.update(ctx, func(ctx context.Context, tx *tx) error {
		if left, err = abandoned(ctx, tx, rs.owner, lost); err != nil {
			return err
		}
		for i := range left {
			if err := one(ctx, tx, &left[i]); err != nil {
				return doing(err, "run %s", left[i].ID)
			}
		}
		return nil
	})
	if err != nil {
		left = nil
	}
	for _, r := range left {
		rs.owner.TakeEnd(r.ID) // it is read once
	}
	return left, doing(err, "recovering interrupted runs")
}

// abandoned returns the queued and running runs whose owners have died, and those of o that are
// lost.
func abandoned(ctx context.Context, q queryer, o *Owner, lost func(Run) bool) ([]Run, error) {
	runs, err := collect(ctx, q, scanRow[Run], "SELECT "+runColumns+` FROM runs r
		WHERE state IN ('QUEUED', 'RUNNING') AND owner <> '' ORDER BY created_at, rowid`)
	alive := o.census(ctx, q)
	return slices.DeleteFunc(runs, func(r Run) bool {
		if r.Owner == o.ID {
			return !lost(r)
		}
		return alive(r.Owner)
	}), err
}

func recoverRun(ctx context.Context, tx *tx, r *Run) error {
	if err := tx.exec(ctx, "UPDATE leases SET worker = '' WHERE run_id = ?", r.ID); err != nil {
		return err
	}
	asked, err := unused(ctx, tx, tx.db.vault, *r)
	if err != nil {
		return err
	}
	if err := finishSteps(ctx, tx, r, asked != nil); err != nil {
		return err
	}
	if asked != nil {
		state, reason := WaitingFor(asked.Kind)
		enter(tx, r, Change{To: state, Reason: reason, Question: asked.ID})
		return saveRun(ctx, tx, r)
	}
	enter(tx, r, tx.db.owner.leftEnd(r.ID))
	r.Fence++
	return saveRun(ctx, tx, r)
}

func handOver(ctx context.Context, tx *tx, r *Run) error {
	if err := recoverRun(ctx, tx, r); err != nil {
		return err
	}
	x, err := sessionByID(ctx, tx, r.SessionID)
	if err != nil || x.Kind() != onPhone || r.State != Paused ||
		r.StopReason != agentloop.ServerRestarted {
		return err
	}
	r.Progress = r.Progress.Resumed()
	next := Change{To: Queued, Reason: agentloop.StillRunning, Unowned: true}
	if len(r.Settings) == 0 {
		next = Change{To: Cancelled, Reason: agentloop.Cancelled}
	}
	enter(tx, r, next)
	return saveRun(ctx, tx, r)
}
