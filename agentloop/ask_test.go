package agentloop_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

func info(q string) actions.Info { return actions.Info{Question: q} }

func TestAnAnswerIsShownOnTheNextStepAndKept(t *testing.T) {
	r := newRig(info("which colour?"), tap(1, 1), actions.Complete{})
	r.asker.give = []actions.Exchange{{Answer: "red", Outcome: actions.Answered}}

	_, c := run(t, r, "buy a hat")

	want := []actions.Exchange{{Question: "which colour?", Answer: "red", Outcome: actions.Answered}}
	require.Equal(t, agentloop.Question{Info: info("which colour?"), Task: "buy a hat", Look: r.script.seen[0].Look, Step: 1, Round: 1}, r.asker.asked[0])
	require.Equal(t, want, r.script.seen[1].Exchanges)
	require.True(t, r.script.seen[1].ReplyJustIn)
	require.Equal(t, want, r.script.seen[2].Exchanges)
	require.False(t, r.script.seen[2].ReplyJustIn)
	require.Equal(t, &want[0], r.journal.steps[0].Exchange)
	require.Equal(t, []string{"tap (0.001,0.001)"}, r.phone.touches, "asking leaves the phone alone")
	require.Equal(t, 1, c.Questions)
	require.Equal(t, []agentloop.EventKind{
		agentloop.Started, agentloop.Looked, agentloop.Decided, agentloop.Asking, agentloop.Replied, agentloop.Stepped,
	}, r.kinds()[:6])
}

func TestAParkedQuestionEndsTheCallAndTheRunGoesOnWithTheAnswer(t *testing.T) {
	r := newRig(info("which colour?"), actions.Complete{Report: "bought"})
	r.asker.err = fmt.Errorf("storing: %w", agentloop.ErrParked)

	end, c := run(t, r, "buy a hat")

	require.Equal(t, agentloop.InfoNeedsReply, end.Reason)
	require.NoError(t, end.Err)
	require.Equal(t, "which colour?", end.Question.Info.Question)
	require.Equal(t, 1, end.Steps)
	require.Equal(t, 1, c.Questions)
	require.Nil(t, r.journal.steps[0].Exchange)
	require.Equal(t, c, r.journal.course)

	c.Exchanges, c.ReplyJustIn = append(c.Exchanges, actions.Exchange{Question: "which colour?", Answer: "red", Outcome: actions.Answered}), true
	synctest.Test(t, func(t *testing.T) {
		var err error
		end, c, err = r.runner.Run(t.Context(), c, 1)
		require.NoError(t, err)
	})

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, "red", r.script.seen[1].Exchanges[0].Answer)
	require.True(t, r.script.seen[1].ReplyJustIn)
	require.Equal(t, "did 1", r.script.seen[1].Summary)
	require.Equal(t, 2, r.script.seen[1].Step)
}

func TestTheSameQuestionIsNotAskedAgainWhenItWasNotAnswered(t *testing.T) {
	for outcome, again := range map[actions.Outcome]bool{
		actions.Refused: false, actions.Silence: false, actions.NoReply: false,
		actions.Answered: true, actions.ModelAnswer: true, actions.DefaultAnswer: true,
	} {
		t.Run(string(outcome), func(t *testing.T) {
			r := newRig(info("Your  code?"), info(" your code "), info("another one"), actions.Complete{})
			r.asker.give = []actions.Exchange{{Answer: "x", Outcome: outcome}}

			_, c := run(t, r, "x")

			if again {
				require.Len(t, r.asker.asked, 3)
				require.Equal(t, 3, c.Questions)
				return
			}
			require.Len(t, r.asker.asked, 2)
			require.Equal(t, "another one", r.asker.asked[1].Info.Question)
			require.Equal(t, 2, c.Questions)
			require.Contains(t, r.script.told(3)[0], "has not been asked again")
			require.Equal(t, "not asked: the same question was not answered before", r.journal.steps[1].Refusal)
		})
	}
}

func TestARunThatInsistsOnARefusedQuestionIsStuck(t *testing.T) {
	r := newRig()
	for range 10 {
		r.script.actions = append(r.script.actions, info("code?"))
	}
	r.asker.give = []actions.Exchange{{Outcome: actions.Refused}}

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.Stuck, end.Reason)
	require.Equal(t, 6, end.Steps)
	require.Len(t, r.asker.asked, 1)
}

func TestAfterTheLastQuestionTheModelIsToldAndThenTheRunEnds(t *testing.T) {
	r := newRig(info("1"), info("2"), info("3"), tap(1, 1), info("4"))
	r.runner.Limits.Questions = 2
	r.asker.give = []actions.Exchange{{Answer: "x", Outcome: actions.Answered}}

	end, c := run(t, r, "x")

	require.Equal(t, agentloop.QuestionLimit, end.Reason)
	require.Len(t, r.asker.asked, 2)
	require.Equal(t, actions.Exchange{Question: "3", Outcome: actions.LimitReached}, r.script.seen[3].Exchanges[2])
	require.True(t, r.script.seen[3].ReplyJustIn)
	require.Len(t, r.phone.touches, 1, "the model may finish with what it knows")
	require.Equal(t, 2, c.Questions)
	require.Len(t, c.Exchanges, 3)
}

func TestQuestionsOfEarlierCallsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(info("one more"), actions.Complete{})

		_, c, err := r.runner.Run(t.Context(), agentloop.Progress{Questions: 20}, 0)

		require.NoError(t, err)
		require.Empty(t, r.asker.asked)
		require.Equal(t, actions.LimitReached, c.Exchanges[0].Outcome)
	})
}

func TestWaitingForAnAnswerDoesNotUseUpTheTimeOfTheRun(t *testing.T) {
	r := newRig(info("which?"), tap(1, 1), actions.Complete{})
	r.runner.Limits.Time = time.Minute
	r.asker.give = []actions.Exchange{{Answer: "x", Outcome: actions.Answered}}
	r.asker.took = 10 * time.Minute

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, 10*time.Minute, r.journal.steps[0].Timing.Ask)
}

func TestAnAskerCanEndTheRun(t *testing.T) {
	r := newRig(info("which?"))
	r.asker.err = fmt.Errorf("the person typed /stop: %w", agentloop.ErrStopped)
	end, c := run(t, r, "x")
	require.Equal(t, agentloop.Cancelled, end.Reason)
	require.ErrorContains(t, end.Err, "step 1: asking: the person typed /stop")
	require.Zero(t, c.Questions)

	r = newRig(info("which?"))
	r.asker.err = errors.New("connection refused")
	end, _ = run(t, r, "x")
	require.Equal(t, agentloop.ModelError, end.Reason)
}
