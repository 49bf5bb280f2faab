package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/taploop/taploop/internal/inquiry"
)

var runColumns = new(Run).fields().list("r.%s")

func (r *Run) fields() fields {
	return fields{
		{"id", &r.ID}, {"session_id", &r.SessionID}, {"seq", &r.Seq}, {"task", &r.Task},
		{"state", &r.State}, {"stop_reason", &r.StopReason}, {"answer", &r.Answer},
		{"error", &r.Error}, {"course", object{&r.Progress}}, {"max_steps", &r.MaxSteps},
		{"reply_mode", &r.ReplyMode}, {"settings", rawJSON{&r.Settings}}, {"owner", &r.Owner},
		{"fence", &r.Fence}, {"question_id", &r.QuestionID}, {"waiting_at", instant{&r.waitingAt}},
		{"created_at", instant{&r.CreatedAt}}, {"updated_at", instant{&r.UpdatedAt}},
		{"ended_at", instant{&r.EndedAt}}, {"attended", &r.Attended},
	}
}

// rawJSON is JSON as it was given, "" for none.
type rawJSON struct{ raw *json.RawMessage }

// Scan implements sql.Scanner.
func (s rawJSON) Scan(v any) error { return object{s.raw}.Scan(v) }

// Value implements driver.Valuer.
func (s rawJSON) Value() (driver.Value, error) {
	if len(*s.raw) > 0 && !json.Valid(*s.raw) {
		return nil, errors.New("the settings are not JSON")
	}
	return string(*s.raw), nil
}

// Runs are the runs of sessions.
type Runs struct{ *db }

// Create adds a run to r.SessionID. It takes Task, State ("" means Queued), Progress, MaxSteps,
// ReplyMode and Settings from r, and sets the other fields. It returns a *StateError about the
// session's latest run unless that is terminal.
func (rs Runs) Create(ctx context.Context, r Run) (Run, error) {
	err := rs.update(ctx, func(ctx context.Context, tx *tx) error {
		return newRun(ctx, tx, &r)
	})
	if err != nil {
		return Run{}, fmt.Errorf("creating a run: %w", err)
	}
	return r, nil
}

// newRun sets the fields that the store decides and adds the run.
func newRun(ctx context.Context, tx *tx, r *Run) error {
	if r.State == "" {
		r.State = Queued
	}
	if r.Progress.Task == "" {
		r.Progress.Task = r.Task
	}
	r.ID, r.Fence = newID(), 1
	if !r.Unowned {
		r.Owner = tx.db.owner.ID
		if err := tx.present(ctx); err != nil {
			return err
		}
	}
	r.CreatedAt = tx.at
	r.UpdatedAt = r.CreatedAt
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
	if err := r.fields().insert(ctx, tx, "runs"); err != nil {
		return err
	}
	return tx.touch(ctx, r.SessionID)
}

// Get returns a run, or ErrNotFound.
func (rs Runs) Get(ctx context.Context, id string) (Run, error) { return runByID(ctx, rs.read, id) }

func runByID(ctx context.Context, q queryer, id string) (Run, error) {
	row := q.QueryRowContext(ctx, "SELECT "+runColumns+" FROM runs r WHERE id = ?", id)
	return oneRow(row, scanRow[Run], "run", id)
}

func latestRun(ctx context.Context, q queryer, sessionID string) (Run, error) {
	row := q.QueryRowContext(ctx,
		"SELECT "+runColumns+` FROM runs r WHERE session_id = ?
			ORDER BY seq DESC LIMIT 1`, sessionID)
	return oneRow(row, scanRow[Run], "a run of session", sessionID)
}

// Of lists the session's runs, oldest first.
func (rs Runs) Of(ctx context.Context, sessionID string) ([]Run, error) {
	list, err := collect(ctx, rs.read, scanRow[Run],
		"SELECT "+runColumns+" FROM runs r WHERE session_id = ? ORDER BY seq", sessionID)
	return list, doing(err, "listing the runs of session %s", sessionID)
}

// Unused returns the last question of this life of the run that is open, or whose answer the run
// has yet to use. It returns nil without such a question.
func (rs Runs) Unused(ctx context.Context, r Run) (*inquiry.Question, error) {
	return unused(ctx, rs.read, rs.vault, r)
}

func unused(ctx context.Context, q queryer, v *vault, r Run) (*inquiry.Question, error) {
	list, err := collect(ctx, q, v.question, "SELECT "+questionColumns+` FROM questions
		WHERE run_id = ? AND fence = ? AND applied_at = 0
		AND status IN ('pending', 'answered', 'refused', 'timed_out')
		ORDER BY asked_at DESC, rowid DESC LIMIT 1`, r.ID, r.Fence)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// AfterLate tells the sender of a late reply to q how to proceed. r is the latest run of q's
// session.
func (r Run) AfterLate(q inquiry.Question) string {
	switch {
	case r.ID != q.RunID:
		return "the run that asked has ended, and its session has had another task since"
	case r.State.Terminal():
		return fmt.Sprintf("the run has ended since (%s): read what came of it, or give the "+
			"session a new task", r.State)
	case r.State == Paused:
		return "the run is paused: continue the session without a reply"
	case r.State.Waiting() && r.QuestionID != q.ID:
		return "the run asks something else by now: answer the question that is open"
	}
	switch q.Status {
	case inquiry.Answered, inquiry.Refused:
		return "wait for the run: it goes on with that answer"
	case inquiry.Withdrawn:
		return "the run is paused or stopped with its question: continue the session without a " +
			"reply, or give it a new task"
	case inquiry.Expired:
		return "the run ends with its question: give the session a new task"
	}
	return "wait for the run: it goes on without an answer"
}
