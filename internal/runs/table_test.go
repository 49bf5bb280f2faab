package runs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// arrange brings a session into a state and returns its id.
var arrange = map[string]func(w *fixture) string{
	"none": func(*fixture) string { return "nosuchsession" },
	"queued": func(w *fixture) string {
		w.start("forever")
		st, err := w.manager.Start(w.ctx(),
			runs.StartRequest{Task: "forever", Queue: true, KeepEnvironment: true})
		require.NoError(w.t, err)
		time.Sleep(time.Second)
		return st.Session.ID
	},
	"running": func(w *fixture) string {
		id := w.start("forever").Session.ID
		time.Sleep(2500 * time.Millisecond)
		return id
	},
	"waiting": func(w *fixture) string { return w.wait(w.start("ask").Session.ID).Session.ID },
	"paused": func(w *fixture) string {
		id := w.start("forever").Session.ID
		time.Sleep(2500 * time.Millisecond)
		_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
		require.NoError(w.t, err)
		return id
	},
	"paused with a question": func(w *fixture) string {
		id := w.wait(w.start("ask").Session.ID).Session.ID
		_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
		require.NoError(w.t, err)
		return id
	},
	"ended": func(w *fixture) string { return w.wait(w.start("tap").Session.ID).Session.ID },
	"expired": func(w *fixture) string {
		id := w.wait(w.start("ask").Session.ID).Session.ID
		time.Sleep(25 * time.Hour)
		return id
	},
}

// calls are made on the session.
var calls = map[string]func(w *fixture, id string) (runs.Status, error){
	"start": func(w *fixture, _ string) (runs.Status, error) {
		return w.manager.Start(w.ctx(), runs.StartRequest{Task: "forever"})
	},
	"continue": func(w *fixture, id string) (runs.Status, error) {
		return w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
	},
	"reply": func(w *fixture, id string) (runs.Status, error) {
		return w.manager.Continue(w.ctx(),
			runs.ContinueRequest{SessionID: id, Reply: &inquiry.Reply{Response: "red"}})
	},
	"new task": func(w *fixture, id string) (runs.Status, error) {
		return w.manager.Continue(w.ctx(),
			runs.ContinueRequest{SessionID: id, Task: "tap tap forever"})
	},
	"wait": func(w *fixture, id string) (runs.Status, error) {
		return w.manager.Wait(w.ctx(), runs.WaitRequest{SessionID: id, Budget: 3 * time.Second})
	},
	"stop": func(w *fixture, id string) (runs.Status, error) {
		return w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id})
	},
	"pause": func(w *fixture, id string) (runs.Status, error) {
		return w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
	},
	"other phone": func(w *fixture, id string) (runs.Status, error) {
		return w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id, Serial: "B"})
	},
}

const going = "QUEUED STILL_RUNNING" // or RUNNING: the run has been handed to its goroutine

// table is what each call returns in each state: a state with a reason, or a code.
var table = map[string]map[string]string{
	"none": {
		"start": going, "continue": "SESSION_NOT_FOUND", "reply": "SESSION_NOT_FOUND",
		"new task": "SESSION_NOT_FOUND",
		"wait":     "SESSION_NOT_FOUND", "stop": "SESSION_NOT_FOUND", "pause": "SESSION_NOT_FOUND",
		"other phone": "SESSION_NOT_FOUND",
	},
	"queued": {
		"start": "DEVICE_BUSY", "continue": "QUEUED STILL_RUNNING", "reply": "NO_OPEN_QUESTION",
		"new task": "RUN_IN_PROGRESS",
		"wait":     "QUEUED STILL_RUNNING", "stop": "CANCELLED CANCELLED",
		"pause": "PAUSED USER_PAUSED", "other phone": "DEVICE_MISMATCH",
	},
	"running": {
		"start": "DEVICE_BUSY", "continue": "RUNNING STILL_RUNNING", "reply": "NO_OPEN_QUESTION",
		"new task": "RUN_IN_PROGRESS",
		"wait":     "RUNNING STILL_RUNNING", "stop": "CANCELLED CANCELLED",
		"pause": "PAUSED USER_PAUSED", "other phone": "DEVICE_MISMATCH",
	},
	"waiting": {
		"start": "DEVICE_BUSY", "continue": "WAITING_REPLY INFO_ACTION_NEEDS_REPLY", "reply": going,
		"new task": "RUN_IN_PROGRESS",
		"wait":     "WAITING_REPLY INFO_ACTION_NEEDS_REPLY", "stop": "CANCELLED CANCELLED",
		"pause": "PAUSED USER_PAUSED", "other phone": "DEVICE_MISMATCH",
	},
	"paused": {
		"start": going, "continue": going, "reply": "NO_OPEN_QUESTION", "new task": going,
		"wait": "PAUSED USER_PAUSED", "stop": "CANCELLED CANCELLED", "pause": "PAUSED USER_PAUSED",
		"other phone": "DEVICE_MISMATCH",
	},
	"paused with a question": {
		"start": going, "continue": "WAITING_REPLY INFO_ACTION_NEEDS_REPLY", "reply": going,
		"new task": going,
		"wait":     "PAUSED USER_PAUSED", "stop": "CANCELLED CANCELLED",
		"pause":       "PAUSED USER_PAUSED",
		"other phone": "DEVICE_MISMATCH",
	},
	"ended": {
		"start": going, "continue": "INVALID_ARGUMENT", "reply": "NO_OPEN_QUESTION",
		"new task": going,
		"wait":     "COMPLETED TASK_COMPLETED_SUCCESSFULLY",
		"stop":     "COMPLETED TASK_COMPLETED_SUCCESSFULLY",
		"pause":    "COMPLETED TASK_COMPLETED_SUCCESSFULLY", "other phone": "DEVICE_MISMATCH",
	},
	"expired": {
		"start": going, "continue": "INVALID_ARGUMENT", "reply": "NO_OPEN_QUESTION",
		"new task": going,
		"wait":     "EXPIRED SESSION_EXPIRED", "stop": "EXPIRED SESSION_EXPIRED",
		"pause": "EXPIRED SESSION_EXPIRED", "other phone": "DEVICE_MISMATCH",
	},
}

func TestWhatEachCallReturnsInEachState(t *testing.T) {
	require.Len(t, table, len(arrange))
	for state, row := range table {
		require.Len(t, row, len(calls))
		for name, want := range row {
			t.Run(state+"/"+name, func(t *testing.T) {
				bubble(t, func(t *testing.T, w *fixture) {
					id := arrange[state](w)
					before := w.facts()

					st, err := calls[name](w, id)

					if err != nil {
						require.Equal(t, want, string(runs.CodeOf(err)), "%v", err)
						require.Equal(t, before, w.facts(),
							"a call that cannot be carried out changes nothing")
						return
					}
					got := fmt.Sprintf("%s %s", st.Run.State, st.Reason)
					if want == going && st.Run.State == store.Running {
						got = going
					}
					require.Equal(t, want, got)
					open, err := w.manager.Broker().
						List(w.ctx(), inquiry.Filter{SessionID: st.Session.ID,
							Status: inquiry.Pending})
					require.NoError(t, err)
					require.Equal(t, len(open) > 0, st.Question != nil,
						"an open question is always there")
				})
			})
		}
	}
}

func TestANewTaskWithdrawsTheQuestionOfAPausedOne(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := arrange["paused with a question"](w)
		st, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id, Task: "tap"})
		require.NoError(t, err)
		require.Equal(t, 2, st.Run.Seq)

		qs, err := w.manager.Broker().List(w.ctx(), inquiry.Filter{SessionID: id})
		require.NoError(t, err)
		require.Equal(t, inquiry.Withdrawn, qs[0].Status)
		old, err := w.store.Runs.Of(w.ctx(), id)
		require.NoError(t, err)
		require.Equal(t, store.Cancelled, old[0].State)
		require.Equal(t, store.Completed, w.wait(id).Run.State)
	})
}
