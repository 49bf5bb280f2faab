package session

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"image/jpeg"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/screen"
)

// Journal is where one life of a run is written down; run is what Transition to Running returned. It is for one goroutine.
//
// Its writer is refused with ErrFenced once the run has another life, and an Intent also once the run is not RUNNING any
// more: whoever stops a run, in this process or another, stops it before its next touch.
func (s *Store) Journal(run Run) agentloop.Journal { return &journal{s: s, run: run} }

type journal struct {
	s   *Store
	run Run

	// The frame that was written last: Done has the one of its Intent.
	frame *screen.Frame
	index int
	id    string
}

// Intent writes the step and its frame down before the phone is touched. See agentloop.Journal.
func (j *journal) Intent(ctx context.Context, st agentloop.Step) error {
	row, err := j.prepare(ctx, st)
	if err == nil {
		err = j.s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
			if state, fence, err := j.present(ctx, tx); err != nil {
				return err
			} else if fence != j.run.Fence || state != Running {
				return j.fenced(state)
			}
			return j.insert(ctx, tx, st, row, Intent)
		})
	}
	if err != nil {
		return fmt.Errorf("journaling the intent of step %d: %w", st.Index, err)
	}
	return nil
}

// Done writes the outcome. See agentloop.Journal. Its ctx should not end with the run: what the phone did is to be
// known. A step whose Intent is there is completed even when the run has another life by now, because that is what
// happened; the course is not stored then, and the error is ErrFenced.
func (j *journal) Done(ctx context.Context, st agentloop.Step, c agentloop.Progress) error {
	row, err := j.prepare(ctx, st)
	if err != nil {
		return fmt.Errorf("journaling step %d: %w", st.Index, err)
	}
	var lost error
	err = j.s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		state, fence, err := j.present(ctx, tx)
		if err != nil {
			return err
		}
		completed, err := j.complete(ctx, tx, st, row)
		if err != nil {
			return err
		}
		if fence != j.run.Fence {
			lost = j.fenced(state)
			return nil
		}
		if !completed {
			if err := j.insert(ctx, tx, st, row, Done); err != nil {
				return err
			}
		}
		return j.saveProgress(ctx, tx, c)
	})
	if err == nil {
		err = lost
	}
	if err != nil {
		return fmt.Errorf("journaling step %d: %w", st.Index, err)
	}
	return nil
}

// Frame is what a former step of the session saw, or ErrNotFound. See agentloop.Album.
func (j *journal) Frame(ctx context.Context, step int) (*screen.Frame, error) {
	var id string
	err := j.s.read.QueryRowContext(ctx, "SELECT frame FROM steps WHERE session_id = ? AND idx = ?",
		j.run.SessionID, step).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("step %d: %w", step, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("finding the frame of step %d: %w", step, err)
	}
	b, err := j.s.Frame(ctx, id)
	if err != nil {
		return nil, err
	}
	img, err := jpeg.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("reading frame %s: %w", id, err)
	}
	return screen.NewFrame(img)
}

// prepare writes the frame, and encodes the rest.
func (j *journal) prepare(ctx context.Context, st agentloop.Step) (stepRow, error) {
	f := st.Look.Frame
	if f != nil && (f != j.frame || st.Index != j.index) {
		id, err := j.s.SaveFrame(ctx, j.run, st.Index, f)
		if err != nil {
			return stepRow{}, fmt.Errorf("keeping its frame: %w", err)
		}
		j.frame, j.index, j.id = f, st.Index, id
	}
	if f == nil {
		return rowOf(st, "")
	}
	return rowOf(st, j.id)
}

// present is the run's state and fence as they are now.
func (j *journal) present(ctx context.Context, tx *sql.Tx) (state State, fence int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT state, fence FROM runs WHERE id = ?", j.run.ID).Scan(&state, &fence)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("run %q: %w", j.run.ID, ErrNotFound)
	}
	return state, fence, err
}

func (j *journal) fenced(state State) error {
	return hint.Add(fmt.Errorf("%w (it is %s now)", ErrFenced, state), "continue the session if the run should go on")
}

func (j *journal) insert(ctx context.Context, tx *sql.Tx, st agentloop.Step, row stepRow, state StepState) error {
	var doneAt int64
	if state == Done {
		doneAt = millis(j.s.now())
	}
	u, p := row.use, st.Proposal
	n, err := affected(tx.ExecContext(ctx, `INSERT INTO steps (session_id, idx, run_id, local, fence, state, verb, decision, tries, caption, refusal,
		exchange, phone, timing, frame, frame_w, frame_h, calls, prompt_tokens, completion_tokens, model_ns, phone_ns, looked_at, started_at, done_at, asks)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		j.run.SessionID, st.Index, j.run.ID, st.Local, j.run.Fence, state, verb(p.Decision), row.decision, row.tries, p.Caption, st.Refusal,
		row.exchange, row.phone, row.timing, row.frame, row.frameSize.W, row.frameSize.H, u.Calls, u.PromptTokens, u.CompletionTokens, u.Model, u.Phone,
		millis(st.Look.At), millis(st.StartedAt), doneAt, st.Asks))
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("session %s has a step %d already", j.run.SessionID, st.Index)
	}
	_, err = tx.ExecContext(ctx, "UPDATE sessions SET steps = max(steps, ?), updated_at = ? WHERE id = ?", st.Index, millis(j.s.now()), j.run.SessionID)
	return err
}

// complete turns this life's Intent of the step into Done; false when there is none.
func (j *journal) complete(ctx context.Context, tx *sql.Tx, st agentloop.Step, row stepRow) (bool, error) {
	u, p := row.use, st.Proposal
	n, err := affected(tx.ExecContext(ctx, `UPDATE steps SET state = 'DONE', asks = ?, verb = ?, decision = ?, tries = ?, caption = ?, refusal = ?, exchange = ?,
		phone = ?, timing = ?, frame = ?, frame_w = ?, frame_h = ?, calls = ?, prompt_tokens = ?, completion_tokens = ?, model_ns = ?, phone_ns = ?,
		done_at = ? WHERE session_id = ? AND idx = ? AND run_id = ? AND fence = ? AND state = 'INTENT'`,
		st.Asks, verb(p.Decision), row.decision, row.tries, p.Caption, st.Refusal, row.exchange, row.phone, row.timing, row.frame, row.frameSize.W, row.frameSize.H,
		u.Calls, u.PromptTokens, u.CompletionTokens, u.Model, u.Phone, millis(j.s.now()), j.run.SessionID, st.Index, j.run.ID, j.run.Fence))
	return n == 1, err
}

func (j *journal) saveProgress(ctx context.Context, tx *sql.Tx, c agentloop.Progress) error {
	course, err := text(c)
	if err != nil {
		return err
	}
	now := millis(j.s.now())
	if _, err := tx.ExecContext(ctx, "UPDATE runs SET course = ?, updated_at = ? WHERE id = ?", course, now, j.run.ID); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE sessions SET updated_at = ? WHERE id = ?", now, j.run.SessionID)
	return err
}
