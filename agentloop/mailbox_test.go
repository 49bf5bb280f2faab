package agentloop_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

// post is a journal to which messages come, and which ends nothing while one is unheard.
type post struct {
	*journal
	list []agentloop.Message
	late *agentloop.Message // comes while the last step is written down
}

func (p *post) say(mode agentloop.MessageMode, text string) {
	p.list = append(p.list,
		agentloop.Message{Number: int64(len(p.list) + 1), Mode: mode, Text: text})
}

func (p *post) Messages(_ context.Context, after int64) ([]agentloop.Message, error) {
	return p.list[after:], nil
}

func (p *post) Done(ctx context.Context, s agentloop.Step, c agentloop.Progress) error {
	if _, ends := s.Proposal.Action.(actions.Complete); ends {
		if p.late != nil {
			p.say(p.late.Mode, p.late.Text)
			p.late = nil
		}
		if c.Heard < int64(len(p.list)) {
			return agentloop.ErrUnheard
		}
	}
	return p.journal.Done(ctx, s, c)
}

func posted(acts ...actions.Action) (*rig, *post) {
	r := newRig(acts...)
	p := &post{journal: r.journal}
	r.runner.Journal = p
	return r, p
}

func pursued(t *testing.T, r *rig, p agentloop.Progress) agentloop.Ending {
	t.Helper()
	end, _, err := r.runner.Run(t.Context(), p, 0)
	require.NoError(t, err)
	return end
}

var done = actions.Complete{Report: "done"}

func exchangesIn(s agentloop.Situation) (list []string) {
	for _, x := range s.Exchanges {
		list = append(list, string(x.Outcome)+": "+x.Answer)
	}
	return list
}

func TestAnInstructionThatComesWhileTheModelThinksGoesBeforeItsDecision(t *testing.T) {
	r, p := posted(tap(100, 100), tap(200, 200), done)
	r.script.before = func(n int) {
		if n == 1 {
			p.say(agentloop.AsInstruction, "the red one")
		}
	}
	end := pursued(t, r, agentloop.Progress{Task: "pick the blue one"})
	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, []string{"tap (0.200,0.200)"}, r.phone.touches, "the old one is not followed")
	require.Empty(t, exchangesIn(r.script.seen[0]))
	want := []string{"instructed: the red one"}
	require.Equal(t, want, exchangesIn(r.script.seen[1]))
	require.True(t, r.script.seen[1].ReplyJustIn)
	require.Equal(t, want, exchangesIn(r.script.seen[2]), "it is shown from then on")
	require.False(t, r.script.seen[2].ReplyJustIn)
	tries := r.journal.steps[0].Proposal.Tries
	require.Len(t, tries, 2, "what was decided in vain is kept, and paid for")
	require.True(t, tries[0].Again)
	require.Equal(t, 2, end.Steps)
	require.EqualValues(t, 1, r.journal.progress.Heard)
}

func TestANoteDoesNotUndoAGesture(t *testing.T) {
	r, p := posted(tap(100, 100), done)
	r.script.before = func(n int) {
		if n == 1 {
			p.say(agentloop.AsNote, "it is on the left")
		}
	}
	pursued(t, r, agentloop.Progress{Task: "pick one"})
	require.Equal(t, []string{"tap (0.100,0.100)"}, r.phone.touches)
	require.Equal(t, []string{"noted: it is on the left"}, exchangesIn(r.script.seen[1]))
}

func TestNothingThatIsSaidBeforeTheEndIsLost(t *testing.T) {
	for _, mode := range []agentloop.MessageMode{agentloop.AsNote, agentloop.AsInstruction} {
		r, p := posted(done, tap(100, 100), done, done)
		p.late = &agentloop.Message{Mode: mode, Text: "no, blue"} // as COMPLETE is journaled
		r.script.before = func(n int) {
			if n == 3 { // while the model thinks
				p.say(mode, "and now stop")
			}
		}
		end := pursued(t, r, agentloop.Progress{Task: "make it red"})
		require.Equal(t, agentloop.TaskCompleted, end.Reason)
		require.Len(t, r.script.seen, 4)
		require.Len(t, exchangesIn(r.script.seen[3]), 2)
		require.Equal(t, []string{"intent 1 CLICK", "done 1 CLICK", "done 2 COMPLETE"},
			r.journal.entries)
	}
}

func TestAQuestionIsNotAskedAfterWhatMayAnswerIt(t *testing.T) {
	r, p := posted(actions.Info{Question: "Which?"}, done)
	r.script.before = func(n int) {
		if n == 1 {
			p.say(agentloop.AsNote, "the red one")
		}
	}
	end := pursued(t, r, agentloop.Progress{Task: "pick"})
	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Empty(t, r.inbox.parked)
}

func TestAnActionThatWaitsIsDroppedByAnInstruction(t *testing.T) {
	pending := agentloop.Progress{Task: "pay", Pending: &agentloop.Pending{
		Decision: actions.Decision{Action: tap(500, 500)},
		Answer:   &actions.Exchange{Question: "Pay?", Answer: "yes"}}}
	r, p := posted(done)
	p.say(agentloop.AsInstruction, "do not pay")
	pursued(t, r, pending)
	require.Empty(t, r.phone.touches)
	require.Contains(t, r.script.notesAt(1)[0], "stopped before the action CLICK")
	require.NotNil(t, pending.Pending, "progress is a value")

	r, p = posted(done)
	p.say(agentloop.AsNote, "it is dear")
	pursued(t, r, pending)
	require.Len(t, r.phone.touches, 1)
}

// silent is a journal whose store does not answer.
type silent struct{ post }

func (s *silent) Messages(ctx context.Context, _ int64) ([]agentloop.Message, error) {
	<-ctx.Done()
	return nil, fmt.Errorf("reading: %w", context.Cause(ctx))
}

// A store that answers nothing is away for now: the run can go on when it is back.
func TestAMailboxThatDoesNotAnswerEndsTheRunAsAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, p := posted(tap(100, 100), done)
		r.runner.Journal = &silent{*p}
		end, _, err := r.runner.Run(t.Context(), agentloop.Progress{Task: "pick"}, 0)
		require.Equal(t, agentloop.StoreUnavailable, end.Reason, "%v", err)
		require.Empty(t, r.phone.touches)
	})
}
