package agentloop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

// carryOut does what was decided.
func (l *loop) carryOut(ctx context.Context, s *Step) *Ending {
	l.record.progress.Remembered = s.Proposal.Remember(l.record.progress.Remembered)
	switch a := s.Proposal.Action.(type) {
	case actions.Complete:
		return l.complete(ctx, s, a)
	case actions.Abort:
		return l.record.finish(ctx, s, Ending{Reason: TaskAborted, Answer: a.Reason})
	case actions.Info:
		return l.ask(ctx, s, a)
	}
	n := l.repeats.add(s.Proposal.Touch(), l.watch.before.print)
	if n >= l.limits.Repeats+l.limits.Patience {
		return l.stuck(ctx, s, n)
	}
	if n >= l.limits.Repeats {
		l.record.note(Note{Kind: NoteRepeated, Action: describe(s.Proposal.Decision)})
	}
	switch a := s.Proposal.Touch().(type) {
	case actions.Note:
		return l.record.done(ctx, s)
	case actions.Gesture:
		return l.act(ctx, s, a)
	default:
		err := fmt.Errorf("the action %s is not one that a run can carry out", verb(a))
		return l.record.undecided(ctx, s, ModelOutputInvalid, err)
	}
}

var errNoKey = errors.New("which key of the secret it was is not kept: decide again")

// act carries a gesture out: intent first, then a last look whether it still may be, then the
// touch, then what came of it.
func (l *loop) act(ctx context.Context, s *Step, g actions.Gesture) *Ending {
	what := describe(s.Proposal.Decision)
	err := g.Validate()
	if s.Proposal.Secret && s.Proposal.Key == nil {
		err = errNoKey
	}
	if err != nil {
		l.record.refuse(s, what, err)
		return l.record.done(ctx, s)
	}
	if ctx.Err() != nil {
		return Stopped(ctx)
	}
	v, end := l.checkGate(ctx, s)
	l.keepElements(s)
	if !v.allowed {
		return end
	}
	switch err := l.record.intend(ctx, s); {
	case errors.Is(err, ErrNoLeave):
		s.Leave, s.Refusal = nil, "not carried out: "+ErrNoLeave.Error()
		l.record.note(Note{Kind: NoteNotDone, Action: what})
		return l.record.done(ctx, s)
	case err != nil:
		return broken(stepError(s, "journaling the intent", err))
	}
	if ctx.Err() != nil {
		return l.interruptedBy(ctx, s, *Stopped(ctx))
	}
	began := time.Now()
	change, end := l.superseded(ctx, s, g, v.exactly || s.Proposal.Secret)
	s.Timing.Check = time.Since(began)
	if end != nil {
		return l.interruptedBy(ctx, s, *end)
	}
	if change != "" {
		l.watch.replaced = true
		if l.watch.moving {
			l.inVain()
		}
		s.Refusal = "not carried out: " + change + " in the meantime"
		l.record.note(Superseded(what, change))
		return l.record.done(ctx, s)
	}
	l.record.emit(Event{Kind: Acting, Step: *s})
	began = time.Now()
	err = l.touch(ctx, g)
	s.Timing.Touch = time.Since(began)
	return l.outcome(ctx, s, what, err)
}

// touch runs the gesture to its end even when the run is interrupted: half a gesture would leave
// the phone in an unknown state. A passive one touches nothing, and is cut short.
func (l *loop) touch(ctx context.Context, g actions.Gesture) error {
	if g.Traits().Passive {
		return g.Do(ctx, l.Phone)
	}
	l.watch.touched, l.watch.listing = true, false
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.limits.Act)
	defer cancel()
	return g.Do(ctx, l.Phone)
}

// outcome journals what came of a gesture.
func (l *loop) outcome(ctx context.Context, s *Step, what string, err error) *Ending {
	if errors.Is(err, actions.ErrDone) {
		l.record.warn(ctx, s, Warning{Setting: "phone", Text: hint.Text(err)})
		err = nil
	}
	switch {
	case err == nil:
	case s.Proposal.Action.Traits().Passive && ctx.Err() != nil:
		s.Refusal = CutShort + context.Cause(ctx).Error()
	case errors.Is(err, screen.ErrDisconnected), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, actions.ErrUnknown) && !errors.Is(err, actions.ErrPartial):
		s.Refusal = "outcome unknown: " + err.Error()
		l.record.note(Note{Kind: NoteOutcomeUnknown, Action: what})
	default:
		l.record.refuse(s, what, err)
	}
	l.record.emit(Event{Kind: Acted, Step: *s})
	if end := l.record.done(ctx, s); end != nil {
		return end
	}
	if errors.Is(err, screen.ErrDisconnected) {
		return halt(DeviceDisconnected, stepError(s, "carrying out "+what, err))
	}
	if errors.Is(err, screen.ErrDark) {
		return halt(ManualStop, screen.ErrDark)
	}
	return nil
}

// CutShort begins the [Step.Refusal] of a wait that ended early, because the run was to end.
const CutShort = "cut short: "

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
	if v.JSON != nil { // without what a model wrote around it
		end.Answer = string(v.JSON)
	}
	return l.record.finish(ctx, s, end)
}

// doubt returns the note that the policy gets before the run ends, or nil.
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
