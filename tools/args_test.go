package tools_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

// The tools of these tests, so that a case is a line.
const (
	start  = "ask_agent_start_new_task"
	resume = "ask_agent_continue"
	wait   = "ask_agent_wait"
)

func TestAbsurdArgumentsChangeNothing(t *testing.T) {
	task := func(more in) in { return with(in{"task": "tap"}, more) }
	long := strings.Repeat("x", 20_001)
	cases := map[string]struct {
		tool      string
		arguments any
		says      string
	}{
		"no task":             {start, in{}, "task is missing"},
		"no arguments at all": {start, nil, "task is missing"},
		"task is null":        {start, in{"task": nil}, "task is missing"},
		"empty task":          {start, in{"task": ""}, "task is empty"},
		"blank task":          {start, in{"task": " \n\t "}, "task is empty"},
		"long task": {start, in{"task": long},
			"task has 20001 characters (at most 20000)"},
		"task of a NUL":     {start, in{"task": "tap\x00"}, "control character U+0000"},
		"task of an escape": {start, in{"task": "\x1b[31mtap"}, "control character U+001B"},
		"task is a number":  {start, in{"task": 7}, "task is a number (want a text)"},
		"task is a list": {start, in{"task": []string{"tap"}},
			"task is a list (want a text)"},
		"task is an object": {start, in{"task": in{"text": in{"deep": "tap"}}},
			"task is an object (want a text)"},
		"arguments are a list": {start, []string{"tap"}, "not a JSON object"},
		"arguments are a text": {start, "tap", "not a JSON object"},
		"misspelt argument":    {start, task(in{"max_step": 3}), `no argument "max_step"`},
		"argument of another tool": {wait, in{"session_id": "x", "task": "tap"},
			`no argument "task"`},
		"long name": {"list_connected_devices", in{strings.Repeat("n", 500): 1},
			"no argument"},
		"empty name":     {"list_connected_devices", in{"": 1}, `no argument ""`},
		"negative steps": {start, task(in{"max_steps": -1}), "max_steps"},
		"too many steps": {start, task(in{"max_steps": 1001}), "max_steps"},
		"steps past 64 bits": {start,
			task(in{"max_steps": json.Number("99999999999999999999")}), "max_steps"},
		"half a step": {start, task(in{"max_steps": 1.5}), "want a whole number"},
		"steps in words": {start, task(in{"max_steps": "twenty"}),
			"max_steps is a text (want a whole number)"},
		"negative wait": {start, task(in{"wait_seconds": -0.1}), "wait_seconds"},
		"endless wait": {start, task(in{"wait_seconds": math.MaxInt64}),
			"wait_seconds"},
		"wait is true": {start, task(in{"wait_seconds": true}),
			"wait_seconds is true or false (want a number)"},
		"unknown mode": {start, task(in{"reply_mode": "Pass_To_Nobody"}),
			"unknown reply mode"},
		"no console": {start, task(in{"reply_mode": "manual_reply"}),
			"needs a console"},
		"no model to answer": {start, task(in{"reply_mode": "auto_reply"}), "needs a model"},
		"flag in words": {start, task(in{"enable_final_screenshot": "perhaps"}),
			"want true or false"},
		"flag as a number": {start, task(in{"queue": 2}), "want true or false"},
		"long device": {start, task(in{"device_id": strings.Repeat("d", 201)}),
			"device_id has 201 characters"},
		"extra is a text": {start, task(in{"extra_info": "x"}),
			"extra_info is a text (want an object)"},
		"much extra": {start, task(in{"extra_info": in{"x": long}}),
			"extra_info has"},
		"no session":    {resume, in{"reply_from_client": "red"}, "session_id is missing"},
		"empty session": {resume, in{"session_id": ""}, "session_id is missing"},
		"question without answer": {resume, in{"session_id": "S", "question_id": "q"},
			"reply_from_client is missing"},
		"id without answer": {resume, in{"session_id": "S", "reply_id": "r"},
			"reply_from_client is missing"},
		"blank answer": {resume, in{"session_id": "S", "reply_from_client": "  "},
			"reply_from_client is empty"},
		"answer is a number": {resume, in{"session_id": "S", "reply_from_client": 1234},
			"reply_from_client is a number (want a text)"},
		"answer and another task": {resume,
			in{"session_id": "S", "reply_from_client": "red",
				"task": "tap tap"}, "a reply and a new task cannot be sent together"},
		"negative since": {wait, in{"session_id": "S", "since_step": -1}, "since_step"},
		"unknown stop": {"ask_agent_stop", in{"session_id": "S", "mode": "kill"},
			"not one of its values"},
		"neither": {"ask_agent", in{}, "neither a task nor a session_id"},
		"answer to nobody": {"ask_agent", in{"task": "tap", "reply_from_client": "red"},
			"session_id is missing"},
		"key for a session": {"ask_agent", in{"session_id": "S", "idempotency_key": "k"},
			"idempotency_key is for a new task"},
		"unknown state": {"list_sessions", in{"state": "busy"},
			"not one of its values"},
		"high limit": {"list_sessions", in{"limit": 101}, "limit"},
	}
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("ask").SessionID
		before, touches := w.facts(), w.phones.touches("A")
		for name, c := range cases {
			if m, ok := c.arguments.(in); ok && m["session_id"] == "S" {
				m["session_id"] = id
			}
			a := w.call(c.tool, c.arguments)
			require.True(t, a.raw.IsError, name)
			require.Equal(t, "INVALID_ARGUMENT", a.Error.Code, "%s: %s", name, a.Error.Message)
			require.Contains(t, a.Error.Message, c.says, name)
			require.NotContains(t, a.text, "1234", "what was given as an answer is not shown")
			require.Less(t, len(a.text), 2000, name)
			require.Equal(t, before, w.facts(), name)
		}
		require.Equal(t, touches, w.phones.touches("A"))
		require.Equal(t, asks, w.call("ask_agent_wait", in{"session_id": id}).code(),
			"the question is still open")
	})
}

func TestUnusualArgumentsAreTakenAsTheyAre(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		task := "say \"hi\" 'there' `x` $(rm) \\ & <b> 😀 \u202e 中文\nand\ttap"
		a := w.start(task, in{"device_id": nil, "reply_mode": nil, "max_steps": 20.0,
			"extra_info": in{"a": in{"b": []int{1}}}, "wait_seconds": 0.5})
		require.Equal(t, task, a.Task)
		require.Equal(t, done, w.wait(a.SessionID).code())
		run, err := w.store.LatestRun(t.Context(), a.SessionID)
		require.NoError(t, err)
		require.Equal(t, 20, run.MaxSteps)
		require.Contains(t, string(run.Settings), `"extra_info":{"a":{"b":[1]}}`)

		id := w.start("ask").SessionID
		odd := "\"a\"\n{\"b\":1} 😀 <script>"
		a = w.call("ask_agent_continue", in{"session_id": id, "reply_from_client": odd})
		require.Equal(t, done, a.code())
		require.Equal(t, odd, a.Reply)
		require.Equal(t, "done "+odd, *a.Answer)
	})
}

// What clients fill in for arguments that they leave out, and plain values in another kind.
func TestUnsetAndPlainValuesAreTaken(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for _, more := range []in{{"max_steps": 0}, {"max_steps": "0"}, {"max_steps": "null"},
			{"wait_seconds": "None"}, {"device_id": "null"}, {"device_id": " "}, {"device_id": "\"A\""},
			{"device_id": " A\n"}, {"queue": "no"}, {"queue": 0}, {"queue": "None"},
			{"queue": "False"}} {
			a := w.start("tap", more)
			require.Equal(t, done, w.wait(a.SessionID).code(), "%v", more)
			run, err := w.store.LatestRun(t.Context(), a.SessionID)
			require.NoError(t, err)
			require.Positive(t, run.MaxSteps)
		}
		for _, more := range []in{{"limit": 0}, {"state": "COMPLETED"}, {"state": "Completed"},
			{"state": "completed"}, {"state": "null"}} {
			require.False(t, w.call("list_sessions", more).raw.IsError, "%v", more)
		}
		for _, none := range []string{"null", "undefined"} {
			require.Equal(t, "INVALID_ARGUMENT", w.call("ask_agent_start_new_task",
				in{"task": none}).code())
			require.Equal(t, "INVALID_ARGUMENT", w.call("send_inquiry",
				in{"prompt": none, "wait_seconds": 0}).code())
		}
	})
}

// A call of a tool that is not there says which one was meant, and carries nothing out.
func TestAnUnknownToolNamesTheNearest(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for name, near := range map[string]string{"list_session": "list_sessions",
			"sendInquiry": "send_inquiry", "ASK_AGENT_WAIT": "ask_agent_wait",
			"mcp__taploop__get_screenshot": "get_screenshot"} {
			req := mcp.CallToolRequest{}
			req.Params.Name, req.Params.Arguments = name, in{"prompt": "x"}
			raw, err := w.client.CallTool(t.Context(), req)
			require.NoError(t, err)
			require.True(t, raw.IsError)
			require.Contains(t, w.said(raw), name)
			require.Contains(t, w.said(raw), "; the nearest is "+near+" (INVALID_ARGUMENT)")
		}
	})
}

func TestTheHintOfAnArgumentCanBeFollowed(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for name, c := range map[string]struct {
			tool      string
			arguments in
			hint      string
		}{
			"one that is needed, empty":   {start, in{"task": " "}, "pass a text"},
			"one that is needed, as well": {wait, in{"session_id": ""}, "pass a text"},
			"one that is needed, wrong":   {wait, in{"session_id": 7}, "pass session_id as a text"},
			"one that may be left out": {start, in{"task": "tap", "device_id": 7},
				"pass device_id as a text, or leave device_id out"},
			"wrong, may be left out": {start, in{"task": "tap", "queue": 2},
				"pass queue as true or false, or leave queue out"},
			"a large number": {wait, in{"session_id": "x", "since_step": -1},
				"pass a number from 0 to 1000000, or leave since_step out"},
		} {
			a := w.call(c.tool, c.arguments)
			require.Equal(t, "INVALID_ARGUMENT", a.code(), name)
			hint, _, _ := strings.Cut(a.Error.Hint, "; call ")
			require.Equal(t, c.hint, hint, name)
			require.NotContains(t, a.text, "e+06", name)
		}
	})
}

func TestAQuestionThatNoRunOfTheSessionHasAskedIsNotWaitedFor(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask tap")
		w.phones.add("B")
		other := w.start("ask", in{"device_id": "B"})
		for _, id := range []string{"nosuch", other.Question.ID} {
			b := w.call("ask_agent_wait", in{"session_id": a.SessionID, "question_id": id})
			require.Equal(t, "NO_OPEN_QUESTION", b.code())
			require.Contains(t, b.Error.Hint,
				"leave question_id out to wait for the run; call "+wait)
		}
		require.Equal(t, done, w.call("ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": "red"}).code())
		settled := w.call("ask_agent_wait",
			in{"session_id": a.SessionID, "question_id": a.Question.ID})
		require.Equal(t, done, settled.code(), "one that was settled is known")
	})
}
