//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
)

// tripTouches is how often the phone is touched in the demo task, which asks a question in the
// middle.
const tripTouches = 5

// askTouches is how often it is touched until the question.
const askTouches = 2

func TestAQuestionGoesToTheClientAndItsAnswerToTheModel(t *testing.T) {
	eachRoute(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		s := b.open(w)

		asked := s.follow(s.start(b.task.Goal))
		require.Equal(t, store.WaitingReply, asked.State, "%s", asked.words)
		require.EqualValues(t, "INFO_ACTION_NEEDS_REPLY", asked.Reason)
		require.Equal(t, "Which size do you wear?", asked.Question.Text)
		require.Equal(t, "ask_agent_continue", asked.Next.Tool)
		require.Equal(t, asked.SessionID, asked.Next.Arguments["session_id"])
		last := strings.TrimSpace(asked.words)
		require.Contains(t, last[strings.LastIndex(last, "\n")+1:], "ask_agent_continue",
			"the last line names the next call")
		require.Equal(t, 4, asked.Global)

		done := s.follow(s.answer(asked, "42"))
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
		require.Contains(t, *done.Answer, "in your size")
		require.Equal(t, 8, done.Global, "steps count within the session")
		require.Equal(t, 4, done.Local, "and within the call")
		require.Equal(t, asked.SessionID, done.SessionID)
		require.Nil(t, done.Next)
		b.done(tripTouches)
	})
}

func TestAnotherClientGoesOnAfterTheServerWasKilled(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		first := b.open(w)
		asked := first.follow(first.start(b.task.Goal))
		require.Equal(t, store.WaitingReply, asked.State)
		first.kill()

		second := b.open(w)
		waits := second.look(asked.SessionID)
		require.Equal(t, "WAITING_REPLY", waits.State)
		require.Equal(t, asked.Question.ID, waits.Question.ID, "the question keeps its id")
		require.True(t, asked.Question.ExpiresAt.Equal(waits.Question.ExpiresAt),
			"and its deadline")
		require.Equal(t, asked.Question.ID, second.call("ask_agent_wait",
			map[string]any{"session_id": asked.SessionID}).Question.ID)

		done := second.follow(second.answer(asked, "42"))
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
		b.done(tripTouches)
	})
}

func TestARunThatWasKilledComesBackPausedAndRepeatsNothing(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		g := b.holdAt("2/8")
		first := b.open(w)
		begun := first.start(b.task.Goal)
		g.await(t)
		first.kill()
		g.open()
		before := b.wire.touches()

		second := b.open(w)
		require.Equal(t, "PAUSED", second.look(begun.SessionID).State, "before anybody asks for it")
		paused := second.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID})
		require.Equal(t, store.Paused, paused.State)
		require.EqualValues(t, "SERVER_RESTARTED", paused.Reason)
		require.Equal(t, begun.RunID, paused.RunID)
		require.Equal(t, "ask_agent_continue", paused.Next.Tool)
		require.Equal(t, before, b.wire.touches(), "nothing goes on by itself")

		asked := second.follow(second.call(paused.Next.Tool, paused.Next.Arguments))
		require.Equal(t, store.WaitingReply, asked.State, "%s", asked.words)
		done := second.follow(second.answer(asked, "42"))
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
		b.done(tripTouches)
	})
}

func TestTwoClientsShareASession(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		first := b.open(w)
		second := &mcpClient{}
		if w.http { // of the same server
			second = connect(t, w.era, over(t, first.url, nil))
		} else { // of another one on the same data folder
			second = b.open(w).mcpClient
		}
		asked := first.follow(first.start(b.task.Goal))
		require.Equal(t, store.WaitingReply, asked.State)
		done := second.follow(second.answer(asked, "42"))
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY",
			first.follow(first.call("ask_agent_wait",
				map[string]any{"session_id": asked.SessionID})).Reason)
		first.refused("QUESTION_ALREADY_RESOLVED", "ask_agent_continue",
			map[string]any{"session_id": asked.SessionID, "reply_from_client": "43",
				"question_id": asked.Question.ID})
		b.done(tripTouches)
	})
}

func TestTwentyQuestionsInARow(t *testing.T) {
	var script strings.Builder
	for i := 20; i >= 0; i-- { // what was answered last decides
		action := fmt.Sprintf("INFO\\tvalue:Question %d?", i+1)
		if i == 20 {
			action = "COMPLETE\\treturn:all answered"
		}
		when := fmt.Sprintf("  when: 'answer %d\\b'\n", i)
		if i == 0 {
			when = ""
		}
		fmt.Fprintf(&script,
			"- reply: \"<THINK> x </THINK>\\nexplain:x\\taction:%s\\tsummary:s\"\n%s", action, when)
	}
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, script.String())
		s := b.open(w)
		st := s.follow(s.start("ask me"))
		ids := map[string]bool{}
		for i := 1; i <= 20; i++ {
			require.Equal(t, store.WaitingReply, st.State, "%s", st.words)
			require.Equal(t, fmt.Sprintf("Question %d?", i), st.Question.Text)
			ids[st.Question.ID] = true
			st = s.follow(s.answer(st, fmt.Sprintf("answer %d", i)))
		}
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", st.Reason, "%s", st.words)
		require.Equal(t, 21, st.Global)
		require.Len(t, ids, 20)
		require.Empty(t, b.wire.touches())
	})
}
