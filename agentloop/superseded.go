package agentloop

import (
	"cmp"
	"context"
	"fmt"

	"github.com/taploop/taploop/actions"
)

// superseded asks a phone that can tell whether the screen that the decision is about is still in
// front, right before it is touched: a person may have picked the phone up, or have stopped the run
// by switching the display off. It returns what has changed, "" when nothing has, or the run's end.
func (l *loop) superseded(
	ctx context.Context, s *Step, g actions.Gesture,
) (change string, end *Ending) {
	if g.Traits().Passive {
		return "", nil
	}
	now, can, err := l.now(ctx)
	then := s.Screen.State
	switch {
	case !can:
		return "", nil
	case ctx.Err() != nil:
		return "", Stopped(ctx)
	case err != nil:
		return "", LostPhone(stepError(s, "looking once more", err))
	case !now.On || now.Locked:
		return "", offOrLocked(now)
	case now.Secure:
		return "a window that forbids capture came to the front", nil
	case now.App != then.App && now.App != "" && then.App != "":
		return fmt.Sprintf("%s came to the front", now.App), nil
	case now.Size != then.Size && now.Size.Valid():
		return fmt.Sprintf("the display became %v", now.Size), nil
	}
	return "", nil
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
