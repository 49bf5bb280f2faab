package agentloop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"syscall"
	"time"
)

// Runner pursues goals. It is a value without state of its own: one Runner may serve one Run after
// the other, or several at a time if its parts can.
type Runner struct {
	Phone   Phone
	Policy  Policy
	Gate    Gate   // nil allows everything
	Parker  Parker // may be nil when there are no questions
	Journal Journal
	Limits  Limits

	// ByHand tells of an INFO action's question whether its answer is an act on the phone; nil
	// believes the action alone.
	ByHand func(question string) bool

	// NoQuestions answers the model's questions at once: there is no answer. What a Gate asks is
	// parked all the same.
	NoQuestions bool

	// Aside runs f on a goroutine of its owner's, who waits for it, or returns false. With it the
	// phone is looked at while the Policy decides; the loop waits for f before Run returns.
	Aside func(f func()) bool
	// ReadAhead has the elements of each screen read while the Policy decides, when the Phone is a
	// Reader and there is Aside: the Gate then finds them read.
	ReadAhead bool
	// Early asks the Policy with the first look that shows what a gesture did, while Aside finds
	// out whether the screen is at rest. When it was not, the Policy is called off and asked again.
	Early bool

	Moving  bool         // the phone was touched just before: the first step waits for rest, too
	Observe func(Event)  // called synchronously, on the goroutine of Run; may be nil
	Log     *slog.Logger // nil discards
}

// Run pursues the goal of p until it ends or has to wait, and returns how, with the progress from
// which a later call goes on. from is the number of steps that the session has had before.
//
// It returns an error only when the run could not be written down, or the gate could not decide;
// Ending.Reason is InternalError then, and nothing is done on the phone after that. Everything else
// that gets in the way is an Ending.
//
// Cancelling ctx ends the run as its cause says (see [ErrPaused] and its kin). A gesture that has
// begun is finished and journaled first; a decision that arrives later is not acted on. When Run
// has returned, the phone is left alone: Run starts no goroutines but those of Aside, for which it
// waits.
func (r *Runner) Run(ctx context.Context, p Progress, from int) (Ending, Progress, error) {
	l := &loop{Runner: r, limits: r.Limits.withDefaults(), progress: p.clone(), saved: p,
		from: from, start: time.Now(), touched: r.Moving, open: new(Step),
		log: cmp.Or(r.Log, slog.New(slog.DiscardHandler))}
	return l.run(ctx)
}

// loop is one call of Run.
type loop struct {
	*Runner
	limits   Limits
	progress Progress
	saved    Progress // as journaled: what a later call goes on from
	from     int
	log      *slog.Logger

	start   time.Time
	local   int // steps journaled in this call
	last    *Step
	open    *Step       // what was spent and is journaled with no step yet: its Timing, its Tries
	touched bool        // a gesture may have set the screen in motion
	before  view        // the screen that was shown last; zero when there was none
	moving  bool        // it is not known to be at rest
	aside   *aside      // of this step; nil when nothing goes on
	reader  *onceReader // of the screen that was shown last; nil when nobody has asked yet
	ahead   func()      // ends what reads it ahead, and waits for that; nil when nothing does
	asked   int         // how often the policy was asked early
	again   int         // and again, because that was in vain
	repeats repeatDetector
	refused StopReason // why what is repeated is not carried out; "" when it is
}

func (l *loop) run(ctx context.Context) (Ending, Progress, error) {
	l.emit(Event{Kind: Started})
	var end *Ending
	for end == nil {
		end = l.step(ctx)
	}
	end.Steps, end.Last, end.Begun = l.local, l.last, *l.open
	end.Took = time.Since(l.start)
	l.log.InfoContext(ctx, "ended", "reason", end.Reason, "steps", end.Steps,
		"took", end.Took.Round(time.Millisecond), "err", end.Err)
	e := Event{Kind: Ended, Ending: end}
	if l.last != nil {
		e.Step = *l.last
	}
	l.emit(e)
	if end.Reason == InternalError {
		return *end, l.saved, end.Err
	}
	return *end, l.saved, nil
}

// step takes one step and returns nil, or takes none or a last one and returns how the run ends.
func (l *loop) step(ctx context.Context) *Ending {
	if ctx.Err() != nil {
		return Stopped(ctx)
	}
	if l.local >= l.limits.Steps {
		return OutOfSteps(l.limits.Steps)
	}
	timed, cancel := l.timed(ctx)
	defer cancel()
	s := &Step{Index: l.from + l.local + 1, Local: l.local + 1, StartedAt: time.Now(),
		Proposal: Proposal{Tries: l.open.Proposal.Tries}, Timing: l.open.Timing}
	l.open = s
	l.emit(Event{Kind: Looking, Step: *s})
	defer l.leave()
	if end := l.observe(timed, s); end != nil {
		return end
	}
	if !l.moving {
		l.prepare(ctx, s)
	}
	if end := l.hear(ctx, s); end != nil {
		return end
	}
	before := l.progress
	if end := l.decide(timed, s); end != nil {
		return end
	}
	if news, end := l.outdated(ctx, s); news || end != nil {
		l.drop(before, s)
		return end
	}
	end := l.carryOut(ctx, s)
	if end != nil && errors.Is(end.Err, ErrUnheard) {
		l.drop(before, s)
		return nil
	}
	return end
}

// timed is ctx until the time of this call is used up.
func (l *loop) timed(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, l.start.Add(l.limits.Time), errTime)
}

func (l *loop) situation(s *Step) Situation {
	album, _ := l.Journal.(Album)
	now := Situation{Progress: l.progress.clone(), Look: s.Look, Step: s.Index, Album: album}
	if reader, can := l.Phone.(Reader); can {
		if l.reader == nil {
			l.reader = &onceReader{of: reader, turn: make(chan struct{}, 1)}
		}
		now.Reader = l.reader
	}
	return now
}

// Stopped is the ending of a run whose context was cancelled, as its cause says.
func Stopped(ctx context.Context) *Ending {
	cause := context.Cause(ctx)
	return halt(interrupted(cause), cause)
}

// interrupted is the reason that err ends a run for, when it is the cause of a cancelled context.
func interrupted(err error) StopReason {
	var i *interruption
	if errors.As(err, &i) {
		return i.reason
	}
	return Cancelled
}

// decide asks the policy, unless an action is pending. A decision that comes after the run was
// interrupted is dropped.
func (l *loop) decide(ctx context.Context, s *Step) *Ending {
	if pending := l.progress.Pending; pending != nil {
		s.Proposal.Decision = pending.Decision
		l.emit(Event{Kind: Decided, Step: *s})
		return nil
	}
	began := time.Now()
	p, end, err := l.propose(ctx, s)
	s.Timing.Decide += time.Since(began)
	for _, t := range p.Tries {
		s.Timing.Model += t.Took
	}
	p.Tries = slices.Concat(s.Proposal.Tries, p.Tries)
	s.Proposal = p
	l.progress.Warnings = append(l.progress.Warnings, p.Warnings...)
	switch {
	case ctx.Err() != nil:
		return Stopped(ctx)
	case end != nil:
		return end
	case err == nil && p.Action == nil:
		err = errors.New("the policy gave neither an action nor an error")
		return l.undecided(ctx, s, ModelOutputInvalid, err)
	case errors.Is(err, ErrUnreadable):
		return l.undecided(ctx, s, ModelOutputInvalid, err)
	case errors.Is(err, syscall.ENOSPC): // of what is recorded; the model is not to blame
		return l.undecided(ctx, s, InternalError, err)
	case errors.Is(err, ErrDiverged):
		return halt(ReplayDiverged, err)
	case err != nil: // the endpoint is down: that is no step, whatever the model wrote before
		return LostModel(err)
	}
	l.progress = l.progress.decided(p.Decision)
	l.progress.History = p.History
	l.emit(Event{Kind: Decided, Step: *s})
	return nil
}

// undecided journals a step that came to no action, so that none of the model's tries is lost. What
// the model was to be told stays in the progress for the next call.
func (l *loop) undecided(ctx context.Context, s *Step, reason StopReason, err error) *Ending {
	s.Proposal.Action = nil
	if end := l.done(ctx, s); end != nil {
		return end
	}
	return halt(reason, err)
}

// journalTime bounds one entry of the journal, even after the run was interrupted.
const journalTime = 10 * time.Second

var errJournalTime = fmt.Errorf("the store did not answer within %v", journalTime)

// toJournal is ctx for such an entry.
func toJournal(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithoutCancel(ctx), journalTime, errJournalTime)
}

// done journals the step and counts it.
func (l *loop) done(ctx context.Context, s *Step) *Ending {
	p, began := l.progress.after(*s), time.Now()
	ctx, cancel := toJournal(ctx)
	defer cancel()
	if err := l.Journal.Done(ctx, *s, p); err != nil {
		return halt(InternalError, stepError(s, "journaling", err))
	}
	l.progress, l.saved = p, p.clone()
	l.last, l.open = s, &Step{Timing: Timing{Done: time.Since(began)}}
	l.local++
	l.log.InfoContext(ctx, "step", "step", s.Index, "action", verb(s.Proposal.Action),
		"refused", s.Refusal, "took", s.Timing.Total().Round(time.Millisecond))
	l.emit(Event{Kind: Stepped, Step: *s})
	return nil
}
