package session

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/screen"
)

const stepColumns = `session_id, run_id, idx, local, state, decision, tries, caption, refusal, exchange, phone, timing, frame, frame_w, frame_h,
	looked_at, started_at, done_at, asks`

func scanStep(row scanner) (StepRecord, error) {
	var st StepRecord
	p := &st.Proposal
	var exchange actions.Exchange
	err := row.Scan(&st.SessionID, &st.RunID, &st.Index, &st.Local, &st.State, object{&p.Decision}, object{&p.Tries}, &p.Caption, &st.Refusal,
		object{&exchange}, object{&st.Look.State}, object{&st.Timing}, &st.FrameID, &st.FrameSize.W, &st.FrameSize.H,
		instant{&st.Look.At}, instant{&st.StartedAt}, instant{&st.DoneAt}, &st.Asks)
	if err != nil {
		return st, err
	}
	if exchange != (actions.Exchange{}) {
		st.Exchange = &exchange
	}
	return st, nil
}

// Steps lists the session's steps, oldest first.
func (s *Store) Steps(ctx context.Context, sessionID string) ([]StepRecord, error) {
	return s.StepsAfter(ctx, sessionID, 0)
}

// StepsAfter lists the session's steps with an index above after, oldest first.
func (s *Store) StepsAfter(ctx context.Context, sessionID string, after int) ([]StepRecord, error) {
	list, err := stepsAfter(ctx, s.read, sessionID, after)
	if err != nil {
		return nil, fmt.Errorf("listing the steps of session %s: %w", sessionID, err)
	}
	return list, nil
}

func stepsAfter(ctx context.Context, q queryer, sessionID string, after int) ([]StepRecord, error) {
	return collect(ctx, q, scanStep, "SELECT "+stepColumns+` FROM steps
		WHERE session_id = ? AND idx > ? ORDER BY idx`, sessionID, after)
}

// Usage adds up what the steps of a session have cost, or those of one of its runs when runID is
// not "".
func (s *Store) Usage(ctx context.Context, sessionID, runID string) (Usage, error) {
	return usage(ctx, s.read, sessionID, runID)
}

func usage(ctx context.Context, q queryer, sessionID, runID string) (Usage, error) {
	var u Usage
	row := q.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(calls), 0), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0),
		coalesce(sum(model_ns), 0), coalesce(sum(phone_ns), 0) FROM steps WHERE session_id = ?1 AND (?2 = '' OR run_id = ?2)`, sessionID, runID)
	if err := row.Scan(&u.Steps, &u.Calls, &u.PromptTokens, &u.CompletionTokens, &u.Model, &u.Phone); err != nil {
		return Usage{}, fmt.Errorf("adding up the usage of session %s: %w", sessionID, err)
	}
	return u, nil
}

// stepRow is a step's columns, ready to be written.
type stepRow struct {
	decision, tries, phone, timing string
	exchange                       any // text or nil
	frame                          string
	frameSize                      screen.Size
	use                            Usage
}

func rowOf(st agentloop.Step, frame string) (stepRow, error) {
	r := stepRow{frame: frame}
	if st.Look.Frame != nil {
		r.frameSize = st.Look.Frame.Size()
	}
	var err error
	if r.decision, err = text(st.Proposal.Decision); err != nil {
		return r, err
	}
	tries := st.Proposal.Tries
	if tries == nil {
		tries = []agentloop.Try{}
	}
	for to, v := range map[*string]any{&r.tries: tries, &r.phone: st.Look.State, &r.timing: st.Timing} {
		if *to, err = text(v); err != nil {
			return r, err
		}
	}
	if st.Exchange != nil {
		if r.exchange, err = text(st.Exchange); err != nil {
			return r, err
		}
	}
	r.use = usageOf(st)
	return r, nil
}

func usageOf(st agentloop.Step) Usage {
	u := Usage{Calls: len(st.Proposal.Tries), Model: st.Timing.Decide, Phone: st.Timing.Settle + st.Timing.Look + st.Timing.Act}
	for _, t := range st.Proposal.Tries {
		u.PromptTokens += t.PromptTokens
		u.CompletionTokens += t.CompletionTokens
	}
	return u
}

func verb(d actions.Decision) string {
	if d.Action == nil {
		return ""
	}
	return d.Action.Verb()
}
