package agentloop

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/wait"
)

// observe gives the step its look: after a gesture the first one that shows the screen at rest,
// else a fresh one. It ends the run when there is nothing that may be shown to the policy.
func (l *loop) observe(ctx context.Context, s *Step) *Ending {
	began := time.Now()
	v, err := l.settle(ctx)
	if err == nil && v.Frame != nil && v.Frame.Black() {
		_ = wait.For(ctx, lookAgain)
		l.watch.touched = true // the next screen may still move
		v, err = l.watch.untilStill(ctx)
	}
	kind := Looked
	if l.watch.stirred() {
		kind = Settled
		s.Timing.Settle += time.Since(began)
	} else {
		s.Timing.Look += time.Since(began)
	}
	return l.setView(ctx, s, v, err, kind)
}

// settle gives the view that the policy is asked with: at rest, or when it is asked early the first
// one that shows what the gesture did. Without a gesture before it, it looks once.
func (l *loop) settle(ctx context.Context) (view, error) {
	if l.early() {
		return l.watch.untilChanged(ctx)
	}
	return l.watch.untilStill(ctx)
}

// setView takes a view as what the step is about, unless there is nothing that may be shown.
func (l *loop) setView(ctx context.Context, s *Step, v view, err error, kind EventKind) *Ending {
	if ctx.Err() != nil {
		return Stopped(ctx)
	}
	if err != nil {
		return LostPhone(stepError(s, "looking", err))
	}
	if end := unusable(v.Observation); end != nil {
		return end
	}
	if end := l.blackout(v.Frame.Black()); end != nil {
		return end
	}
	l.watch.setShown(v)
	s.Screen = v.Observation
	l.record.emit(Event{Kind: kind, Step: *s})
	return nil
}

// unusable is the ending when what was seen cannot be acted on, else nil.
func unusable(look screen.Observation) *Ending {
	if look.Frame == nil {
		look.State.On = false
	}
	if end := offOrLocked(look.State); end != nil {
		return end
	}
	if look.State.Secure {
		return halt(SecureScreen, screen.ErrSecure)
	}
	return nil
}

// blackout tells the model once that the picture is entirely black. The run ends when the model has
// decided on such a picture and the next one is black too, or when the action was decided on
// another picture.
func (l *loop) blackout(black bool) *Ending {
	told := slices.ContainsFunc(l.record.progress.Notes, isBlack)
	switch {
	case !black:
		l.record.progress.Blind = false
		l.record.progress.Notes = slices.DeleteFunc(l.record.progress.Notes, isBlack)
	case l.record.progress.Blind, l.record.progress.Pending != nil:
		return halt(SecureScreen, fmt.Errorf(
			"%w, or shows nothing: its picture stays wholly black", screen.ErrSecure))
	case !told:
		l.record.note(Note{Kind: NoteBlack})
	}
	return nil
}

func offOrLocked(s screen.State) *Ending {
	switch {
	case !s.On:
		return halt(ManualStop, screen.ErrDark)
	case s.Locked:
		return halt(ScreenLocked, screen.ErrLocked)
	default:
		return nil
	}
}

// early reports whether the policy is asked before the screen is known to be at rest: where first
// looks have shown screens at rest, so that few requests are in vain. With EarlyAlways it is until
// one was.
func (l *loop) early() bool {
	return l.Early && l.Background != nil && l.watch.touched && l.record.last != nil &&
		!l.watch.replaced && l.limits.Settle > 0 && l.record.progress.Pending == nil &&
		(l.EarlyAlways || l.watch.pace.reliable()) && l.watch.pace.worthwhile()
}
