package agentloop

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/taploop/taploop/actions"
)

// Verifier looks at the end of a run that the policy says is completed.
type Verifier interface {
	// Verify holds the report against the screen. An error counts as not knowing.
	Verify(ctx context.Context, s Situation, report string) (Verification, error)
}

// Verification is what a completed run's end was held against.
type Verification struct {
	Verdict  Verified `json:"verdict,omitempty"`
	Evidence string   `json:"evidence,omitempty"` // what was seen, in words
	Step     int      `json:"step,omitempty"`     // whose frame it was seen on, in the session

	// JSON is the report as JSON that fits the run's schema. Misfit is why there is none.
	JSON   json.RawMessage `json:"answer_json,omitempty"`
	Misfit string          `json:"misfit,omitempty"`

	Tries []Try `json:"-"` // calls of a model for it, which become the step's
}

// Verified says whether what a run reports could be seen.
type Verified string

// What an end can be. Unsure is Unverified.
const (
	IsVerified   Verified = "verified"
	Unverified   Verified = "unverified"
	Contradicted Verified = "contradicted"
)

// complete ends the run, after its end was looked at. What contradicts the end, and a report that
// is not in the form that was wanted, are told to the policy, each once in a run.
func (l *loop) complete(ctx context.Context, s *Step, c actions.Complete) *Ending {
	l.keepElements(s)
	end := Ending{Reason: TaskCompleted, Answer: c.Report}
	if l.Verifier == nil {
		return l.record.finish(ctx, s, end)
	}
	timed, cancel := l.timed(ctx)
	defer cancel()
	began := time.Now()
	v, err := l.Verifier.Verify(timed, l.situation(s), c.Report)
	s.Timing.Check += time.Since(began)
	if timed.Err() != nil {
		return Stopped(timed)
	}
	if err != nil {
		v.Verdict, v.Evidence = Unverified, err.Error()
	}
	v.Step = s.Index
	s.Proposal.Tries = append(s.Proposal.Tries, v.Tries...)
	l.keepElements(s)
	if n := l.doubt(v); n != nil {
		s.Refusal = "not ended yet: " + n.Detail
		l.record.note(*n)
		l.record.progress.Doubted = append(slices.Clip(l.record.progress.Doubted), n.Kind)
		return l.record.done(ctx, s)
	}
	l.record.progress.Verification = &v
	return l.record.finish(ctx, s, end)
}

// doubt is what the policy is told before the run ends, or nil.
func (l *loop) doubt(v Verification) *Note {
	for _, n := range []Note{{Kind: NoteContradicted, Detail: v.Evidence},
		{Kind: NoteAnswerMisfit, Detail: v.Misfit}} {
		applies := n.Kind == NoteContradicted && v.Verdict == Contradicted ||
			n.Kind == NoteAnswerMisfit && v.Misfit != ""
		if applies && !slices.Contains(l.record.progress.Doubted, n.Kind) {
			return &n
		}
	}
	return nil
}
