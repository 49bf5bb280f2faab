package agentloop

import (
	"slices"

	"github.com/taploop/taploop/actions"
)

// applyRuling applies what a person has decided about the pending action, as far as that needs no
// gate: one that was rejected, or answered in words, is not carried out. over says that the step is
// done with.
func (l *loop) applyRuling(s *Step) (over bool) {
	what := describe(s.Proposal.Decision)
	if l.record.progress.Pending == nil || l.record.progress.Pending.Ruling == nil {
		return false
	}
	r := l.record.progress.Pending.Ruling
	switch {
	case r.Type == Respond:
		s.Refusal = "not carried out: answered in words instead"
		l.record.note(Note{Kind: NoteResponded, Action: what, Detail: r.Message})
		return true
	case r.Type != Reject:
		return false
	}
	l.repeats.refused = ActionRejected
	if r.Bound != "" {
		l.record.progress.Rejected = append(slices.Clip(l.record.progress.Rejected), r.Bound)
	}
	switch {
	case l.record.progress.Pending.Answer.Outcome == actions.Silence:
		s.Refusal = "not carried out: nobody decided in time"
		l.record.note(Note{Kind: NoteUndecided, Action: what})
	case r.Message == "":
		s.Refusal = "not carried out: rejected"
		l.record.note(Note{Kind: NoteRejectedSilently, Action: what})
	default:
		s.Refusal = "not carried out: rejected: " + r.Message
		l.record.note(Note{Kind: NoteRejected, Action: what, Detail: r.Message})
	}
	return true
}

// rejectedBefore reports whether a person has rejected in this run what the gate asks about.
func (p Progress) rejectedBefore(q Question) bool {
	return q.Review != nil && q.Review.Bound != "" &&
		slices.Contains(p.Rejected, q.Review.Bound)
}
