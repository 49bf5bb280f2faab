package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/taploop/taploop/agentloop"
)

// settles reports whether a step of that index is the one that a former life of the run has parked
// with a question about its gesture. This life says in the same row what became of the gesture.
func (j *journal) settles(index int) bool {
	p := j.run.Progress.Pending
	return p != nil && p.Step == index
}

// readParked reads that step as the former life left it.
func (j *journal) readParked(ctx context.Context, index int) error {
	if j.parked != nil {
		return nil
	}
	var st StepRecord
	var calls Usage
	row := j.read.QueryRowContext(ctx, "SELECT "+stepColumns+`, calls, prompt_tokens,
		completion_tokens FROM steps s WHERE run_id = ? AND session_id = ? AND idx = ?`,
		j.run.ID, j.run.SessionID, index)
	known, err := found(row, append(st.fields().values(), &calls.Calls, &calls.PromptTokens,
		&calls.CompletionTokens)...)
	if err == nil && !known {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("reading the step that asked: %w", err)
	}
	st.Judging = agentloop.Spending{Calls: calls.Calls - len(st.Proposal.Tries),
		PromptTokens: calls.PromptTokens, CompletionTokens: calls.CompletionTokens}
	for _, t := range st.Proposal.Tries {
		st.Judging.PromptTokens -= t.PromptTokens
		st.Judging.CompletionTokens -= t.CompletionTokens
	}
	j.parked = &st
	return nil
}

// settle makes r, which says what became of a parked step's gesture, the record of both: it keeps
// the question with its answer and picture, and adds up what both have cost. One that asks once
// more has the screen of that question, and no answer yet.
func (r *StepRecord) settle(parked StepRecord) {
	r.Local, r.StartedAt = parked.Local, parked.StartedAt
	r.Proposal.Tries = append(slices.Clip(parked.Proposal.Tries), r.Proposal.Tries...)
	r.Proposal.Caption = parked.Proposal.Caption
	r.Timing = parked.Timing.Plus(r.Timing)
	r.Judging.Calls += parked.Judging.Calls
	r.Judging.PromptTokens += parked.Judging.PromptTokens
	r.Judging.CompletionTokens += parked.Judging.CompletionTokens
	if r.Asks != "" {
		return
	}
	r.Exchange, r.Screen = parked.Exchange, parked.Screen
	r.Proposal.Elements = parked.Proposal.Elements
	r.FrameID, r.FrameSize = parked.FrameID, parked.FrameSize
}

// unpark writes a record that settles a parked step. The question of one whose life was killed may
// not have been stored: then it is UNKNOWN.
func (j *journal) unpark(ctx context.Context, tx *tx, r *StepRecord) error {
	n, err := j.row(r).update(ctx, tx, "steps", `session_id = ? AND idx = ? AND run_id = ?
		AND fence < ? AND state IN ('DONE', 'UNKNOWN') AND asks <> ''`,
		r.SessionID, r.Index, r.RunID, j.run.Fence)
	if err == nil && n != 1 {
		err = fmt.Errorf("step %d of session %s waits for no answer", r.Index, r.SessionID)
	}
	if err != nil {
		return err
	}
	return tx.touch(ctx, r.SessionID)
}

// dropParked says of the step that asked about the pending gesture that this is not carried out any
// more, once the run has dropped it or ends.
func dropParked(
	ctx context.Context, tx *tx, r *Run, pending *agentloop.Pending, to State,
) error {
	why := "the run went on without it"
	switch {
	case pending == nil, r.Progress.Pending != nil && !to.Terminal():
		return nil
	case to.Terminal():
		why = "the run has ended: " + string(to)
	}
	return sayOfParked(ctx, tx, r, pending, "not carried out: "+why)
}

// noteRuling says of the step that asked what its gesture waits for once that may be carried out.
func noteRuling(ctx context.Context, tx *tx, r *Run, how agentloop.Ruling) error {
	p := r.Progress.Pending
	if p == nil || how.Type != agentloop.Approve && how.Type != agentloop.Edit {
		return nil
	}
	return sayOfParked(ctx, tx, r, p, "not carried out yet: it was approved")
}

// sayOfParked sets why the gesture of the step that asked was not carried out.
func sayOfParked(
	ctx context.Context, tx *tx, r *Run, p *agentloop.Pending, refusal string,
) error {
	return tx.exec(ctx, `UPDATE steps SET refusal = ? WHERE session_id = ? AND idx = ?
		AND run_id = ? AND state = 'DONE' AND asks <> ''`,
		refusal, r.SessionID, p.Step, r.ID)
}
