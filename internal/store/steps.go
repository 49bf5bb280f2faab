package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store/pictures"
)

var stepColumns = new(StepRecord).fields().list("s.%s")

func (st *StepRecord) fields() fields {
	p := &st.Proposal
	return fields{
		{"session_id", &st.SessionID}, {"run_id", &st.RunID}, {"idx", &st.Index}, {"local",
			&st.Local},
		{"state", &st.State}, {"asks", &st.Asks}, {"decision", object{&p.Decision}},
		{"tries", object{&p.Tries}}, {"caption", &p.Caption}, {"refusal", &st.Refusal},
		{"seen", &st.Seen}, {"elements", packed{&p.Elements}},
		{"exchange", object{&st.Exchange}}, {"phone", object{&st.Screen.State}},
		{"timing", object{&st.Timing}}, {"frame", &st.FrameID}, {"frame_w", &st.FrameSize.W},
		{"frame_h", &st.FrameSize.H}, {"looked_at", instant{&st.Screen.At}},
		{"started_at", instant{&st.StartedAt}}, {"done_at", instant{&st.DoneAt}},
	}
}

// usage are further fields, which are only added up.
func (st *StepRecord) usage() fields {
	j := &st.Judging
	u := Usage{Calls: len(st.Proposal.Tries) + j.Calls, PromptTokens: j.PromptTokens,
		CompletionTokens: j.CompletionTokens}
	for _, t := range st.Proposal.Tries {
		u.PromptTokens += t.PromptTokens
		u.CompletionTokens += t.CompletionTokens
	}
	return fields{{"calls", u.Calls}, {"prompt_tokens", u.PromptTokens},
		{"completion_tokens", u.CompletionTokens}}
}

// Steps lists the session's steps with an index above after, oldest first.
func (s *Store) Steps(ctx context.Context, sessionID string, after int) ([]StepRecord, error) {
	list, err := stepsAfter(ctx, s.read, sessionID, after)
	return list, doing(err, "listing the steps of session %s", sessionID)
}

func stepsAfter(ctx context.Context, q queryer, sessionID string, after int) ([]StepRecord, error) {
	return collect(ctx, q, scanRow[StepRecord], "SELECT "+stepColumns+` FROM steps s
		WHERE session_id = ? AND idx > ? ORDER BY idx`, sessionID, after)
}

// Spend adds a model call outside the run's steps. Its time counts as the model's, not as the run's
// work.
func (rs Runs) Spend(ctx context.Context, runID string, t agentloop.Try) error {
	err := rs.update(ctx, func(ctx context.Context, tx *tx) error {
		return spend(ctx, tx, runID, agentloop.Step{Timing: agentloop.Timing{Model: t.Took},
			Proposal: agentloop.Proposal{Tries: []agentloop.Try{t}}})
	})
	return doing(err, "adding to what run %s has cost", runID)
}

// spend adds a cost to a run's usage that is in none of its steps.
func spend(ctx context.Context, tx *tx, runID string, begun agentloop.Step) error {
	if begun.Timing == (agentloop.Timing{}) && len(begun.Proposal.Tries) == 0 {
		return nil
	}
	var sets string
	var args []any
	add := func(column string, n any) {
		sets += fmt.Sprintf("%q = %[1]q + ?,", column)
		args = append(args, n)
	}
	for _, f := range (&StepRecord{Step: begun}).usage() {
		add(f.column, f.value)
	}
	for _, p := range begun.Timing.Parts() {
		if p.Name != "again" { // of it, steps are counted
			add(p.Name, p.Time)
		}
	}
	return tx.exec(ctx, "UPDATE usage SET "+strings.TrimSuffix(sets, ",")+" WHERE run_id = ?",
		append(args, runID)...)
}

// usage reads the cost of a run, which triggers of the database add up, and how long it has waited.
func usage(ctx context.Context, q queryer, now time.Time, runID string) (Usage, error) {
	var u Usage // of a run without a step
	t := &u.Timing
	row := q.QueryRowContext(ctx, `SELECT steps, calls, prompt_tokens, completion_tokens,
		ready, done, settle, look, decide, model, ask, intent, "check", touch,
		again
		FROM usage WHERE run_id = ?`, runID)
	_, err := found(row, &u.Steps, &u.Calls, &u.PromptTokens, &u.CompletionTokens,
		&t.Ready, &t.Done,
		&t.Settle, &t.Look, &t.Decide, &t.Model, &t.Ask, &t.Intent, &t.Check, &t.Touch,
		&u.Again)
	if err != nil {
		return u, err
	}
	waits, err := waitTimes(ctx, q, now, "run_id", runID)
	for _, w := range waits {
		u.Asked += w
	}
	return u, err
}

// Frame returns a frame of a step as JPEG, or ErrNotFound, or ErrFrameLost.
func (s *Store) Frame(ctx context.Context, id string) ([]byte, error) {
	b, _, err := s.frame(ctx, id)
	return b, err
}

// FramePath is where a frame is: its file, or the URL of an object. Its errors are those of Frame.
func (s *Store) FramePath(ctx context.Context, id string) (string, error) {
	_, name, err := s.frame(ctx, id)
	if err != nil {
		return "", err
	}
	return s.frames.Where(name), nil
}

func (d *db) frame(ctx context.Context, id string) ([]byte, string, error) {
	name, sessionID, step, err := pictureName(id)
	if err != nil {
		return nil, "", err
	}
	var size int
	var sum []byte
	// A step that asked again has the picture of its last question. Those of former ones were
	// synced.
	row := d.read.QueryRowContext(ctx, `SELECT frame_bytes, frame_sum FROM steps
		WHERE session_id = ?1 AND idx = ?2 AND frame = ?3
		UNION ALL SELECT 0, NULL FROM questions
		WHERE session_id = ?1 AND json_extract(body, '$.screenshot') = ?3
		LIMIT 1`, sessionID, step, id)
	switch known, err := found(row, &size, &sum); {
	case err != nil:
		return nil, "", doing(err, "looking for frame %q", id)
	case !known:
		return nil, "", fmt.Errorf("frame %q: %w", id, ErrNotFound)
	}
	b, err := d.frames.Get(ctx, name)
	guarded := len(sum) > 0 // former versions synced each file
	_, files := d.frames.Keeper.(pictures.Folder)
	switch got := sha256.Sum256(b); {
	case errors.Is(err, fs.ErrNotExist) && files && !d.engine.alone():
		err = hint.Add(fmt.Errorf("frame %q: %w", id, ErrFrameAway), "look at it there, or have all "+
			"machines keep pictures in one bucket: store.frames: s3://BUCKET")
	case errors.Is(err, fs.ErrNotExist) && !guarded:
		err = fmt.Errorf("frame %q: %w", id, ErrNotFound)
	case guarded && (errors.Is(err, fs.ErrNotExist) ||
		err == nil && (len(b) != size || !bytes.Equal(got[:], sum))):
		err = fmt.Errorf("frame %q: %w", id, ErrFrameLost)
	}
	if err != nil {
		return nil, "", doing(err, "reading frame %q", id)
	}
	return b, name, nil
}
