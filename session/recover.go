package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/taploop/taploop/agentloop"
)

// Recover brings back what owners that died have left behind, and returns those runs as they are
// now. A run that was QUEUED or RUNNING is PAUSED with the reason SERVER_RESTARTED; one that had
// asked a question, but had not got round to waiting for the answer, waits. An action that was
// begun and has no outcome is noted in the run's progress and never repeated. Runs of owners that
// are alive, in any process, are left alone. It may be called at any time, by any number of
// processes.
//
// It writes only when there is something to bring back.
func (s *Store) Recover(ctx context.Context) ([]Run, error) {
	left, err := s.leftBehind(ctx, s.read)
	if err != nil || len(left) == 0 {
		return nil, doing(err, "recovering interrupted runs")
	}
	err = s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if left, err = s.leftBehind(ctx, tx); err != nil {
			return err
		}
		for i := range left {
			if err := s.recoverRun(ctx, tx, &left[i]); err != nil {
				return doing(err, "run %s", left[i].ID)
			}
		}
		return nil
	})
	if err != nil {
		left = nil
	}
	for _, r := range left {
		_ = os.Remove(s.endPath(r.ID)) // most have none, and it is read once
	}
	return left, doing(err, "recovering interrupted runs")
}

// leftBehind are the runs that are going on, as the store says, and whose owners have died.
func (s *Store) leftBehind(ctx context.Context, q queryer) ([]Run, error) {
	runs, err := collect(ctx, q, scanRow[Run], "SELECT "+runColumns+` FROM runs r
		WHERE state IN ('QUEUED', 'RUNNING') ORDER BY created_at, rowid`)
	dead := map[string]bool{}
	return slices.DeleteFunc(runs, func(r Run) bool {
		if _, known := dead[r.Owner]; !known {
			dead[r.Owner] = !s.owner.alive(r.Owner)
		}
		return !dead[r.Owner]
	}), err
}

func (s *Store) recoverRun(ctx context.Context, tx *sql.Tx, r *Run) error {
	asked, err := s.unused(ctx, tx, r)
	if err != nil {
		return err
	}
	if err := s.finishSteps(ctx, tx, r, asked != nil); err != nil {
		return err
	}
	if asked != nil {
		state, reason := waiting(string(asked.Kind))
		s.enter(r, Change{To: state, Reason: reason, Question: asked.ID})
		return s.saveRun(ctx, tx, r)
	}
	s.enter(r, s.leftEnd(r.ID))
	r.Fence++
	return s.saveRun(ctx, tx, r)
}

// end is what LeaveEnd has left.
type end struct {
	Reason agentloop.StopReason `json:"reason"`
	Err    string               `json:"error"`
}

// LeaveEnd leaves word of why a run is going to be PAUSED, in a file: the database does not take it
// before the store closes. Recover finds it.
func (s *Store) LeaveEnd(runID string, reason agentloop.StopReason, err string) error {
	b, failed := json.Marshal(end{reason, err})
	if failed == nil {
		failed = os.WriteFile(s.endPath(runID), b, 0o600)
	}
	return doing(failed, "leaving word of the end of run %s", runID)
}

func (s *Store) endPath(runID string) string {
	return filepath.Join(s.dir, ownersDir, runID+".end")
}

// leftEnd is the end of a run whose process has died.
func (s *Store) leftEnd(runID string) Change {
	e := end{Reason: agentloop.ServerRestarted}
	if b, err := os.ReadFile(s.endPath(runID)); err == nil {
		_ = json.Unmarshal(b, &e) // half a file says nothing: the process has died
	}
	return Change{To: Paused, Reason: e.Reason, Err: e.Err}
}
