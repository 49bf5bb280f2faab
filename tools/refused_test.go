package tools_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store"
)

func TestAStoreThatFailsIsAnInternalError(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap").SessionID
		fail := func(err error) answer {
			w.topts.Store = brokenStore{w.store, err}
			require.NoError(t, w.client.Close())
			w.connect()
			return w.call("list_sessions", nil)
		}
		a := fail(errors.New("out of luck"))
		require.Equal(t, "INTERNAL_ERROR", a.code())
		require.Contains(t, a.Error.Hint, "log")
		for _, err := range []error{store.ErrLocked, store.ErrDiskFull} {
			a = fail(hint.Add(err, "make room"))
			require.Equal(t, "STORE_UNAVAILABLE", a.code())
			require.Contains(t, a.Error.Hint, "make room")
		}
		require.Equal(t, done, w.call("ask_agent_wait", in{"session_id": id}).code())
	})
}

func TestWhoHoldsABusyPhoneIsTold(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		first := w.start("ask")
		time.Sleep(time.Minute)
		a := w.call("ask_agent_start_new_task", in{"task": "tap"})
		require.Equal(t, "DEVICE_BUSY", a.code())
		require.Equal(t, first.SessionID, a.Error.Holder.SessionID)
		require.EqualValues(t, "WAITING_REPLY", a.Error.Holder.State)
		require.Equal(t, int64(61), a.Error.Holder.Seconds)
		require.NotNil(t, a.Error.Holder.Until)
		require.Equal(t, "ask_agent_continue", a.Next.Tool, "answer it")
		require.Equal(t, in{"session_id": first.SessionID, "question_id": first.Question.ID},
			a.Next.Arguments)
		for _, way := range []string{"ask_agent_continue", "ask_agent_stop", "supersede", "queue"} {
			require.Contains(t, a.Error.Hint, way)
		}
		foreign, err := w.try(w.as("bob"), "ask_agent_start_new_task",
			in{"task": "tap", "max_steps": "7", "wait_seconds": 0}, nil)
		require.NoError(t, err)
		require.Equal(t, "DEVICE_BUSY", foreign.code())
		require.NotContains(t, foreign.wire, first.SessionID)
		require.Equal(t, "ask_agent_start_new_task", foreign.Next.Tool)
		require.Equal(t, in{"task": "tap", "max_steps": 7.0, "wait_seconds": 0.0, "queue": true},
			foreign.Next.Arguments, "it may wait for the phone")
	})
}

func TestATaskTakesThePlaceOfTheCallersOwn(t *testing.T) {
	for _, tool := range []string{"ask_agent_start_new_task", "ask_agent"} {
		t.Run(tool, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				first := w.start("ask")
				over := in{"task": "tap", "supersede": true}
				foreign, err := w.try(w.as("bob"), tool, over, nil)
				require.NoError(t, err)
				require.Equal(t, "DEVICE_BUSY", foreign.code(), "nobody takes another's place")
				require.Equal(t, "DEVICE_NOT_FOUND",
					w.call(tool, with(in{"device_id": "nosuch"}, over)).code())
				require.Equal(t, asks, w.call("ask_agent_wait",
					in{"session_id": first.SessionID}).code(), "a refused call stops nothing")

				a := w.call(tool, over)

				require.Equal(t, done, a.code(), a.text)
				require.NotEqual(t, first.SessionID, a.SessionID)
				require.Equal(t, stopped,
					w.call("ask_agent_wait", in{"session_id": first.SessionID}).code())
				late := w.call("ask_agent_continue", in{"session_id": first.SessionID,
					"reply_from_client": "red"})
				require.True(t, late.raw.IsError, late.text)
			})
		})
	}
}

func TestAnAnswerIsNotSaidAgainWhereACallIsCorrected(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.add("B")
		id := w.start("asksecret", in{"device_id": "A"}).SessionID
		a := w.call("ask_agent_continue", in{"session_id": id, "device_id": "B",
			"reply_from_client": "482913"})
		require.Equal(t, "DEVICE_MISMATCH", a.code())
		require.Equal(t, in{"session_id": id}, a.Next.Arguments)
		require.Contains(t, a.Next.Why, "reply_from_client")
		require.NotContains(t, a.wire, "482913")
	})
}

func TestAnAnswerThatComesTooLateNamesHowTheRunGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask tap tap tap")
		w.call("ask_agent_continue", in{"session_id": a.SessionID, "reply_from_client": "red",
			"wait_seconds": 0})
		late := w.call("answer_question", in{"question_id": a.Question.ID, "response": "blue"})
		require.Equal(t, "QUESTION_ALREADY_RESOLVED", late.structured["error"].(in)["code"])
		next := late.structured["next"].(in)
		require.Equal(t, "ask_agent_wait", next["tool"])
		require.Equal(t, a.SessionID, next["arguments"].(in)["session_id"])
		gone := w.call("answer_question", in{"question_id": "nosuch", "response": "blue"})
		require.Equal(t, "list_pending_questions", gone.structured["next"].(in)["tool"])
	})
}

type brokenStore struct {
	*store.Store
	err error
}

func (b brokenStore) Sessions(context.Context, store.Filter) ([]store.Overview, error) {
	return nil, fmt.Errorf("listing: %w", b.err)
}
