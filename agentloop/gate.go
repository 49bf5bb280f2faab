package agentloop

import (
	"context"
	"errors"
	"time"
)

// checkGate asks the gate about the step's gesture. If it is not allowed, the step is over, and end
// is the run's ending, or nil if it continues.
func (l *loop) checkGate(ctx context.Context, s *Step) (v Verdict, end *Ending) {
	if l.Gate == nil || s.Proposal.Action.Traits().Passive {
		return Allow(), nil
	}
	if l.applyRuling(s) {
		return v, l.record.done(ctx, s)
	}
	timed, cancel := l.timed(ctx)
	defer cancel()
	began := time.Now()
	v, err := l.Gate.Check(timed, l.situation(s), s.Proposal.Decision)
	s.Timing.Ask, s.Seen = time.Since(began), v.seen
	s.Judging, s.Leave = v.spent, v.leave
	switch {
	case timed.Err() != nil:
		return Verdict{}, Stopped(timed)
	case err == nil && !v.allowed && v.refusal == "" && v.question == nil:
		err = errors.New("the gate neither allowed nor refused the action")
	}
	switch {
	case Unwritable(err): // no decision: as when the intent cannot be journaled
		return Verdict{}, broken(stepError(s, "asking the gate", err))
	case err != nil:
		err = stepError(s, "asking the gate", err)
		return Verdict{}, l.interruptedBy(ctx, s, *broken(err))
	case v.question != nil && l.record.progress.rejectedBefore(*v.question):
		v = Rejected("it was rejected before, on the same screen")
	case v.question != nil:
		s.Refusal = "not carried out yet: it waits for an answer"
		q := l.question(s, *v.question)
		q.Action, q.Hidden = s.Proposal.Action, s.Proposal.Secret
		return Verdict{}, l.park(ctx, s, q)
	}
	if v.refusal != "" {
		l.repeats.refused = v.reason
		s.Refusal = "not allowed: " + v.refusal
		l.record.note(Note{Kind: NoteNotAllowed, Action: describe(s.Proposal.Decision),
			Detail: v.refusal})
		return Verdict{}, l.record.done(ctx, s)
	}
	return v, nil
}
