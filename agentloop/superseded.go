package agentloop

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// superseded looks once more right before the phone is touched, whether the screen that the
// decision is about is still there: a page may have loaded, a dialog may have opened, a person may
// have picked the phone up, or have stopped the run by switching the display off. It returns what
// has changed, "" when nothing has that matters to the gesture, or the run's end.
func (l *loop) superseded(
	ctx context.Context, s *Step, g actions.Gesture, exactly bool,
) (change string, end *Ending) {
	t := g.Traits()
	if t.Passive {
		return "", nil
	}
	now, err := l.lastLook(ctx)
	if errors.Is(err, screen.ErrSecure) {
		now.State.On, now.State.Secure = true, true
		err = nil
	}
	switch {
	case ctx.Err() != nil:
		return "", Stopped(ctx)
	case err != nil:
		return "", LostPhone(stepError(s, "looking once more", err))
	case !now.State.On || now.State.Locked:
		return "", offOrLocked(now.State)
	}
	if change = now.State.Replaced(s.Screen.State); change != "" {
		return change, nil
	}
	if now.Frame == nil {
		return "", offOrLocked(screen.State{})
	}
	change = l.changed(s.Screen, now.Observation, t, exactly)
	if change != "" && l.byListing(s.Screen, now.Observation, t, exactly) {
		change = movedByListing
	}
	return change, nil
}

// byListing reports whether a screen that has changed since it was seen did so while its elements
// were listed. Where the next look came too late to tell, the next screen is looked at sooner.
func (l *loop) byListing(
	seen, now screen.Observation, t actions.Traits, exactly bool,
) bool {
	began, until := l.watch.elements.lastRead()
	if began.Before(seen.At) || now.At.Before(until) {
		return false
	}
	if a := l.background; a != nil && a.listed.Frame != nil {
		now = a.listed.Observation
	}
	l.watch.listing = true
	return now.At.Sub(until) <= max(until.Sub(began), lastPoll) &&
		l.changed(seen, now, t, exactly) != ""
}

// interruptedBy journals the step that was not carried out any more, and ends the run.
func (l *loop) interruptedBy(ctx context.Context, s *Step, end Ending) *Ending {
	s.Refusal = "not carried out: " + end.Err.Error()
	l.record.note(Note{Kind: NoteNotDone, Action: describe(s.Proposal.Decision)})
	return l.record.finish(ctx, s, end)
}

func (l *loop) stuck(ctx context.Context, s *Step, n int) *Ending {
	s.Refusal = fmt.Sprintf(
		"not carried out: the same action for the %dth time in a row on the same screen", n)
	why := map[StopReason]string{ActionRejected: "although a person had rejected it",
		PolicyDenied: "although it is not allowed"}[l.repeats.refused]
	err := fmt.Errorf("the run is stuck: %s was decided %d times in a row %s",
		describe(s.Proposal.Decision), n, cmp.Or(why, "and changed nothing"))
	return l.record.finish(ctx, s, *halt(cmp.Or(l.repeats.refused, Stuck), err))
}
