package agentloop

import (
	"context"
	"errors"

	"github.com/taploop/taploop/actions"
)

// Gate decides whether an action may be carried out.
type Gate interface {
	// Check is called before every action that touches the phone, after the decision and before the
	// intent is journaled. The situation has the screen that the action is for. The decision has
	// the action and the model's words around it.
	//
	// After Check has parked a question about an action, the run waits. Once the question is
	// settled, Check is called again for the same action, with the new screen and the answer in
	// Situation.Pending. The model is not asked in between. A rejected action, or one that was
	// answered in words, does not come to Check again. Situation.Pending.Ruling says what an
	// approval was bound to. If that differs from the screen, or the approval is too old, Check
	// asks again. An edited action is approved up to Ruling.Severity only. An error ends the run
	// for now as INTERNAL_ERROR, and nothing is carried out.
	Check(ctx context.Context, s Situation, d actions.Decision) (Verdict, error)
}

// Previewer is a Gate that finds out about a screen while the policy decides about it. Preview is
// called once the elements of the screen were read, and ends with ctx, which is the run's. Calls
// for several screens may overlap.
type Previewer interface {
	Preview(ctx context.Context, s Situation)
}

// Verdict is what a [Gate] says: [Allow], [Refuse] or [Ask]. The zero Verdict says nothing, which
// is an error.
type Verdict struct {
	allowed  bool
	refusal  string
	reason   StopReason // for which the run ends when the model insists
	seen     string
	spent    Spending
	exactly  bool
	leave    *Leave
	question *Question
}

// Allowed reports whether the action may be carried out.
func (v Verdict) Allowed() bool { return v.allowed }

// With is v with what the gate has seen, in its own form, for [Step.Seen].
func (v Verdict) With(seen string) Verdict {
	v.seen = seen
	return v
}

// Exactly is v, for a screen that has to be the same to the last letter when the phone is touched,
// and not only where it is touched. What its elements say moves by itself may be another.
func (v Verdict) Exactly() Verdict {
	v.exactly = true
	return v
}

// Under is v, which a person's leave allows: the journal uses it with the intent of the step. Nil
// is none.
func (v Verdict) Under(l *Leave) Verdict {
	v.leave = l
	return v
}

// ErrNoLeave is what [Journal.Intent] returns about a step whose leave has ended meanwhile. The
// step is not carried out, and the gate decides about the next.
var ErrNoLeave = errors.New("the leave to do it without asking has ended")

// Costing is v with what finding it has cost, and the preparation for it.
func (v Verdict) Costing(s Spending) Verdict {
	v.spent = s
	return v
}

// Allow lets the action be carried out.
func Allow() Verdict { return Verdict{allowed: true} }

// Refuse keeps the action from being carried out. The model learns why, and the run continues.
func Refuse(why string) Verdict { return Verdict{refusal: why, reason: PolicyDenied} }

// Rejected is [Refuse] for what a person has rejected before in the run, see Progress.Rejected.
func Rejected(why string) Verdict { return Verdict{refusal: why, reason: ActionRejected} }

// Ask parks a question about the action. Of q it uses Kind, Text, Options, FreeText, Secret, Body
// and Review. It refuses the action instead if a question with the same Review.Bound was rejected
// in the run.
func Ask(q Question) Verdict { return Verdict{question: &q} }
