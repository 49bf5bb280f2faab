package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/terminal"
)

func TestARunThatWasPausedIsNotUrgedOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("forever", in{"wait_seconds": 2}).SessionID
		for _, a := range []answer{w.call("ask_agent_stop", in{"session_id": id, "mode": "pause"}),
			w.wait(id)} {
			require.Equal(t, "PAUSED USER_PAUSED", a.code())
			require.True(t, strings.HasPrefix(a.last,
				"The run is paused, as it was wanted. When your user wants it to go on, call "+
					"ask_agent_continue"), a.text)
			require.Equal(t, 1, strings.Count(a.text, "ask_agent_continue"))
			require.Contains(t, a.Next.Why, "when your user wants it")
		}
		w.phones.add("B")
		asked := w.start("ask", in{"device_id": "B"})
		a := w.call("ask_agent_stop", in{"session_id": asked.SessionID, "mode": "pause"})
		require.True(t, strings.HasPrefix(a.last,
			"The run is paused, as it was wanted, and its question is still open."), a.text)
		require.Contains(t, a.text, `"question 1?"`)
		require.Equal(t, asked.Question.ID, a.Next.Arguments["question_id"])
		a = w.call("ask_agent_continue", with(a.Next.Arguments, in{"reply_from_client": "red"}))
		require.Equal(t, done, a.code(), "the call that it names goes on")
	})
}

func TestTheLastLineSaysOnceWhatGoesOn(t *testing.T) {
	yes := true
	bubble(t, func(t *testing.T, w *fixture) {
		steps := w.start("forever", in{"max_steps": 1})
		require.Equal(t, "PAUSED MAX_STEPS_REACHED", steps.code())
		require.True(t, strings.HasPrefix(steps.last, "Call ask_agent_continue with"), steps.text)

		w.phones.phone("A").Set(devicetest.Change{Locked: &yes, PIN: &yes})
		locked := w.call("ask_agent_continue", in{"session_id": steps.SessionID, "max_steps": 5})
		require.Equal(t, "PAUSED SCREEN_LOCKED", locked.code())
		require.True(t, strings.HasPrefix(locked.last,
			"Mend this first: unlock the phone by hand; then call ask_agent_continue with"),
			locked.text)

		w.phones.add("B")
		id := w.start("forever", in{"device_id": "B", "wait_seconds": 2}).SessionID
		w.restart()
		again := w.wait(id)
		require.Equal(t, "PAUSED SERVER_RESTARTED", again.code())
		require.True(t, strings.HasPrefix(again.last, "Call ask_agent_continue with"), again.text)
		detached := w.call("ask_agent_continue",
			in{"session_id": id, "wait_seconds": 0, "max_steps": 1000})
		time.Sleep(3 * time.Minute)
		detached = w.call("ask_agent_wait", in{"session_id": detached.SessionID, "wait_seconds": 0})
		require.Equal(t, "PAUSED CLIENT_DETACHED", detached.code())
		require.True(t, strings.HasPrefix(detached.last, "Call ask_agent_wait with"), detached.text)
	})
}

func TestAQueuedRunSaysItsPlaceAndWhoHasThePhone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		first := w.start("forever", in{"wait_seconds": 1})
		w.start("tap", in{"queue": true, "wait_seconds": 0})
		third := w.start("tap tap", in{"queue": true, "wait_seconds": 1})
		require.Equal(t, "QUEUED STILL_RUNNING", third.code())
		for _, text := range []string{third.text, third.Next.Why} {
			require.Contains(t, text, "runs in front of it in the line: 1")
			require.Contains(t, text,
				`held by your session "`+first.SessionID+`", which is RUNNING`)
		}

		foreign, err := w.try(w.as("bob"), "ask_agent_start_new_task",
			in{"task": "tap", "queue": true, "wait_seconds": 1}, nil)
		require.NoError(t, err)
		require.Contains(t, foreign.text, "held by a session of somebody else, which is RUNNING")
		require.NotContains(t, foreign.wire, first.SessionID)
	})
}

func TestAQueuedRunHasItsRankAndItsTime(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.start("forever", in{"wait_seconds": 1})
		low := w.start("tap", in{"queue": true, "priority": "low", "wait_seconds": 1})
		high := w.start("tap tap", in{"queue": true, "priority": "high", "wait_seconds": 1})
		require.Contains(t, w.call("ask_agent_wait", in{"session_id": low.SessionID, "wait_seconds": 0}).
			text, "runs in front of it in the line: 1")
		require.Contains(t, high.text, "runs in front of it in the line: 0")

		late := w.start("tap", in{"queue": true, "queue_seconds": 3, "wait_seconds": 20})
		require.Equal(t, "CANCELLED NOT_STARTED", late.code())
		require.Contains(t, late.text, "within the time that it was to wait")

		for says, bad := range map[string]in{
			"low, normal, high": {"queue": true, "priority": "urgent"},
			"604800":            {"queue": true, "queue_seconds": 1e9},
			"want 1 to":         {"queue": true, "queue_seconds": -1},
			"(queue)":           {"priority": "high"},
			"leave them out":    {"queue_seconds": 5},
		} {
			bad["task"] = "tap"
			got, err := w.try(t.Context(), "ask_agent_start_new_task", bad, nil)
			require.NoError(t, err)
			require.Equal(t, "INVALID_ARGUMENT", got.code(), "%v", bad)
			require.Contains(t, got.text, says, "%v", bad)
		}
	})
}

func TestWhoHoldsThePhoneIsNotToldToSomebodyElse(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		first := w.start("forever", in{"wait_seconds": 1.6})
		for _, tool := range []string{"ask_agent_start_new_task", "list_connected_devices"} {
			arguments := in{"task": "tap"}
			if tool == "list_connected_devices" {
				arguments = nil
			}
			foreign, err := w.try(w.as("bob"), tool, arguments, nil)
			require.NoError(t, err)
			require.Contains(t, foreign.wire, `"state":"RUNNING"`, "that it is held is told")
			require.NotContains(t, foreign.wire, first.SessionID, "by whom is not")
			if foreign.Error != nil {
				require.Equal(t, "DEVICE_BUSY", foreign.code())
				require.NotContains(t, foreign.Error.Hint, "stop it")
				require.Contains(t, foreign.Error.Message, "has had it for 2s")
				require.EqualValues(t, 2, foreign.Error.Holder.Seconds, "the same figure")
			}
		}
	})
}

func TestTheHintOfAReplyThatNobodyWaitsForCanBeFollowed(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap").SessionID
		reply := in{"session_id": id, "reply_from_client": "red"}
		a := w.call("ask_agent_continue", reply)
		require.Equal(t, "NO_OPEN_QUESTION", a.code())
		require.Contains(t, a.Error.Hint, "leave the reply out and send a new task")
		a = w.call("ask_agent_continue", with(reply, in{"question_id": "nosuch"}))
		require.Equal(t, "NO_OPEN_QUESTION", a.code())
		require.Contains(t, a.Error.Hint, "send a new task")
		require.Equal(t, done, w.call("ask_agent_continue",
			in{"session_id": id, "task": "tap tap"}).code())

		id = w.start("forever", in{"wait_seconds": 2}).SessionID
		a = w.call("ask_agent_continue", in{"session_id": id, "reply_from_client": "red"})
		require.Equal(t, "NO_OPEN_QUESTION", a.code())
		require.Contains(t, a.Error.Hint, "wait for the run")
		w.call("ask_agent_stop", in{"session_id": id, "mode": "pause"})
		a = w.call("ask_agent_continue", in{"session_id": id, "reply_from_client": "red"})
		require.Contains(t, a.Error.Hint, "continue without a reply; call ask_agent_continue")
		require.Equal(t, still, w.call("ask_agent_continue",
			in{"session_id": id, "wait_seconds": 1}).code())
	})
}

func TestAReplyIsTakenWhileSomebodyElseIsBeingAsked(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.fopts.Asking.Console = terminal.New(&console{lines: []string{"from the console"}}, "en")
		w.begin()
		a := w.start("ask", in{"reply_mode": "manual_reply", "wait_seconds": 5})
		require.Equal(t, "WAITING_REPLY STILL_RUNNING", a.code())
		related, err := w.try(w.gelab(), "ask_agent_continue", in{"device_id": "A", "task": "tap"},
			nil)
		require.NoError(t, err)
		require.Equal(t, "DEVICE_BUSY", related.code(), "no task takes its place meanwhile")
		a = w.call("ask_agent_continue", in{"session_id": a.SessionID, "reply_from_client": "red"})
		require.Equal(t, done, a.code(), a.text)
		require.Equal(t, "done red", *a.Answer)
	})
}

func TestSessionsAreListedAsTheyAreWaitedFor(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.fopts.Asking.Console = terminal.New(&console{lines: []string{"from the console"}}, "en")
		w.begin()
		a := w.start("ask", in{"reply_mode": "manual_reply", "wait_seconds": 5})
		require.Equal(t, "WAITING_REPLY STILL_RUNNING", a.code())
		l := w.call("list_sessions", nil).structured["sessions"].([]any)[0].(in)
		require.Equal(t, "WAITING_REPLY", l["state"])
		require.Equal(t, "STILL_RUNNING", l["stop_reason"], "the console has its turn")
		require.Contains(t, a.Next.Why, "being asked elsewhere")
		require.Equal(t, a.structured["next"], l["next"])
		require.Equal(t, a.Question.ID, l["question"].(in)["question_id"])
		require.Equal(t, done, w.wait(a.SessionID).code())
	})
}
