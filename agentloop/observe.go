package agentloop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/screen"
)

// observe gives the step its look: after a gesture the first one that shows the screen at rest,
// else a fresh one. It ends the run when there is nothing that may be shown to the policy.
func (l *loop) observe(ctx context.Context, s *Step) *Ending {
	began := time.Now()
	look, print, err := l.settle(ctx)
	if err == nil && look.Frame != nil && look.Frame.Black() {
		_ = wait.For(ctx, lookAgain)
		l.touched = true // what is about to show may still move
		look, print, err = l.settle(ctx)
	}
	kind := Looked
	if l.touched {
		kind, s.Timing.Settle = Settled, time.Since(began)
	} else {
		s.Timing.Look = time.Since(began)
	}
	if ctx.Err() != nil {
		return Stopped(ctx)
	}
	if err != nil {
		return LostPhone(stepError(s, "looking", err))
	}
	if end := unusable(look); end != nil {
		return end
	}
	if end := l.blackout(look.Frame.Black()); end != nil {
		return end
	}
	l.touched, l.before = false, print
	s.Look = look
	l.emit(Event{Kind: kind, Step: *s})
	return nil
}

// LostPhone is the ending of a run whose phone could not be looked at, or not be got ready for it,
// because of err.
func LostPhone(err error) *Ending {
	switch {
	case errors.Is(err, screen.ErrDisconnected):
		return halt(DeviceDisconnected, err)
	case errors.Is(err, screen.ErrSecure):
		return halt(SecureScreen, err)
	case errors.Is(err, screen.ErrLocked):
		return halt(ScreenLocked, err)
	case errors.Is(err, screen.ErrDark):
		return halt(ManualStop, err)
	default:
		return halt(DeviceError, err)
	}
}

// LostModel is the ending of a run whose model could not be asked because of err.
func LostModel(err error) *Ending {
	if errors.Is(err, ErrKeyRefused) {
		return halt(ModelKeyRefused, err)
	}
	return halt(ModelError, err)
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

// blackout tells the model that the picture is wholly black, once. When the model has decided on
// such a picture and the next one is black too, the run ends; so it does when the action that it
// would carry out was decided on another picture.
func (l *loop) blackout(black bool) *Ending {
	told := slices.ContainsFunc(l.progress.Notes, isBlack)
	switch {
	case !black:
		l.progress.Blind = false
		l.progress.Notes = slices.DeleteFunc(l.progress.Notes, isBlack)
	case l.progress.Blind, l.progress.Pending != nil:
		return halt(SecureScreen, fmt.Errorf(
			"%w, or shows nothing: its picture stays wholly black", screen.ErrSecure))
	case !told:
		l.note(Note{Kind: NoteBlack})
	}
	return nil
}

func isBlack(n Note) bool { return n.Kind == NoteBlack }

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

const (
	peekTime  = 2 * time.Second        // for a frame without a state
	firstPoll = 100 * time.Millisecond // between the first two looks after a gesture
	lastPoll  = 300 * time.Millisecond // what the pauses between looks grow to
	reaction  = 600 * time.Millisecond // a screen that did not move for so long is not going to
	lookAgain = time.Second            // what a black screen gets to show something
	same      = 0.005                  // of a fingerprint's cells; what a cursor or a clock moves
)

// settle looks until two looks in a row are (nearly) the same, or Limits.Settle has passed; without
// a gesture before it, it looks once. Right after a gesture the phone may not have begun to move:
// looks that are still the screen of the step before, or that cannot be held against one, count
// only after the reaction time.
func (l *loop) settle(ctx context.Context) (screen.Observation, screen.Fingerprint, error) {
	if !l.touched || l.limits.Settle < 0 {
		return l.glance(ctx)
	}
	began, pause := time.Now(), firstPoll
	former, formerPrint := l.peek(ctx)
	for {
		// the look finds out whether ctx has ended
		_ = wait.For(ctx, min(pause, l.limits.Settle-time.Since(began)))
		pause = min(pause*3/2, lastPoll)
		look, print, err := l.glance(ctx)
		if err != nil || !look.State.On || look.Frame == nil ||
			time.Since(began) >= l.limits.Settle {
			return look, print, err
		}
		reacted := l.last != nil && print.Distance(l.before) > same || time.Since(began) >= reaction
		if reacted && l.atRest(former, look) && print.Distance(formerPrint) <= same {
			return look, print, nil
		}
		former, formerPrint = look, print
	}
}

// peek is a frame right after a gesture: whether the next look is the same tells whether the screen
// moves. What goes wrong is found out by the look that follows.
func (l *loop) peek(ctx context.Context) (screen.Observation, screen.Fingerprint) {
	ctx, cancel := context.WithTimeout(ctx, peekTime)
	defer cancel()
	f, err := l.Phone.Frame(ctx)
	if err != nil || f == nil {
		return screen.Observation{}, screen.Fingerprint{}
	}
	return screen.Observation{Frame: f}, f.Fingerprint()
}

// atRest reports whether the same app is in front of two looks. What is in front of a frame without
// a state is taken for what was there before the gesture: an app that starts is looked at again.
func (l *loop) atRest(a, b screen.Observation) bool {
	s, t := a.State, b.State
	if s == (screen.State{}) {
		return l.last == nil || l.last.Look.State.App == t.App
	}
	return s.App == t.App && s.Activity == t.Activity && s.Size == t.Size
}

func (l *loop) glance(ctx context.Context) (screen.Observation, screen.Fingerprint, error) {
	look, err := l.Phone.Look(ctx)
	if err != nil || look.Frame == nil {
		return look, screen.Fingerprint{}, err
	}
	return look, look.Frame.Fingerprint(), nil
}
