package agentloop

import (
	"context"

	"github.com/taploop/taploop/actions"
)

// Gate decides whether an action may be carried out.
type Gate interface {
	// Check is asked before every action that touches the phone, once it was decided and before its
	// intent is written down. The situation has the screen that the action is about; the decision
	// is the action with the model's words around it.
	//
	// When Check has parked a question about an action, the run waits. Once that is settled, Check
	// is asked about the same action again, with the screen as it is then and the answer in
	// Situation.Pending: the model is not asked in between. What was rejected, or answered in
	// words, does not come to Check again. Of what was approved or edited Situation.Pending.Ruling
	// tells what the question was bound to: when that is not what is there now, or the approval is
	// too old, Check asks again. An edited action is approved up to Ruling.Severity only. An error
	// ends the run for now as INTERNAL_ERROR, and nothing is carried out.
	Check(ctx context.Context, s Situation, d actions.Decision) (Verdict, error)
}

// Verdict is what a [Gate] says: [Allow], [Refuse] or [Ask]. The zero Verdict says nothing, which
// is an error.
type Verdict struct {
	allowed  bool
	refusal  string
	reason   StopReason // for which the run ends when the model insists
	seen     string
	question *Question
}

// Allowed reports whether the action may be carried out.
func (v Verdict) Allowed() bool { return v.allowed }

// With is v with what the gate has seen, in its own form, for [Step.Seen].
func (v Verdict) With(seen string) Verdict {
	v.seen = seen
	return v
}

// Allow lets the action be carried out.
func Allow() Verdict { return Verdict{allowed: true} }

// Refuse keeps the action from being carried out. The model learns why, and goes on.
func Refuse(why string) Verdict { return Verdict{refusal: why, reason: PolicyDenied} }

// Rejected is [Refuse] for what a person has rejected before in the run, see Progress.Rejected.
func Rejected(why string) Verdict { return Verdict{refusal: why, reason: ActionRejected} }

// Ask parks a question about the action; of q it takes Kind, Text, Options, FreeText, Secret and
// Review. One whose Review.Bound is the same as in one that was rejected in the run is not parked:
// the action is refused.
func Ask(q Question) Verdict { return Verdict{question: &q} }
