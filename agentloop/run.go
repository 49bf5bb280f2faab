package agentloop

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/screen"
)

// Run pursues the goal of p until it ends or has to wait, and returns how, with the progress from
// which a later call continues. from is the number of steps that the session has had before. An
// action that is pending in the last of them is carried out in that step, see [Progress.From].
//
// It returns an error only when the run could not be written down, or the gate could not decide.
// Ending.Reason is that of [Failed] then, and the phone is not touched any more. All other
// obstacles are an Ending.
//
// Cancelling ctx ends the run as its cause says (see [ErrPaused] and its kin). A gesture that has
// begun is finished and journaled first. A decision that arrives later is not carried out. When Run
// has returned, the phone is left alone: Run starts no goroutines but those of Background, for
// which it waits.
func (r *Runner) Run(ctx context.Context, p Progress, from int) (Ending, Progress, error) {
	limits := r.Limits.withDefaults()
	l := &loop{Runner: r, limits: limits, start: time.Now(),
		watch: watch{phone: r.Phone, longest: limits.Settle, touched: r.Moving, pace: r.Pace,
			before: view{Observation: screen.Observation{State: r.Left}}},
		record: record{journal: r.Journal, observe: r.Observe,
			log:      cmp.Or(r.Log, slog.New(slog.DiscardHandler)),
			progress: p.clone(), saved: p, from: p.From(from), open: new(Step)}}
	return l.run(ctx)
}

func (l *loop) run(ctx context.Context) (Ending, Progress, error) {
	l.record.emit(Event{Kind: Started})
	life, cancel := context.WithCancel(ctx)
	l.life = life
	defer l.previews.Wait()
	defer cancel()
	var end *Ending
	for end == nil {
		end = l.step(ctx)
	}
	end.Steps = l.record.local
	end.Begun = *l.record.open
	end.Pace = l.watch.pace
	end.Took = time.Since(l.start)
	level := slog.LevelDebug // who carries the run out says how it ended
	if end.Err != nil {
		level = slog.LevelWarn
	}
	l.record.log.Log(ctx, level, "ended", "reason", end.Reason, "steps", end.Steps,
		"took", end.Took.Round(time.Millisecond), "err", end.Err)
	e := Event{Kind: Ended, Ending: end}
	if l.record.last != nil {
		e.Step = *l.record.last
	}
	l.record.emit(e)
	if end.Reason == Failed(end.Err) {
		return *end, l.record.saved, end.Err
	}
	return *end, l.record.saved, nil
}

// step takes one step and returns nil, or takes none or a last one and returns how the run ends.
func (l *loop) step(ctx context.Context) *Ending {
	if ctx.Err() != nil {
		return Stopped(ctx)
	}
	if l.record.local >= l.limits.Steps {
		return OutOfSteps(l.limits.Steps)
	}
	timed, cancel := l.timed(ctx)
	defer cancel()
	s := &Step{Index: l.record.from + l.record.local + 1, Local: l.record.local + 1,
		StartedAt: time.Now(),
		Proposal:  Proposal{Tries: l.record.open.Proposal.Tries}, Timing: l.record.open.Timing}
	l.record.open = s
	l.record.emit(Event{Kind: Looking, Step: *s})
	defer l.endBackground()
	if end := l.observe(timed, s); end != nil {
		return end
	}
	if !l.watch.moving {
		l.record.prepare(ctx, s)
	}
	if end := l.record.takeMessages(ctx, s); end != nil {
		return end
	}
	before := l.record.progress
	if end := l.decide(timed, s); end != nil {
		return end
	}
	if news, end := l.record.outdated(ctx, s); news || end != nil {
		l.record.discard(before, s)
		return end
	}
	end := l.carryOut(ctx, s)
	if end != nil && errors.Is(end.Err, ErrUnheard) {
		l.record.discard(before, s)
		return nil
	}
	return end
}

// decide asks the policy, unless an action is pending. A decision that comes after the run was
// interrupted is dropped.
func (l *loop) decide(ctx context.Context, s *Step) *Ending {
	if pending := l.record.progress.Pending; pending != nil {
		s.Proposal.Decision = pending.Decision
		l.record.emit(Event{Kind: Decided, Step: *s})
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
	l.record.progress.Warnings = append(l.record.progress.Warnings, p.Warnings...)
	switch {
	case ctx.Err() != nil:
		return Stopped(ctx)
	case end != nil:
		return end
	case err == nil && p.Action == nil:
		err = errors.New("the policy gave neither an action nor an error")
		return l.record.undecided(ctx, s, ModelOutputInvalid, err)
	case errors.Is(err, ErrUnreadable):
		return l.record.undecided(ctx, s, ModelOutputInvalid, err)
	case Unwritable(err): // the recording's fault, not the model's
		return l.record.undecided(ctx, s, StoreUnavailable, err)
	case errors.Is(err, ErrDiverged):
		return halt(ReplayDiverged, err)
	case errors.Is(err, ErrSkillDiverged):
		l.record.progress.History = p.History
		return l.record.diverged(ctx, s, err)
	case err != nil: // the endpoint is down: that is no step, whatever the model wrote before
		return LostModel(err)
	}
	l.record.progress = l.record.progress.decided(p.Decision)
	l.record.progress.History = p.History
	l.record.emit(Event{Kind: Decided, Step: *s})
	return nil
}
