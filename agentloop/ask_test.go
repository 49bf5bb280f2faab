package agentloop_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
)

func info(q string) actions.Info { return actions.Info{Question: q} }

// converse runs x until it ends, and settles each question that it parks.
func converse(
	t *testing.T, r *rig, outcomes ...actions.Outcome) (agentloop.Ending, agentloop.Progress,
) {
	t.Helper()
	end, c := run(t, r, "x")
	for end.Reason == agentloop.InfoNeedsReply {
		x := actions.Exchange{Question: end.Question.Text, Answer: "x", Outcome: outcomes[0]}
		outcomes = outcomes[1:]
		synctest.Test(t, func(t *testing.T) {
			var err error
			end, c, err = r.runner.Run(t.Context(), c.Answered(x), c.Steps)
			require.NoError(t, err)
		})
	}
	return end, c
}

func TestAParkedQuestionEndsTheCallAndTheRunGoesOnWithTheAnswer(t *testing.T) {
	hat := actions.Info{Question: "which colour?", Options: []string{"red", "blue"},
		Secret: new(true)}
	r := newRig(hat, tap(1, 1), actions.Complete{Report: "bought"})

	end, c := run(t, r, "buy a hat")

	want := agentloop.Question{Kind: "info", Text: "which colour?",
		Options:  []string{"red", "blue"},
		FreeText: true, Secret: new(true), Task: "buy a hat",
		Screen: r.script.seen[0].Screen, Step: 1, Round: 1}
	require.Equal(t, []agentloop.Question{want}, r.inbox.parked)
	require.Equal(t, agentloop.InfoNeedsReply, end.Reason)
	require.NoError(t, end.Err)
	require.Equal(t, &want, end.Question)
	require.Equal(t, 1, end.Steps)
	require.Equal(t, 1, c.Questions)
	require.Nil(t, r.journal.steps[0].Exchange)
	require.Equal(t, c, r.journal.progress)
	require.Empty(t, r.phone.touches, "asking leaves the phone alone")
	require.Equal(t, []agentloop.EventKind{agentloop.Started, agentloop.Looking,
		agentloop.Looked, agentloop.Decided,
		agentloop.Asking, agentloop.Stepped, agentloop.Ended}, r.kinds())

	red := actions.Exchange{Question: "which colour?", Answer: "red", Outcome: actions.Answered}
	synctest.Test(t, func(t *testing.T) {
		var err error
		end, c, err = r.runner.Run(t.Context(), c.Answered(red), 1)
		require.NoError(t, err)
	})

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, []actions.Exchange{red}, r.script.seen[1].Exchanges)
	require.True(t, r.script.seen[1].ReplyJustIn)
	require.Equal(t, "did 1", r.script.seen[1].Summary)
	require.Equal(t, 2, r.script.seen[1].Step)
	require.Equal(t, []actions.Exchange{red}, r.script.seen[2].Exchanges)
	require.False(t, r.script.seen[2].ReplyJustIn)
}

func TestARunWithoutQuestionsTellsTheModelSoAtOnce(t *testing.T) {
	r := newRig(info("which colour?"), tap(1, 1), actions.Complete{})
	r.runner.NoQuestions, r.runner.Parker = true, nil

	end, c := run(t, r, "buy a hat")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	want := actions.Exchange{Question: "which colour?", Outcome: actions.NoReply}
	require.Equal(t, []actions.Exchange{want}, r.script.seen[1].Exchanges)
	require.True(t, r.script.seen[1].ReplyJustIn)
	require.Equal(t, &want, r.journal.steps[0].Exchange)
	require.Equal(t, "done 1 INFO", r.journal.entries[0],
		"there is nothing that a crash could leave half done")
	require.Equal(t, 1, c.Questions)
	require.Equal(t, []agentloop.EventKind{agentloop.Started, agentloop.Looking,
		agentloop.Looked, agentloop.Decided,
		agentloop.Asking, agentloop.Stepped}, r.kinds()[:6])
}

func TestTheSameQuestionIsNotAskedAgainWhenItWasNotAnswered(t *testing.T) {
	for outcome, again := range map[actions.Outcome]bool{
		actions.Refused: false, actions.Silence: false, actions.NoReply: false,
		actions.Answered: true, actions.ModelAnswer: true, actions.DefaultAnswer: true,
	} {
		t.Run(string(outcome), func(t *testing.T) {
			r := newRig(info("Your  code?"), info(" your code "), info("another one"),
				actions.Complete{})

			_, c := converse(t, r, outcome, outcome, outcome)

			if again {
				require.Len(t, r.inbox.parked, 3)
				require.Equal(t, 3, c.Questions)
				return
			}
			require.Len(t, r.inbox.parked, 2)
			require.Equal(t, "another one", r.inbox.parked[1].Text)
			require.Equal(t, 2, c.Questions)
			require.Contains(t, r.script.notesAt(3)[0], "has not been asked again")
			require.Equal(t, "not asked: the same question was not answered before",
				r.journal.steps[1].Refusal)
		})
	}
}

func TestARunThatInsistsOnARefusedQuestionIsStuck(t *testing.T) {
	r := newRig(repeat(info("code?"), 10)...)

	end, c := converse(t, r, actions.Refused)

	require.Equal(t, agentloop.Stuck, end.Reason)
	require.Equal(t, 6, c.Steps)
	require.Len(t, r.inbox.parked, 1)
}

func TestAfterTheLastQuestionTheModelIsToldAndThenTheRunEnds(t *testing.T) {
	r := newRig(info("1"), info("2"), info("3"), tap(1, 1), info("4"))
	r.runner.Limits.Questions = 2

	end, c := converse(t, r, actions.Answered, actions.Answered)

	require.Equal(t, agentloop.QuestionLimit, end.Reason)
	require.Len(t, r.inbox.parked, 2)
	require.Equal(t, 2, r.inbox.parked[1].Round)
	require.Equal(t, actions.Exchange{Question: "3", Outcome: actions.LimitReached},
		r.script.seen[3].Exchanges[2])
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
		require.Empty(t, r.inbox.parked)
		require.Equal(t, actions.LimitReached, c.Exchanges[0].Outcome)
	})
}

func TestAQuestionThatCannotBeParkedEndsTheRun(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want agentloop.StopReason
		says string
	}{
		{"a full disk", errDisk, agentloop.StoreUnavailable,
			"step 1: asking: the question could not be stored: disk full"},
		{"a stop", fmt.Errorf("the store is closing: %w", agentloop.ErrStopped),
			agentloop.Cancelled,
			"step 1: asking: the store is closing: the run was stopped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(info("which?"))
				r.inbox.err = c.err

				end, progress, err := r.runner.Run(t.Context(), agentloop.Progress{}, 0)

				require.Equal(t, c.want == agentloop.StoreUnavailable, err != nil)
				require.Equal(t, c.want, end.Reason)
				require.EqualError(t, end.Err, c.says)
				require.Equal(t, c.want == agentloop.StoreUnavailable, hint.Of(end.Err) != "")
				require.Zero(t, progress.Questions)
				require.Equal(t, agentloop.NoteNotDone, progress.Notes[0].Kind)
			})
		})
	}
}
