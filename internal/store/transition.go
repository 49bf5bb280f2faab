package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// Transition moves a run from state to state. Of concurrent callers whose changes exclude each
// other exactly one wins. The others get a *StateError with the present state. A terminal run never
// changes.
//
// Entering Running starts a new life of the run: its fence grows, it is this store's, and an action
// that its former life left without an outcome becomes a note for the model. Entering a terminal
// state ends the life: its writer is refused from then on, and the run's open questions are
// withdrawn in the same transaction, so that no later answer can win. The entries, which are about
// the run, are written to the audit with the change.
func (rs Runs) Transition(
	ctx context.Context, runID string, c Change, entries ...AuditEntry) (Run, error) {
	var r Run
	var refused error
	err := rs.update(ctx, func(ctx context.Context, tx *tx) error {
		var err error
		if r, err = runByID(ctx, tx, runID); err != nil {
			return err
		}
		if err := spend(ctx, tx, runID, c.Begun); err != nil {
			return err
		}
		if refused = c.allowed(r); refused != nil {
			return nil
		}
		if c.To == Running || c.To == Queued && !c.Unowned {
			if err := tx.present(ctx); err != nil {
				return err
			}
		}
		err = change(ctx, tx, &r, c)
		for _, e := range entries {
			e.SessionID, e.RunID = r.SessionID, r.ID
			err = cmp.Or(err, tx.audit(ctx, e))
		}
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return Run{}, fmt.Errorf("moving the run to %s: %w", c.To, err)
	}
	return r, nil
}

func (c Change) allowed(r Run) error {
	if !c.To.Known() {
		return fmt.Errorf("unknown state %q", c.To)
	}
	if r.State.Terminal() || len(c.From) > 0 && !slices.Contains(c.From, r.State) {
		return &StateError{RunID: r.ID, State: r.State, Fence: r.Fence, Want: c.From}
	}
	if c.Claim && r.Owner != "" {
		return &StateError{RunID: r.ID, State: r.State, Fence: r.Fence, Want: c.From}
	}
	if c.Fence != 0 && c.Fence != r.Fence {
		return fmt.Errorf("%w (life %d, now %d)", ErrFenced, c.Fence, r.Fence)
	}
	return nil
}

// change writes the change to r and to the database.
func change(ctx context.Context, tx *tx, r *Run, c Change) error {
	pending := r.Progress.Pending
	if c.Apply != "" {
		if err := applyTo(ctx, tx, r, c); err != nil {
			return err
		}
	}
	if c.Progress != nil {
		r.Progress = c.Progress(r.Progress)
	}
	if c.To == Running {
		if err := finishSteps(ctx, tx, r, false); err != nil {
			return err
		}
	} else if err := tx.letGo(ctx, r.ID); err != nil {
		return err
	}
	if err := dropParked(ctx, tx, r, pending, c.To); err != nil {
		return err
	}
	if c.To.Terminal() {
		if err := withdrawAll(ctx, tx, r.ID, "the run has ended: "+string(c.To)); err != nil {
			return err
		}
		if err := tx.exec(ctx, "DELETE FROM secrets WHERE run_id = ?", r.ID); err != nil {
			return err
		}
	}
	enter(tx, r, c)
	return saveRun(ctx, tx, r)
}

// enter sets the fields of r that a change sets.
func enter(tx *tx, r *Run, c Change) {
	if !c.To.Waiting() {
		r.waitingAt = time.Time{}
	} else if r.State != c.To {
		r.waitingAt = tx.at
	}
	left := c.Unowned && c.To == Queued
	if c.To == Running || c.To.Terminal() || left && r.State == Queued {
		r.Fence++ // who waits to carry it out does so no longer
	}
	r.State, r.StopReason = c.To, c.Reason
	r.Error, r.QuestionID = c.Err, c.Question
	if c.Answer != "" {
		r.Answer = c.Answer
	}
	if c.MaxSteps > 0 {
		r.MaxSteps = c.MaxSteps
	}
	if c.Settings != nil {
		r.Settings = c.Settings
	}
	r.UpdatedAt = tx.at
	if c.To == Running || c.To == Queued {
		r.Owner = tx.db.owner.ID
		if left {
			r.Owner = ""
		}
	}
	if c.To.Terminal() {
		r.EndedAt = r.UpdatedAt
	}
}

// Note has each new state of a run written into the audit, in the transaction of the change, where
// f makes an entry of it. f is called with the run and its phone, and does not use the store.
func (rs Runs) Note(f func(r Run, serial string) (AuditEntry, bool)) { rs.noting.Store(&f) }

func saveRun(ctx context.Context, tx *tx, r *Run) error {
	if _, err := r.fields().update(ctx, tx, "runs", "id = ?", r.ID); err != nil {
		return err
	}
	if f := tx.db.noting.Load(); f != nil {
		var serial string
		if err := tx.QueryRowContext(ctx, "SELECT serial FROM sessions WHERE id = ?",
			r.SessionID).Scan(&serial); err != nil {
			return err
		}
		if e, noted := (*f)(*r, serial); noted {
			if err := tx.audit(ctx, e); err != nil {
				return err
			}
		}
	}
	return tx.touch(ctx, r.SessionID)
}

// finishSteps closes the run's steps without an outcome. asked reports that the question with which
// this life of the run was about to park is stored.
func finishSteps(ctx context.Context, tx *tx, r *Run, asked bool) error {
	left, err := collect(ctx, tx, scanRow[StepRecord], "SELECT "+stepColumns+` FROM steps s
		WHERE run_id = ? AND state = 'INTENT' ORDER BY idx`, r.ID)
	for _, st := range left {
		parked := asked && st.Asks != ""
		r.Progress = r.Progress.Interrupted(st.Step, parked)
		state, at := Unknown, int64(0)
		if parked {
			state, at = Done, millis(tx.at)
		}
		err := tx.exec(ctx, `UPDATE steps SET state = ?, done_at = ?
			WHERE session_id = ? AND idx = ?`, state, at, r.SessionID, st.Index)
		if err != nil {
			return err
		}
	}
	return err
}
