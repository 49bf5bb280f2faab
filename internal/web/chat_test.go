package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/web"
)

// What was a task or an instruction when it came first is that again, under its key.
func TestATurnThatIsSentAgainUnderItsKeyIsNotSomethingElse(t *testing.T) {
	const refused = `{"error":{"code":"RUN_ENDED","message":"no","mend":"m"}}`
	for name, c := range map[string]struct {
		state string
		first string // the tool that may know the key
		then  string
	}{
		"after the end": {`"state":"COMPLETED"`, "ask_agent_message", "ask_agent_continue"},
		"while it goes on": {`"state":"RUNNING","stop_reason":"STILL_RUNNING"`,
			"ask_agent_continue", "ask_agent_message"},
	} {
		for _, known := range []bool{true, false} {
			t.Run(fmt.Sprint(name, known), func(t *testing.T) {
				g := newRig(t, nil)
				q := g.waiting("ann", inquiry.Question{})
				stands := web.TaskResult{Body: []byte(`{"session_id":"` + q.SessionID + `",` +
					c.state + `}`)}
				paused := web.TaskResult{Body: []byte(`{"session_id":"` + q.SessionID +
					`","state":"PAUSED"}`)}
				g.tasks.next = []web.TaskResult{stands, paused, paused}
				if !known {
					g.tasks.next[1] = web.TaskResult{Code: "RUN_ENDED", Body: []byte(refused)}
				}
				a := g.send("POST", "/v1/chat/completions", g.ann, `{"metadata":{"session_id":"`+
					q.SessionID+`"},"messages":[{"role":"user","content":"blue"}]}`,
					func(r *http.Request) { r.Header.Set("Idempotency-Key", "k") })
				require.Equal(t, 200, a.status, a.text)
				var tools []string
				for _, call := range g.tasks.calls[1:] {
					require.Equal(t, "k", call.Arguments["idempotency_key"])
					tools = append(tools, call.Tool)
				}
				if known {
					require.Equal(t, []string{c.first}, tools)
				} else {
					require.Equal(t, []string{c.first, c.then}, tools)
				}
			})
		}
	}
}

// Whatever a run waits for, the next message settles it, when who talks may do that.
func TestTheNextMessageSettlesWhatARunWaitsFor(t *testing.T) {
	for name, c := range map[string]struct {
		question string // besides its id and text
		seen     string // the question that the conversation shows
		boss     bool   // talks, who is a person
		said     string
		tool     string // that is called, with these arguments
		want     string
		shows    string // is said with the question
	}{
		"a question": {`"kind":"info"`, "", false, "42", "ask_agent_continue",
			`{"reply_from_client":"42"}`, "q?"},
		"an action": {`"kind":"approval","action_requests":[{},{}]`, "q1q1", false, " Yes. ",
			"ask_agent_continue", `{"decisions":[{"type":"approve"},{"type":"approve"}]}`,
			"q?\nAnswer yes, and it is done."},
		"an action in Chinese": {`"kind":"approval","action_requests":[{}]`, "q1q1", false, "同意。",
			"ask_agent_continue", `{"decisions":[{"type":"approve"}]}`, "回答“同意”即执行"},
		"no clear consent": {`"kind":"approval","action_requests":[{}]`, "q1q1", false,
			"yes, but the red one", "ask_agent_continue",
			`{"decisions":[{"type":"reject","message":"yes, but the red one"}]}`, "Answer yes"},
		"an action for people": {`"kind":"approval","action_requests":[{}],"people_only":true`,
			"q1q1", false, "yes", "", "", "q?\nOnly a person settles that: http://x/ui"},
		"an action that a person talks about": {
			`"kind":"approval","action_requests":[{}],"people_only":true`, "q1q1", true, "approve",
			"ask_agent_continue", `{"decisions":[{"type":"approve"}]}`, "Answer yes"},
		"words about what is for people": {
			`"kind":"approval","action_requests":[{}],"people_only":true`, "q1q1", false,
			"leave it",
			"ask_agent_message", `{"text":"leave it","mode":"instruction"}`, "Only a person"},
		"an action that was not seen": {`"kind":"approval","action_requests":[{}]`, "", false,
			"yes", "", "", "Answer yes"},
		"words beside an action that was not seen": {
			`"kind":"approval","action_requests":[{}]`, "", false, "make it blue",
			"ask_agent_message", `{"text":"make it blue","mode":"instruction"}`, "Answer yes"},
		"the answer to one before, sent again": {`"kind":"approval","action_requests":[{}]`,
			"q0q0", false, "yes", "", "", "settled already: this message changes nothing.)\n\nq?"},
		"a hand-over": {`"kind":"takeover"`, "q1q1", false, "Done!", "ask_agent_continue",
			`{"reply_type":"done"}`, "q?\nAnswer done"},
		"a hand-over that fails": {`"kind":"takeover"`, "q1q1", false, "no code came",
			"ask_agent_continue",
			`{"reply_type":"could_not","reply_from_client":"no code came"}`, "Answer done"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t, nil)
			q := g.waiting("ann", inquiry.Question{})
			waits := web.TaskResult{Body: []byte(`{"session_id":"` + q.SessionID +
				`","state":"WAITING","question":{"question_id":"q1q1","text":"q?",` +
				`"page_url":"http://x/ui",` + c.question + `}}`)}
			g.tasks.next = []web.TaskResult{waits, waits}
			token := g.ann
			if c.boss {
				token = g.boss
			}
			if c.seen != "" {
				c.seen = "\n\n[//]: # (taploop question " + c.seen + ")"
			}
			said, err := json.Marshal(c.said)
			require.NoError(t, err)

			before, err := json.Marshal("[//]: # (taploop " + q.SessionID + ")\n\nq?" + c.seen)
			require.NoError(t, err)

			a := g.post("/v1/chat/completions", token, `{"messages":[`+
				`{"role":"assistant","content":`+string(before)+`},`+
				`{"role":"user","content":`+string(said)+`}]}`)

			require.Equal(t, 200, a.status, a.text)
			choice := a.json(t)["choices"].([]any)[0].(map[string]any)
			require.Contains(t, choice["message"].(map[string]any)["content"], c.shows)
			calls := g.tasks.calls
			if c.tool == "" {
				require.Len(t, calls, 1, "it only looked")
				return
			}
			require.Equal(t, c.tool, calls[1].Tool)
			var want map[string]any
			require.NoError(t, json.Unmarshal([]byte(c.want), &want))
			if c.tool == "ask_agent_continue" {
				want["question_id"], want["wait_seconds"] = "q1q1", 0
			}
			want["session_id"] = q.SessionID
			sent, err := json.Marshal(calls[1].Arguments)
			require.NoError(t, err)
			wanted, err := json.Marshal(want)
			require.NoError(t, err)
			require.JSONEq(t, string(wanted), string(sent))
		})
	}
}

// Words for a question that is settled are dropped: that is said at once, and not at the end of a
// run that may take an hour.
func TestWordsThatComeTooLateAreToldBeforeTheRunGoesOn(t *testing.T) {
	for _, stream := range []bool{false, true} {
		g := newRig(t, nil)
		q := g.waiting("ann", inquiry.Question{})
		for _, state := range []string{`RUNNING","stop_reason":"STILL_RUNNING`, "COMPLETED"} {
			g.tasks.next = append(g.tasks.next, web.TaskResult{Body: []byte(`{"session_id":"` +
				q.SessionID + `","state":"` + state + `"}`)})
		}
		a := g.post("/v1/chat/completions", g.ann, fmt.Sprintf(`{"stream":%t,"metadata":{`+
			`"session_id":%q,"question_id":"q0q0"},"messages":[{"role":"user","content":"blue"}]}`,
			stream, q.SessionID))
		require.Equal(t, 200, a.status, a.text)
		require.Contains(t, a.text, `"[//]: # (taploop `+q.SessionID+
			`)\n\n(That question is settled already: this message changes nothing.)\n`)
		require.Contains(t, a.text, "Done.")
		require.Len(t, g.tasks.calls, 2, "it looked and waited")
	}
}

// An answer that is sent again under its key is no instruction and no task, and not too late.
func TestAnAnswerThatIsSentAgainUnderItsKeyIsTakenOnce(t *testing.T) {
	for _, seen := range []bool{false, true} {
		for _, state := range []string{`"RUNNING","stop_reason":"STILL_RUNNING"`, `"COMPLETED"`} {
			g := newRig(t, nil)
			q := g.waiting("ann", inquiry.Question{Body: &inquiry.Ask{FreeText: true}})
			metadata := `"session_id":"` + q.SessionID + `"`
			if seen {
				metadata += `,"question_id":"` + q.ID + `"`
			}
			said := func(stands string) answer {
				g.tasks.next = []web.TaskResult{
					{Body: []byte(`{"session_id":"` + q.SessionID + `","state":` + stands + `}`)},
					{Body: []byte(`{"session_id":"` + q.SessionID + `","state":"COMPLETED"}`)}}
				return g.send("POST", "/v1/chat/completions", g.ann, `{"metadata":{`+metadata+
					`},"messages":[{"role":"user","content":"blue"}]}`,
					func(r *http.Request) { r.Header.Set("Idempotency-Key", "k") })
			}
			said(`"WAITING_REPLY","question":{"question_id":"` + q.ID + `","kind":"info"}`)
			reply := g.tasks.calls[1].Arguments["reply_id"].(string)
			_, err := g.broker.Resolve(t.Context(), q.ID, inquiry.Reply{ID: reply,
				Type: inquiry.TypeAnswer, Response: "blue", Authority: inquiry.AuthorityToken})
			require.NoError(t, err)
			g.tasks.calls = nil

			a := said(state)

			require.Equal(t, 200, a.status, a.text)
			require.Contains(t, a.text, `\n\n\nDone."`)
			for _, call := range g.tasks.calls {
				require.Equal(t, "ask_agent_wait", call.Tool)
			}
		}
	}
}
