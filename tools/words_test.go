package tools_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry/channel"
)

func TestShortWordsStandForReplyModes(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for short, long := range map[string]channel.Mode{"no": channel.NoReply,
			"pass": channel.PassToClient, "elicit -> pass": "elicit -> pass_to_client"} {
			id := w.start("tap", in{"reply_mode": short}).SessionID
			st, err := w.manager.Status(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, long, st.Settings.ReplyMode)
			b := w.call(resume, in{"session_id": id, "task": "tap", "reply_mode": short})
			require.Equal(t, done, b.code())
		}
		a, err := w.try(w.at("reply_mode=pass"), start,
			in{"task": "tap ask", "reply_mode": "no"}, nil)
		require.NoError(t, err)
		require.Equal(t, asks, a.code(), "the address allows no other than people")
	})
}

func TestANumberMayComeAsAText(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		began := time.Now()
		a := w.call(start, in{"task": "forever", "wait_seconds": "5", "max_steps": "7",
			"detached_ok": "true"})
		require.Equal(t, still, a.code())
		require.Equal(t, 5*time.Second, time.Since(began))
		run, err := w.store.LatestRun(t.Context(), a.SessionID)
		require.NoError(t, err)
		require.Equal(t, 7, run.MaxSteps)
	})
}

func TestContinueFindsTheNewestSessionOnAPhone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.add("B")
		w.start("tap", in{"device_id": "A"})
		asked := w.start("ask", in{"device_id": "A"})
		w.start("tap", in{"device_id": "B"})

		a := w.call(resume, in{"device_id": "A", "reply_from_client": "red"})
		require.Equal(t, done, a.code())
		require.Equal(t, asked.SessionID, a.SessionID)
		require.Equal(t, "done red", *a.Answer)

		foreign, err := w.try(w.as("bob"), resume, in{"device_id": "A", "task": "tap"}, nil)
		require.NoError(t, err)
		require.Equal(t, "SESSION_NOT_FOUND", foreign.code(), "somebody else's does not count")
		require.Contains(t, foreign.Error.Hint, "start a new task")
		none := w.call(resume, in{"device_id": "nosuch", "task": "tap"})
		require.Equal(t, "SESSION_NOT_FOUND", none.code())
		neither := w.call(resume, in{"task": "tap"})
		require.Equal(t, "INVALID_ARGUMENT", neither.code())
		require.Contains(t, neither.Error.Hint, "device_id")
	})
}
