package session

import (
	"context"
	"database/sql"

	"github.com/taploop/taploop/inquiry"
)

// Snapshot is how a session stands, all of it at one moment.
type Snapshot struct {
	Session  Session
	Run      Run               // the latest
	Question *inquiry.Question // that Run has asked and whose answer it has not used yet, or nil
	Usage    Usage             // of Run
	Steps    []StepRecord      // the ones asked for, oldest first; the last step is always there
	Holder   *Hold             // who has the session's phone; nil when it is free
}

// Snapshot reads how a session stands, in one transaction. after is given the latest run and says
// behind which step the steps begin. A session that is not there, or has no run, is ErrNotFound.
func (s *Store) Snapshot(
	ctx context.Context, sessionID string, after func(Run) (int, error),
) (Snapshot, error) {
	var v Snapshot
	tx, err := s.read.BeginTx(ctx, nil)
	if err == nil {
		defer tx.Rollback() // nothing was written
		v, err = s.snapshot(ctx, tx, sessionID, after)
	}
	return v, doing(err, "reading how session %s stands", sessionID)
}

func (s *Store) snapshot(
	ctx context.Context, tx *sql.Tx, id string, after func(Run) (int, error),
) (v Snapshot, err error) {
	if v.Session, err = sessionByID(ctx, tx, id); err != nil {
		return v, listHint(err)
	}
	if v.Run, err = latestRun(ctx, tx, id); err != nil {
		return v, err
	}
	if v.Question, err = s.unused(ctx, tx, &v.Run); err != nil {
		return v, err
	}
	if v.Usage, err = s.usage(ctx, tx, v.Run.ID); err != nil {
		return v, err
	}
	from, err := after(v.Run)
	if err != nil {
		return v, err
	}
	if v.Steps, err = stepsAfter(ctx, tx, id, min(from, v.Session.Steps-1)); err != nil {
		return v, err
	}
	h, held, err := s.holder(ctx, tx, v.Session.Serial)
	if held {
		v.Holder = &h
	}
	return v, err
}

// Unused is the last question of this life of the run whose answer the run has not used yet: one
// that is open, or that was settled in a way which the run can go on with. It is nil when there is
// none.
func (s *Store) Unused(ctx context.Context, r Run) (*inquiry.Question, error) {
	return s.unused(ctx, s.read, &r)
}

func (s *Store) unused(ctx context.Context, q queryer, r *Run) (*inquiry.Question, error) {
	list, err := collect(ctx, q, (&questions{s}).scan, "SELECT "+questionColumns+` FROM questions
		WHERE run_id = ? AND fence = ? AND applied_at = 0
		AND status IN ('pending', 'answered', 'refused', 'timed_out')
		ORDER BY asked_at DESC, rowid DESC LIMIT 1`, r.ID, r.Fence)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}
