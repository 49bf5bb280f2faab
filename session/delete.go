package session

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// Delete removes a session with its runs, steps, frames and questions. One whose run is queued, running or waiting for a person is
// refused with a *StateError.
func (s *Store) Delete(ctx context.Context, sessionID string) error {
	err := s.update(ctx, func(ctx context.Context, tx *sql.Tx) error { return deleteRows(ctx, tx, sessionID) })
	if err == nil {
		err = s.deleteFrames(sessionID)
	}
	if err != nil {
		return fmt.Errorf("deleting a session: %w", err)
	}
	return nil
}

func deleteRows(ctx context.Context, tx *sql.Tx, sessionID string) error {
	r, err := scanRun(tx.QueryRowContext(ctx, "SELECT "+runColumnsOf("r")+" FROM runs r WHERE session_id = ? AND state IN ('QUEUED', 'RUNNING', 'WAITING_REPLY')", sessionID))
	if err == nil {
		return hint.Add(&StateError{RunID: r.ID, State: r.State, Fence: r.Fence}, "stop the session first")
	}
	if err != sql.ErrNoRows {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM questions WHERE session_id = ?", sessionID); err != nil {
		return err
	}
	n, err := affected(tx.ExecContext(ctx, "DELETE FROM sessions WHERE id = ?", sessionID)) // and, by reference, all that is its own
	if err == nil && n == 0 {
		err = listHint(fmt.Errorf("session %q: %w", sessionID, ErrNotFound))
	}
	return err
}

// deleteFrames comes after the rows: a crash in between leaves pictures without a session, which Prune removes, and never a step without its picture.
func (s *Store) deleteFrames(sessionID string) error {
	return os.RemoveAll(filepath.Join(s.dir, framesDir, sessionID))
}

// Prune deletes the sessions in which nothing happened since before, except those that Delete refuses, and frames that belong to no
// session. It returns how many sessions it deleted.
func (s *Store) Prune(ctx context.Context, before time.Time) (int, error) {
	ids, err := collect(ctx, s.read, scanID, `SELECT id FROM sessions s WHERE updated_at < ? AND NOT EXISTS
		(SELECT 1 FROM runs WHERE session_id = s.id AND state IN ('QUEUED', 'RUNNING', 'WAITING_REPLY'))`, millis(before))
	if err != nil {
		return 0, fmt.Errorf("looking for old sessions: %w", err)
	}
	for i, id := range ids {
		if err := s.Delete(ctx, id); err != nil {
			return i, err
		}
	}
	if err := s.pruneFrames(ctx); err != nil {
		return len(ids), fmt.Errorf("removing frames without a session: %w", err)
	}
	return len(ids), nil
}

func scanID(row scanner) (id string, err error) {
	err = row.Scan(&id)
	return id, err
}

func (s *Store) pruneFrames(ctx context.Context) error {
	// The folders are read first: a session that is made in between is then known when its folder is.
	entries, err := os.ReadDir(filepath.Join(s.dir, framesDir))
	if err != nil {
		return err
	}
	ids, err := collect(ctx, s.read, scanID, "SELECT id FROM sessions")
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
	}
	for _, e := range entries {
		if !known[e.Name()] {
			if err := s.deleteFrames(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}
