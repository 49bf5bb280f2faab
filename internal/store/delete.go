package store

import (
	"context"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// Delete removes a session with its runs, steps, frames and questions. The audit keeps its entries.
// It returns a *StateError if the session's run is queued, running or waiting for a person.
func (s *Store) Delete(ctx context.Context, sessionID string, by AuditEntry) error {
	by.Event, by.SessionID = AuditDeleted, sessionID
	deleted, err := deleteSession(ctx, s, sessionID, time.Time{},
		func(ctx context.Context, tx *tx) error { return tx.audit(ctx, by) })
	if err == nil && !deleted {
		err = listHint(fmt.Errorf("session %q: %w", sessionID, ErrNotFound))
	}
	return doing(err, "deleting a session")
}

// deleteSession reports false when there is no such session, or one that changed since before,
// unless that is zero. also is carried out in the same transaction while the questions are there.
func deleteSession(ctx context.Context, s *Store, id string, before time.Time,
	also func(context.Context, *tx) error) (deleted bool, err error) {
	err = s.update(ctx, func(ctx context.Context, tx *tx) error {
		deleted = false
		if err := notBusy(ctx, tx, id); err != nil {
			return err
		}
		n, err := affected(tx.ExecContext(ctx,
			"DELETE FROM sessions WHERE id = ?1 AND (updated_at < ?2 OR ?2 = 0)",
			id, millis(before)))
		if err != nil || n == 0 {
			return err
		}
		if err := also(ctx, tx); err != nil {
			return err
		}
		deleted = true // with its rows by reference, but questions and answers have none
		err = tx.exec(ctx, "DELETE FROM answers WHERE session_id = ? AND session_id <> ''", id)
		if err != nil {
			return err
		}
		return tx.exec(ctx, "DELETE FROM questions WHERE session_id = ?", id)
	})
	// A crash in between leaves pictures without a session, which Prune removes, and never a step
	// without its picture.
	if deleted = deleted && err == nil; deleted {
		err = s.frames.Delete(ctx, id)
	}
	return deleted, err
}

func notBusy(ctx context.Context, tx *tx, sessionID string) error {
	var r Run
	busy, err := found(tx.QueryRowContext(ctx, "SELECT "+runColumns+` FROM runs r
		WHERE session_id = ? AND ended_at = 0 AND state <> 'PAUSED'`, sessionID),
		r.fields().values()...)
	if err != nil || !busy {
		return err
	}
	return hint.Add(&StateError{RunID: r.ID, State: r.State, Fence: r.Fence},
		"stop the session first")
}
