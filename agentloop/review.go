package agentloop

import (
	"slices"
	"time"

	"github.com/taploop/taploop/actions"
)

// KindApproval is the kind of a [Gate]'s question whether an action may be carried out.
const KindApproval = "approval"

// Review is what a person needs to know to decide about an action, and may decide. Its words are
// for people; those that stand on the phone's screen are quoted in them, and are content.
type Review struct {
	// of Approve, Edit, Reject and Respond; none allows all
	Allowed     []string
	Severity    string // routine, sensitive or critical; anything else is taken for critical
	Description string // the action in words
	Element     string // what is under the point, in words; "" when that is not known
	Rule        string // the rule that asks; may be ""
	Reason      string // why it asks
	// what the decision is about, in the gate's own form: it comes back in Ruling, for the gate to
	// compare with what is there by then
	Bound string
}

// What can be decided about an action.
const (
	Approve = "approve" // it is carried out
	Edit    = "edit"    // another one is carried out in its place
	Reject  = "reject"  // it is not carried out
	Respond = "respond" // it is not carried out; the message is the answer to it
)

// Ruling is what was decided about an action that a [Gate] asked about.
type Ruling struct {
	Type     string            `json:"type"`             // Approve, Edit, Reject or Respond
	Edited   *actions.Decision `json:"edited,omitempty"` // under Edit, with nothing but its Action
	Message  string            `json:"message,omitempty"`
	Severity string            `json:"severity,omitempty"` // of the action that was asked about
	Bound    string            `json:"bound,omitempty"`    // as in Review
	AskedAt  time.Time         `json:"asked_at"`
	At       time.Time         `json:"at"` // of the decision
}

// applyRuling applies what a person has decided about the pending action, as far as that needs no
// gate: one that was rejected, or answered in words, is not carried out. over says that the step is
// done with.
func (l *loop) applyRuling(s *Step) (over bool) {
	what := describe(s.Proposal.Decision)
	if l.progress.Pending == nil || l.progress.Pending.Ruling == nil {
		return false
	}
	r := l.progress.Pending.Ruling
	switch {
	case r.Type == Respond:
		s.Refusal = "not carried out: answered in words instead"
		l.note(Note{Kind: NoteResponded, Action: what, Detail: r.Message})
		return true
	case r.Type != Reject:
		return false
	}
	l.repeats.refused = ActionRejected
	if r.Bound != "" {
		l.progress.Rejected = append(slices.Clip(l.progress.Rejected), r.Bound)
	}
	switch {
	case l.progress.Pending.Answer.Outcome == actions.Silence:
		s.Refusal = "not carried out: nobody decided in time"
		l.note(Note{Kind: NoteUndecided, Action: what})
	case r.Message == "":
		s.Refusal = "not carried out: rejected"
		l.note(Note{Kind: NoteRejectedSilently, Action: what})
	default:
		s.Refusal = "not carried out: rejected: " + r.Message
		l.note(Note{Kind: NoteRejected, Action: what, Detail: r.Message})
	}
	return true
}

// rejectedBefore reports whether a person has rejected in this run what the gate asks about.
func (p Progress) rejectedBefore(q Question) bool {
	return q.Review != nil && q.Review.Bound != "" &&
		slices.Contains(p.Rejected, q.Review.Bound)
}
