package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/taploop/taploop/agentloop"
)

// Recover brings back what owners that died have left behind, and returns those runs as they are now. A run that was
// QUEUED or RUNNING is PAUSED with the reason SERVER_RESTARTED; one that had asked a question, but had not got round to
// waiting for the answer, is WAITING_REPLY. An action that was begun and has no outcome is noted in the run's course
// and never repeated. Runs of owners that are alive, in any process, are left alone. It may be called at any time, by
// any number of processes.
func (s *Store) Recover(ctx context.Context) ([]Run, error) {
	var recovered []Run
	alive := map[string]bool{s.owner.id: true}
	err := s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		runs, err := collect(ctx, tx, scanRun, "SELECT "+runColumnsOf("r")+" FROM runs r WHERE state IN ('QUEUED', 'RUNNING') ORDER BY created_at, rowid")
		if err != nil {
			return err
		}
		for _, r := range runs {
			if _, asked := alive[r.Owner]; !asked {
				alive[r.Owner] = s.owner.alive(r.Owner)
			}
			if alive[r.Owner] {
				continue
			}
			if err := s.recoverRun(ctx, tx, &r); err != nil {
				return fmt.Errorf("run %s: %w", r.ID, err)
			}
			recovered = append(recovered, r)
		}
		return nil
	})
	if err == nil {
		err = s.owner.sweep(alive)
	}
	if err != nil {
		return nil, fmt.Errorf("recovering interrupted runs: %w", err)
	}
	return recovered, nil
}

func (s *Store) recoverRun(ctx context.Context, tx *sql.Tx, r *Run) error {
	asked, err := askedBy(ctx, tx, r)
	if err != nil {
		return err
	}
	if asked != "" {
		if err := s.finishAsking(ctx, tx, r); err != nil {
			return err
		}
	}
	if err := noteUnfinished(ctx, tx, r); err != nil {
		return err
	}
	if asked != "" {
		s.enter(r, Change{To: WaitingReply, Reason: agentloop.InfoNeedsReply, Question: asked})
		return s.saveRun(ctx, tx, r)
	}
	s.enter(r, Change{To: Paused, Reason: agentloop.ServerRestarted})
	r.Fence++
	return s.saveRun(ctx, tx, r)
}

// finishAsking completes the step that asked, whose question was stored and which itself was not any more: the course goes on as if
// the crash had come a moment later.
func (s *Store) finishAsking(ctx context.Context, tx *sql.Tx, r *Run) error {
	left, err := collect(ctx, tx, scanStep, "SELECT "+stepColumns+" FROM steps WHERE run_id = ? AND fence = ? AND state = 'INTENT' AND verb = 'INFO'", r.ID, r.Fence)
	if err != nil || len(left) == 0 {
		return err
	}
	c := &r.Progress
	c.Steps, c.Questions, c.Notes, c.ReplyJustIn = c.Steps+1, c.Questions+1, nil, false
	if summary := left[0].Proposal.Summary; summary != "" {
		c.Summary = summary
	}
	_, err = tx.ExecContext(ctx, "UPDATE steps SET state = 'DONE', done_at = ? WHERE session_id = ? AND idx = ?", millis(s.now()), r.SessionID, left[0].Index)
	return err
}

// askedBy is the question that this life of the run asked and whose answer it has not applied, or "".
func askedBy(ctx context.Context, tx *sql.Tx, r *Run) (string, error) {
	var id string
	err := tx.QueryRowContext(ctx, `SELECT id FROM questions WHERE run_id = ? AND fence = ? AND applied_at = 0
		AND status IN ('pending', 'answered', 'refused', 'timed_out')
		ORDER BY asked_at DESC, rowid DESC LIMIT 1`, r.ID, r.Fence).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}
