package tools_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// arrange brings a session into a state, and returns its id.
var arrange = map[string]func(w *fixture) string{
	"none": func(*fixture) string { return "nosuchsession" },
	"foreign": func(w *fixture) string {
		a, err := w.try(w.as("somebody else"), "ask_agent_start_new_task", in{"task": "tap"}, nil)
		require.NoError(w.t, err)
		return a.SessionID
	},
	"queued": func(w *fixture) string {
		w.start("forever", in{"wait_seconds": 0})
		return w.start("forever", in{"wait_seconds": 2, "queue": true}).SessionID
	},
	"running": func(w *fixture) string {
		return w.start("forever",
			in{"wait_seconds": 2.5}).SessionID
	},
	"waiting": func(w *fixture) string { return w.start("ask").SessionID },
	"detached": func(w *fixture) string {
		id := w.start("forever", in{"wait_seconds": 2.5}).SessionID
		time.Sleep(3 * time.Minute)
		return id
	},
	"paused": func(w *fixture) string {
		id := w.start("forever", in{"wait_seconds": 2.5}).SessionID
		require.Equal(w.t, "PAUSED USER_PAUSED",
			w.call("ask_agent_stop", in{"session_id": id, "mode": "pause"}).code())
		return id
	},
	"paused with a question": func(w *fixture) string {
		id := w.start("ask").SessionID
		require.Equal(w.t, "PAUSED USER_PAUSED",
			w.call("ask_agent_stop", in{"session_id": id, "mode": "pause"}).code())
		return id
	},
	"out of steps": func(w *fixture) string {
		return w.start("tap tap tap",
			in{"max_steps": 2}).SessionID
	},
	"ended":   func(w *fixture) string { return w.start("tap").SessionID },
	"aborted": func(w *fixture) string { return w.start("giveup").SessionID },
	"cancelled": func(w *fixture) string {
		id := w.start("ask").SessionID
		w.call("ask_agent_stop", in{"session_id": id})
		return id
	},
	"expired": func(w *fixture) string {
		id := w.start("ask").SessionID
		time.Sleep(25 * time.Hour)
		return id
	},
}

// calls are made on the session.
var calls = map[string]func(w *fixture, id string) answer{
	"start": func(w *fixture, _ string) answer {
		return w.call("ask_agent_start_new_task", in{"task": "forever", "wait_seconds": 3})
	},
	"start in turn": func(w *fixture, _ string) answer {
		return w.call("ask_agent_start_new_task",
			in{"task": "forever", "wait_seconds": 3, "queue": true})
	},
	"continue": func(w *fixture, id string) answer {
		return w.call("ask_agent_continue", in{"session_id": id, "wait_seconds": 3})
	},
	"reply": func(w *fixture, id string) answer {
		return w.call("ask_agent_continue",
			in{"session_id": id, "reply_from_client": "red", "wait_seconds": 0})
	},
	"new task": func(w *fixture, id string) answer {
		return w.call("ask_agent_continue",
			in{"session_id": id, "task": "tap tap forever", "wait_seconds": 3})
	},
	"wait": func(w *fixture, id string) answer {
		return w.call("ask_agent_wait", in{"session_id": id, "wait_seconds": 3})
	},
	"stop": func(w *fixture, id string) answer {
		return w.call("ask_agent_stop",
			in{"session_id": id})
	},
	"pause": func(w *fixture, id string) answer {
		return w.call("ask_agent_stop", in{"session_id": id, "mode": "pause"})
	},
	"other phone": func(w *fixture, id string) answer {
		return w.call("ask_agent_continue",
			in{"session_id": id, "device_id": "B", "wait_seconds": 0})
	},
	"no phone": func(w *fixture, _ string) answer {
		return w.call("ask_agent_start_new_task",
			in{"task": "tap", "device_id": "B", "wait_seconds": 0})
	},
	"older name, reply": func(w *fixture, id string) answer {
		return w.call("ask_agent", in{"session_id": id, "reply_from_client": "red",
			"wait_seconds": 0})
	},
	"older name, task": func(w *fixture, _ string) answer {
		return w.call("ask_agent", in{"task": "forever", "wait_seconds": 3})
	},
}

const (
	still    = "RUNNING STILL_RUNNING"
	inLine   = "QUEUED STILL_RUNNING"
	answered = "* STILL_RUNNING" // queued or running
	asks     = "WAITING_REPLY INFO_ACTION_NEEDS_REPLY"
	done     = "COMPLETED TASK_COMPLETED_SUCCESSFULLY"
)

// row is what each call returns in one state: a state with a reason, or a code.
func row(start, startInTurn, resume, reply, task, wait, stop, pause, otherPhone,
	noPhone string) map[string]string {
	return map[string]string{"start": start, "start in turn": startInTurn, "continue": resume,
		"reply": reply, "new task": task, "wait": wait,
		"stop": stop, "pause": pause, "other " +
			"phone": otherPhone, "no phone": noPhone, "older name, " +
			"reply": reply, "older name, task": start}
}

const (
	notFound = "SESSION_NOT_FOUND"
	mismatch = "DEVICE_MISMATCH"
	noPhone  = "DEVICE_NOT_FOUND"
	noneOpen = "NO_OPEN_QUESTION"
	busy     = "DEVICE_BUSY"
	running  = "RUN_IN_PROGRESS"
	absurd   = "INVALID_ARGUMENT"
	paused   = "PAUSED USER_PAUSED"
	stopped  = "CANCELLED CANCELLED"
)

var table = map[string]map[string]string{
	"none": row(still, still, notFound, notFound, notFound, notFound, notFound,
		notFound, notFound, noPhone),
	"foreign": row(still, still, notFound, notFound, notFound, notFound, notFound,
		notFound, notFound, noPhone),
	"queued": row(busy, inLine, inLine, noneOpen, running, inLine, stopped, paused,
		mismatch, noPhone),
	"running": row(busy, inLine, still, noneOpen, running, still, stopped, paused,
		mismatch, noPhone),
	"waiting": row(busy, inLine, asks, answered, running, asks, stopped, paused,
		mismatch, noPhone),
	"detached": row(still, still, still, noneOpen, still, still, stopped, paused,
		mismatch, noPhone),
	"paused": row(still, still, still, noneOpen, still, paused, stopped, paused,
		mismatch, noPhone),
	"paused with a question": row(still, still, asks, answered, still, paused, stopped, paused,
		mismatch, noPhone),
	"out of steps": row(still, still, done, noneOpen, still, "PAUSED MAX_STEPS_REACHED",
		stopped, "PAUSED MAX_STEPS_REACHED", mismatch, noPhone),
	"ended": row(still, still, absurd, noneOpen, still, done, done, done, mismatch,
		noPhone),
	"aborted": row(still, still, absurd, noneOpen, still, "ABORTED TASK_ABORTED_BY_AGENT",
		"ABORTED TASK_ABORTED_BY_AGENT",
		"ABORTED TASK_ABORTED_BY_AGENT", mismatch, noPhone),
	"cancelled": row(still, still, absurd, noneOpen, still, stopped, stopped, stopped, mismatch,
		noPhone),
	"expired": row(still, still, absurd, noneOpen, still, "EXPIRED SESSION_EXPIRED",
		"EXPIRED SESSION_EXPIRED", "EXPIRED SESSION_EXPIRED",
		mismatch, noPhone),
}

func TestWhatEachCallReturnsInEachState(t *testing.T) {
	require.Len(t, table, len(arrange))
	for state, cells := range table {
		require.Len(t, cells, len(calls))
		for name, want := range cells {
			t.Run(state+"/"+name, func(t *testing.T) {
				bubble(t, func(t *testing.T, w *fixture) {
					id := arrange[state](w)
					before, touches := w.facts(), w.phones.touches("A")

					a := calls[name](w, id)

					got := a.code()
					if want == answered {
						got = strings.Replace(strings.Replace(got, "RUNNING ", "* ", 1), "QUEUED ",
							"* ", 1)
					}
					require.Equal(t, want, got, "%s", a.text)
					if a.raw.IsError {
						require.Contains(t, a.text, "Try: ")
						if state != "running" && state != "queued" {
							require.Equal(t, before, w.facts(),
								"a call that cannot be carried out changes nothing")
							require.Equal(t, touches, w.phones.touches("A"))
						}
						w.leadsOn(a)
						return
					}
					w.pointsOn(a)
				})
			})
		}
	}
}

// goesOn are the refusals that always name a call which goes on from there.
var goesOn = []string{notFound, mismatch, noPhone, busy, running}

// leadsOn checks that the call which a refusal names is one that can be carried out.
func (w *fixture) leadsOn(a answer) {
	w.t.Helper()
	if a.Next == nil {
		require.NotContains(w.t, goesOn, a.code(), a.text)
		return
	}
	arguments := maps.Clone(a.Next.Arguments)
	if arguments["question_id"] != nil || strings.Contains(a.Next.Why, "reply_from_client") {
		arguments["reply_from_client"] = "red"
	}
	next := w.call(a.Next.Tool, arguments)
	if next.raw.IsError {
		require.Equal(w.t, mismatch, a.code(), "%s names %s: %s", a.text, quoteNext(a), next.text)
		require.NotEqual(w.t, mismatch, next.code(), "the phone is right now")
	}
}

func quoteNext(a answer) string { return fmt.Sprint(a.Next.Tool, a.Next.Arguments) }

// pointsOn checks that an unfinished run's result names the next call, and that its last line says
// so.
func (w *fixture) pointsOn(a answer) {
	w.t.Helper()
	last := a.last
	if a.State.Terminal() {
		require.Nil(w.t, a.Next)
		require.Nil(w.t, a.Question)
		return
	}
	require.NotNil(w.t, a.Next)
	require.Equal(w.t, a.SessionID, a.Next.Arguments["session_id"])
	require.Contains(w.t, last, a.Next.Tool)
	require.Contains(w.t, last, a.SessionID)
	open, err := w.manager.Broker().List(w.t.Context(),
		inquiry.Filter{SessionID: a.SessionID, Status: inquiry.Pending})
	require.NoError(w.t, err)
	require.Equal(w.t, len(open) > 0, a.Question != nil, "an open question is always there")
	if a.Question != nil {
		require.Contains(w.t, last, "Ask your user")
		require.Contains(w.t, last, "do not invent an answer")
		require.Contains(w.t, last, a.Question.ID)
	}
}

// facts is all that the store knows of runs and questions, to see that nothing has changed.
func (w *fixture) facts() string {
	var b strings.Builder
	all, err := w.store.Sessions(w.t.Context(), store.Filter{})
	require.NoError(w.t, err)
	for _, o := range all {
		list, err := w.store.Runs.Of(w.t.Context(), o.ID)
		require.NoError(w.t, err)
		for _, r := range list {
			b.WriteString(strings.Join([]string{r.ID, string(r.State), string(r.StopReason),
				r.QuestionID, string(r.Settings), "\n"}, " "))
		}
	}
	qs, err := w.store.Questions.List(w.t.Context(), inquiry.Filter{})
	require.NoError(w.t, err)
	for _, q := range qs {
		b.WriteString(q.String() + q.AppliedAt.String() + "\n")
	}
	return b.String()
}
