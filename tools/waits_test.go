package tools_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/usecase"
)

func TestACallNeverOutlivesItsBudget(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arguments in
		token     any
		waits     usecase.Waits
		client    usecase.Waits
		want      time.Duration
	}{
		"by default": {in{}, nil, usecase.Waits{}, usecase.Waits{},
			25 * time.Second},
		"by default, with progress": {in{}, "p", usecase.Waits{}, usecase.Waits{},
			25 * time.Second},
		"asked for": {in{"wait_seconds": 12.5}, nil, usecase.Waits{},
			usecase.Waits{}, 12500 * time.Millisecond},
		"too much asked for": {in{"wait_seconds": 3600}, nil, usecase.Waits{},
			usecase.Waits{}, 50 * time.Second},
		"too much, with progress": {in{"wait_seconds": 3600}, "p", usecase.Waits{},
			usecase.Waits{}, 90 * time.Second},
		"with progress": {in{"wait_seconds": 80}, 7, usecase.Waits{}, usecase.Waits{},
			80 * time.Second},
		"at once": {in{"wait_seconds": 0}, nil, usecase.Waits{}, usecase.Waits{},
			0},
		"at once, with progress": {in{"wait_seconds": 0}, "p", usecase.Waits{}, usecase.Waits{},
			0},
		"configured": {in{}, nil, usecase.Waits{Default: 20 * time.Second},
			usecase.Waits{}, 20 * time.Second},
		"configured above 50": {in{}, nil, usecase.Waits{Default: 70 * time.Second},
			usecase.Waits{}, 70 * time.Second},
		"configured to at most 30": {in{"wait_seconds": 60}, "p",
			usecase.Waits{Max: 30 * time.Second}, usecase.Waits{}, 30 * time.Second},
		"configured for this client": {in{}, nil, usecase.Waits{},
			usecase.Waits{Default: 5 * time.Second}, 5 * time.Second},
		"configured higher for a client": {in{"wait_seconds": 3600}, "p", usecase.Waits{},
			usecase.Waits{Max: 200 * time.Second}, 200 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.end()
				w.topts.Waits = c.waits
				w.topts.ClientWaits = map[string]usecase.Waits{"somebody": {Default: time.Second}}
				if c.client != (usecase.Waits{}) {
					w.topts.ClientWaits["Tester"] = c.client
				}
				w.begin()
				w.policy.think = 7 * time.Second
				id := ""
				for _, tool := range []string{"ask_agent_start_new_task", "ask_agent_wait",
					"ask_agent_continue", "ask_agent"} {
					arguments := with(in{"max_steps": 1000}, c.arguments)
					if id == "" {
						arguments["task"] = "forever"
					} else {
						arguments["session_id"] = id
					}
					if tool == "ask_agent_wait" {
						delete(arguments, "max_steps")
					}
					began := time.Now()

					a, err := w.try(t.Context(), tool, arguments, c.token)

					require.NoError(t, err)
					require.Equal(t, "STILL_RUNNING", string(a.Reason))
					require.Equal(t, c.want, time.Since(began), tool)
					require.Equal(t, c.want.Milliseconds(), a.Timing.Budget)
					require.Equal(t, c.want.Milliseconds(), a.Timing.Waited)
					id = a.SessionID
				}
			})
		})
	}
}

func TestALongTaskIsOneStartAndManyWaits(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		task := ""
		for range 60 {
			task += "tap "
		}
		w.policy.think = 10 * time.Second
		began := time.Now()
		a := w.start(task, in{"max_steps": 1000})
		calls, steps := 1, a.Delta
		for a.Reason == "STILL_RUNNING" {
			require.Equal(t, "ask_agent_wait", a.Next.Tool)
			called := time.Now()
			a = w.call(a.Next.Tool, a.Next.Arguments)
			require.LessOrEqual(t, time.Since(called), 25*time.Second)
			calls, steps = calls+1, steps+a.Delta
		}
		require.Equal(t, done, a.code())
		require.Equal(t, 25, calls, "ten minutes of 25 seconds each")
		require.Equal(t, 61, steps, "no step is told twice, none is left out")
		require.Equal(t, 60, w.phones.touches("A"))
		require.Equal(t, 610*time.Second, time.Since(began))
	})
}

func TestACallThatIsCancelledDetachesAndTheRunGoesOnForItsGrace(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.policy.think = time.Second
		ctx, cancel := context.WithCancelCause(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := w.try(ctx, "ask_agent_start_new_task",
				in{"task": "forever", "max_steps": 1000}, "p")
			failed <- err
		}()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		cancel(transport.ErrDropped)
		require.Error(t, <-failed)
		list := w.call("list_sessions", nil)
		id := list.structured["sessions"].([]any)[0].(in)["session_id"].(string)
		touches := w.phones.touches("A")

		time.Sleep(119 * time.Second)
		synctest.Wait()
		require.Equal(t, touches+119, w.phones.touches("A"), "it goes on")
		time.Sleep(5 * time.Second)

		a := w.call("ask_agent_wait", in{"session_id": id, "wait_seconds": 0})
		require.Equal(t, "PAUSED CLIENT_DETACHED", a.code(), "who only looks changes nothing")
		require.Equal(t, "ask_agent_wait", a.Next.Tool)
		require.Contains(t, a.text, "goes on when you do")
		touches = w.phones.touches("A")
		b := w.call(a.Next.Tool, with(a.Next.Arguments, in{"wait_seconds": 5.5}))
		require.Equal(t, still, b.code(), "who waits picks it up")
		require.Greater(t, w.phones.touches("A"), touches)
		require.Equal(t, w.phones.touches("A")-touches, b.Delta)
	})
}

func TestARunThatIsPickedUpHasTheStepsThatItHadLeft(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.policy.think = 50 * time.Second
		id := w.start("forever", in{"max_steps": 10, "wait_seconds": 0}).SessionID
		for range 4 {
			time.Sleep(3 * time.Minute)
			require.Equal(t, "PAUSED CLIENT_DETACHED",
				w.call("ask_agent_wait", in{"session_id": id, "wait_seconds": 0}).code())
			w.call("ask_agent_wait", in{"session_id": id, "wait_seconds": 10})
		}
		time.Sleep(10 * time.Minute)
		var a answer
		for a = w.call("ask_agent_wait",
			in{"session_id": id}); a.code() == still; a = w.call(
			"ask_agent_wait", in{"session_id": id}) {
		}
		require.Equal(t, "PAUSED MAX_STEPS_REACHED", a.code())
		require.Equal(t, 10, a.Global)
		require.Equal(t, 10, a.Local, "it is the same call")
		require.Equal(t, "PAUSED MAX_STEPS_REACHED",
			w.call("ask_agent_wait", in{"session_id": id}).code(), "that pause is not picked up")
	})
}

func TestARunWhosePhoneIsBusyIsNotPickedUp(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("forever", in{"wait_seconds": 0}).SessionID
		time.Sleep(3 * time.Minute)
		other := w.start("forever", in{"wait_seconds": 1}).SessionID
		a := w.call("ask_agent_wait", in{"session_id": id})
		require.Equal(t, "PAUSED CLIENT_DETACHED", a.code())
		require.Equal(t, "DEVICE_BUSY", a.Error.Code)
		require.Equal(t, other, a.Error.Holder.SessionID)
		require.Contains(t, a.text, "Mend this first")
		require.Contains(t, a.text, "then call ask_agent_wait")
	})
}

func TestAPauseThatIsMeantIsNotPickedUp(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("forever", in{"wait_seconds": 0}).SessionID
		time.Sleep(3 * time.Minute)
		require.Equal(t, "PAUSED USER_PAUSED",
			w.call("ask_agent_stop", in{"session_id": id, "mode": "pause"}).code())
		require.Equal(t, "PAUSED USER_PAUSED",
			w.call("ask_agent_wait", in{"session_id": id}).code())
	})
}

func TestWhoWaitsInTimeKeepsTheRunGoing(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.policy.think = 8 * time.Second
		id := w.start("forever", in{"wait_seconds": 0}).SessionID
		for range 4 {
			time.Sleep(110 * time.Second)
			require.Equal(t, still,
				w.call("ask_agent_wait", in{"session_id": id, "wait_seconds": 0}).code())
		}
		time.Sleep(130 * time.Second)
		require.Equal(t, "PAUSED CLIENT_DETACHED",
			w.call("ask_agent_wait",
				in{"session_id": id, "wait_seconds": 0}).code(), "STILL_RUNNING detaches, too")
	})
}

func TestARunThatMayGoOnAlone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.policy.think = 20 * time.Second
		id := w.start("forever", in{"wait_seconds": 0, "detached_ok": true}).SessionID
		time.Sleep(10 * time.Minute)
		require.Equal(t, still, w.call("ask_agent_wait",
			in{"session_id": id, "wait_seconds": 0}).code())
		w.call("ask_agent_stop", in{"session_id": id, "mode": "pause"})
		w.call("ask_agent_continue", in{"session_id": id, "max_steps": 1000, "wait_seconds": 0})
		time.Sleep(10 * time.Minute)
		require.Equal(t, still, w.call("ask_agent_wait",
			in{"session_id": id, "wait_seconds": 0}).code(),
			"it stays so when a call leaves it out")
		w.call("ask_agent_stop", in{"session_id": id, "mode": "pause"})
		w.call("ask_agent_continue",
			in{"session_id": id, "max_steps": 1000, "wait_seconds": 0, "detached_ok": false})
		time.Sleep(10 * time.Minute)
		require.Equal(t, "PAUSED CLIENT_DETACHED",
			w.call("ask_agent_wait", in{"session_id": id, "wait_seconds": 0}).code())
	})
}

func TestADecisionThatComesAfterAStopIsNotActedOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("forever", in{"wait_seconds": 3}).SessionID
		w.policy.hold()
		time.Sleep(5 * time.Second)
		touches := w.phones.touches("A")
		stopped := make(chan answer, 1)
		go func() { stopped <- w.call("ask_agent_stop", in{"session_id": id}) }()
		time.Sleep(2 * time.Second)
		w.policy.release()

		require.Equal(t, "CANCELLED CANCELLED", (<-stopped).code())
		time.Sleep(time.Minute)
		require.Equal(t, touches, w.phones.touches("A"))
	})
}

func TestTheBeginningOfASessionsIdIsEnough(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask tap")
		short := in{"session_id": a.SessionID[:8]}
		require.Equal(t, asks, w.call("ask_agent_wait", short).code())
		require.Contains(t, w.call("list_pending_questions", short).wire, a.Question.ID)
		require.Equal(t, "COMPLETED TASK_COMPLETED_SUCCESSFULLY", w.call("ask_agent_continue",
			in{"session_id": a.SessionID[:8], "reply_from_client": "yes"}).code())
		b := w.start("ask tap")
		require.Equal(t, "CANCELLED CANCELLED",
			w.call("ask_agent_stop", in{"session_id": b.SessionID[:8]}).code())
		for _, id := range []string{b.SessionID[:3], b.SessionID[:8] + "-"} {
			require.Equal(t, "SESSION_NOT_FOUND",
				w.call("ask_agent_wait", in{"session_id": id}).code())
		}
	})
}

func TestAStopLeavesThePhoneAloneAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("forever", in{"wait_seconds": 3.5}).SessionID
		waiting := make(chan answer, 1)
		go func() { waiting <- w.call("ask_agent_wait", in{"session_id": id}) }()
		synctest.Wait()
		began, touches := time.Now(), w.phones.touches("A")

		require.Equal(t, "CANCELLED CANCELLED",
			w.call("ask_agent_stop", in{"session_id": id}).code())

		require.Less(t, time.Since(began), 2*time.Second)
		require.LessOrEqual(t, w.phones.touches("A"), touches+1)
		require.Equal(t, "CANCELLED CANCELLED", (<-waiting).code(), "who waits is told at once")
		w.start("tap", in{"wait_seconds": 5})
	})
}

func TestWaitingForAQuestionThatIsAnsweredElsewhere(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask tap")
		require.Equal(t, asks, w.call("ask_agent_wait", in{"session_id": a.SessionID}).code(),
			"it does not wait for an answer by itself")
		go func() {
			time.Sleep(20 * time.Second)
			w.call("ask_agent_continue", in{"session_id": a.SessionID, "reply_from_client": "red"})
		}()
		b := w.call("ask_agent_wait", in{"session_id": a.SessionID, "question_id": a.Question.ID})
		require.Equal(t, done, b.code())
		synctest.Wait()
	})
}

func TestAModelThatFailsPausesTheRunWithTheHint(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.policy.fails = errors.New("connection refused")
		a := w.start("tap")
		require.Equal(t, "PAUSED MODEL_ERROR", a.code())
		require.False(t, a.raw.IsError, "the call was carried out")
		require.Equal(t, "MODEL_ERROR", a.Error.Code)
		require.Contains(t, a.Error.Message, "connection refused")
		require.Contains(t, a.text, "Mend this first: see that the model's server answers")
	})
}
