package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

var runColumns = []string{"id", "session_id", "seq", "task", "state", "stop_reason", "answer", "error", "course", "max_steps", "reply_mode",
	"settings", "owner", "fence", "question_id", "created_at", "updated_at", "ended_at"}

// runColumnsOf is the columns of a run under a table's alias.
func runColumnsOf(alias string) string { return alias + "." + strings.Join(runColumns, ", "+alias+".") }

func (r *Run) columns() []any {
	return []any{&r.ID, &r.SessionID, &r.Seq, &r.Task, &r.State, &r.StopReason, &r.Answer, &r.Error, object{&r.Progress}, &r.MaxSteps, &r.ReplyMode,
		object{&r.Settings}, &r.Owner, &r.Fence, &r.QuestionID, instant{&r.CreatedAt}, instant{&r.UpdatedAt}, instant{&r.EndedAt}}
}

func scanRun(row scanner) (Run, error) {
	var r Run
	err := row.Scan(r.columns()...)
	return r, err
}

// CreateRun adds a run to r.SessionID. It takes Task, State ("" means Queued), Course, MaxSteps, ReplyMode and Settings
// from r; the rest is the store's own. While the session's latest run is not terminal it returns a *StateError about
// that run.
func (s *Store) CreateRun(ctx context.Context, r Run) (Run, error) {
	err := s.update(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.newRun(ctx, tx, &r) })
	if err != nil {
		return Run{}, fmt.Errorf("creating a run: %w", err)
	}
	return r, nil
}

// newRun fills in what is the store's own, and adds the run.
func (s *Store) newRun(ctx context.Context, tx *sql.Tx, r *Run) error {
	if r.State == "" {
		r.State = Queued
	}
	if r.Progress.Task == "" {
		r.Progress.Task = r.Task
	}
	r.ID, r.Owner, r.Fence = newID(), s.owner.id, 1
	r.CreatedAt = s.now()
	r.UpdatedAt = r.CreatedAt
	return s.insertRun(ctx, tx, r)
}

func (s *Store) insertRun(ctx context.Context, tx *sql.Tx, r *Run) error {
	if r.State.Terminal() || !r.State.Known() {
		return fmt.Errorf("a new run cannot be %q", r.State)
	}
	if _, err := sessionByID(ctx, tx, r.SessionID); err != nil {
		return listHint(err)
	}
	last, err := latestRun(ctx, tx, r.SessionID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if err == nil && !last.State.Terminal() {
		return &StateError{RunID: last.ID, State: last.State, Fence: last.Fence}
	}
	r.Seq = last.Seq + 1
	course, settings, err := r.texts()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO runs (id, session_id, seq, task, state, course, max_steps, reply_mode, settings,
		owner, fence, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, r.ID, r.SessionID, r.Seq, r.Task, r.State, course, r.MaxSteps, r.ReplyMode, settings,
		r.Owner, r.Fence, millis(r.CreatedAt), millis(r.UpdatedAt))
	if err != nil {
		return err
	}
	return s.touch(ctx, tx, r.SessionID)
}

func (r *Run) texts() (course, settings string, err error) {
	if len(r.Settings) > 0 && !json.Valid(r.Settings) {
		return "", "", errors.New("the settings are not JSON")
	}
	course, err = text(r.Progress)
	return course, string(r.Settings), err
}

// Run returns a run, or ErrNotFound.
func (s *Store) Run(ctx context.Context, id string) (Run, error) { return runByID(ctx, s.read, id) }

func runByID(ctx context.Context, q queryer, id string) (Run, error) {
	row := q.QueryRowContext(ctx, "SELECT "+runColumnsOf("r")+" FROM runs r WHERE id = ?", id)
	return oneRow(row, scanRun, "run", id)
}

// LatestRun returns the session's latest run, or ErrNotFound when it has none.
func (s *Store) LatestRun(ctx context.Context, sessionID string) (Run, error) {
	return latestRun(ctx, s.read, sessionID)
}

func latestRun(ctx context.Context, q queryer, sessionID string) (Run, error) {
	row := q.QueryRowContext(ctx, "SELECT "+runColumnsOf("r")+" FROM runs r WHERE session_id = ? ORDER BY seq DESC LIMIT 1", sessionID)
	return oneRow(row, scanRun, "a run of session", sessionID)
}

// Runs lists the session's runs, oldest first.
func (s *Store) Runs(ctx context.Context, sessionID string) ([]Run, error) {
	list, err := collect(ctx, s.read, scanRun, "SELECT "+runColumnsOf("r")+" FROM runs r WHERE session_id = ? ORDER BY seq", sessionID)
	if err != nil {
		return nil, fmt.Errorf("listing the runs of session %s: %w", sessionID, err)
	}
	return list, nil
}
