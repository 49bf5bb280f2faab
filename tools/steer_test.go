package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATaskUnderWayIsSteeredByContinue(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.call("ask_agent_start_new_task", in{"task": "tap tap tap", "wait_seconds": 0})
		require.EqualValues(t, "STILL_RUNNING", a.Reason)
		id := a.SessionID
		for _, wrong := range []in{{"task": "another one"}, {"reply_from_client": "red"}} {
			no := w.call("ask_agent_continue", with(in{"session_id": id, "message": "be quick"},
				wrong))
			require.EqualValues(t, "INVALID_ARGUMENT", no.Error.Code, "%v", wrong)
			require.Contains(t, no.Error.Message, "message is said to a task that is under way")
		}
		a = w.call("ask_agent_continue", in{"session_id": id, "message": "the red one",
			"idempotency_key": "k"})
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", a.Reason)
		require.Equal(t, "done the red one", *a.Answer)
		late := w.call("ask_agent_continue", in{"session_id": id, "message": "too late"})
		require.NotNil(t, late.Error)
		require.Contains(t, late.Error.Message, "has ended")
	})
}
