package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
)

// What was a task or an instruction when it came first is that again, under its key.
func TestATurnThatIsSentAgainUnderItsKeyIsNotSomethingElse(t *testing.T) {
	blue := usecase.Message{Text: "blue", Mode: agentloop.AsInstruction, Key: "k"}
	task := usecase.Continue{Task: "blue", Key: "k", Running: usecase.Running{Seconds: new(0.0)}}
	for name, c := range map[string]struct {
		state  store.State
		reason agentloop.StopReason
		first  any // the call that may know the key
		then   any
	}{
		"after the end":    {store.Completed, "", blue, task},
		"while it goes on": {store.Running, agentloop.StillRunning, task, blue},
	} {
		for _, known := range []bool{true, false} {
			t.Run(fmt.Sprint(name, known), func(t *testing.T) {
				g := newRig(t, nil)
				q := g.waiting("ann", inquiry.Question{})
				paused := stands(q.SessionID, store.Paused, "", nil)
				g.tasks.next = []outcome{stands(q.SessionID, c.state, c.reason, nil), paused,
					paused}
				if !known {
					g.tasks.next[1] = outcome{err: runs.Refuse(runs.RunEnded, "m", "no")}
				}
				a := g.send("POST", "/v1/chat/completions", g.ann, `{"metadata":{"session_id":"`+
					q.SessionID+`"},"messages":[{"role":"user","content":"blue"}]}`,
					func(r *http.Request) { r.Header.Set("Idempotency-Key", "k") })
				require.Equal(t, 200, a.status, a.text)
				want := []any{inSession(c.first, q.SessionID)}
				if !known {
					want = append(want, inSession(c.then, q.SessionID))
				}
				require.Equal(t, want, g.tasks.calls[1:])
			})
		}
	}
}

// inSession is the request for a session.
func inSession(request any, id string) any {
	switch a := request.(type) {
	case usecase.Continue:
		a.SessionID = id
		return a
	case usecase.Message:
		a.SessionID = id
		return a
	}
	return request
}

// Whatever a run waits for, the next message settles it, when who talks may do that.
func TestTheNextMessageSettlesWhatARunWaitsFor(t *testing.T) {
	approves := []usecase.Decision{{Type: "approve"}}
	acts := func(n int, people bool) inquiry.Question {
		severity := inquiry.Sensitive
		if people {
			severity = inquiry.Critical
		}
		return inquiry.Question{Kind: inquiry.KindApproval, Body: &inquiry.Approval{
			ActionRequests: make([]inquiry.ActionRequest, n), Severity: severity}}
	}
	over := inquiry.Question{Kind: inquiry.KindTakeover, Body: &inquiry.Takeover{}}
	says := func(words string) any {
		return usecase.Message{Text: words, Mode: agentloop.AsInstruction}
	}
	for name, c := range map[string]struct {
		question inquiry.Question // besides its id and text
		seen     string           // the question that the conversation shows
		boss     bool             // talks, who is a person
		said     string
		call     any // that is made: a usecase.Reply stands for one that continues; nil for none
		shows    string
	}{
		"a question": {inquiry.Question{Kind: inquiry.KindInfo}, "q1q1", false, "42",
			usecase.Reply{Words: "42"}, "q?"},
		"words beside a question that was not seen": {inquiry.Question{Kind: inquiry.KindInfo}, "",
			false, "stop, wrong app", says("stop, wrong app"), "q?"},
		"an action": {acts(2, false), "q1q1", false, " Yes. ",
			usecase.Reply{Decisions: append(approves, approves...)},
			"q?\nAnswer yes, and it is done."},
		"an action in Chinese": {acts(1, false), "q1q1", false, "同意。",
			usecase.Reply{Decisions: approves}, "回答“同意”即执行"},
		"no clear consent": {acts(1, false), "q1q1", false, "yes, but the red one",
			usecase.Reply{Decisions: []usecase.Decision{{Type: "reject",
				Message: "yes, but the red one"}}}, "Answer yes"},
		"an action for people": {acts(1, true), "q1q1", false, "yes", nil,
			"q?\nOnly a person settles that: http://x/ui"},
		"an action that a person talks about": {acts(1, true), "q1q1", true, "approve",
			usecase.Reply{Decisions: approves}, "Answer yes"},
		"words about what is for people": {acts(1, true), "q1q1", false, "leave it",
			says("leave it"), "Only a person"},
		"an action that was not seen": {acts(1, false), "", false, "yes", nil, "Answer yes"},
		"words beside an action that was not seen": {acts(1, false), "", false, "make it blue",
			says("make it blue"), "Answer yes"},
		"the answer to one before, sent again": {acts(1, false), "q0q0", false, "yes", nil,
			"settled already: this message changes nothing.)\n\nq?"},
		"a hand-over": {over, "q1q1", false, "Done!", usecase.Reply{ReplyType: "done"},
			"q?\nAnswer done"},
		"a hand-over that fails": {over, "q1q1", false, "no code came",
			usecase.Reply{ReplyType: "could_not", Words: "no code came"}, "Answer done"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t, nil)
			q := g.waiting("ann", inquiry.Question{})
			c.question.ID, c.question.Text = "q1q1", "q?"
			waits := stands(q.SessionID, store.WaitingReply, agentloop.InfoNeedsReply, &c.question)
			g.tasks.next = []outcome{waits, waits}
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
			if c.call == nil {
				require.Len(t, calls, 1, "it only looked")
				return
			}
			if reply, is := c.call.(usecase.Reply); is {
				reply.QuestionID = "q1q1"
				c.call = usecase.Continue{Reply: reply, Running: usecase.Running{
					Seconds: new(0.0)}}
			}
			require.Equal(t, inSession(c.call, q.SessionID), calls[1])
		})
	}
}

// Words for a question that is settled are dropped: that is said at once, and not at the end of a
// run that may take an hour.
func TestWordsThatComeTooLateAreToldBeforeTheRunGoesOn(t *testing.T) {
	for _, stream := range []bool{false, true} {
		g := newRig(t, nil)
		q := g.waiting("ann", inquiry.Question{})
		g.tasks.next = []outcome{
			stands(q.SessionID, store.Running, agentloop.StillRunning, nil),
			stands(q.SessionID, store.Completed, agentloop.TaskCompleted, nil)}
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
		for _, going := range []bool{true, false} {
			g := newRig(t, nil)
			q := g.waiting("ann", inquiry.Question{Body: &inquiry.Ask{FreeText: true}})
			metadata := `"session_id":"` + q.SessionID + `"`
			if seen {
				metadata += `,"question_id":"` + q.ID + `"`
			}
			ends := stands(q.SessionID, store.Completed, agentloop.TaskCompleted, nil)
			said := func(now outcome) answer {
				g.tasks.next = []outcome{now, ends}
				return g.send("POST", "/v1/chat/completions", g.ann, `{"metadata":{`+metadata+
					`},"messages":[{"role":"user","content":"blue"}]}`,
					func(r *http.Request) { r.Header.Set("Idempotency-Key", "k") })
			}
			said(stands(q.SessionID, store.WaitingReply, agentloop.InfoNeedsReply, &q))
			reply := g.tasks.calls[1].(usecase.Continue).ReplyID
			_, err := g.broker.Resolve(t.Context(), q.ID, inquiry.Reply{ID: reply,
				Type: inquiry.TypeAnswer, Response: "blue", Authority: inquiry.AuthorityToken})
			require.NoError(t, err)
			g.tasks.calls = nil

			now := ends
			if going {
				now = stands(q.SessionID, store.Running, agentloop.StillRunning, nil)
			}
			a := said(now)

			require.Equal(t, 200, a.status, a.text)
			require.Contains(t, a.text, `\n\n\nDone."`)
			for _, call := range g.tasks.calls {
				require.IsType(t, usecase.Wait{}, call)
			}
		}
	}
}

func TestAnActIsAskedAboutInTheWordsOfWhoTalks(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	for _, c := range inquirytest.Consents(t) {
		for lang, says := range map[string]string{"en": "How is it?", "zh": "怎么样了？"} {
			c.Question.ID = "q1q1"
			waits := stands(q.SessionID, store.WaitingReply, agentloop.InfoNeedsReply, &c.Question)
			g.tasks.next = []outcome{waits, waits}
			a := g.post("/v1/chat/completions", g.boss, `{"metadata":{"session_id":"`+q.SessionID+
				`"},"messages":[{"role":"user","content":"`+says+`"}]}`)
			require.Equal(t, 200, a.status, a.text)
			choice := a.json(t)["choices"].([]any)[0].(map[string]any)
			c.Shown(t, lang, choice["message"].(map[string]any)["content"].(string), "")
		}
	}
}

func TestAConversationTellsStepsInTheLanguageOfWhoTalks(t *testing.T) {
	for says, told := range map[string]string{"Order a pizza": `1. went back: open`,
		"点一份披萨": `1. 返回了：open`} {
		g := newRig(t, nil)
		q := g.waiting("ann", inquiry.Question{})
		g.tasks.next = []outcome{
			stands(q.SessionID, store.Running, agentloop.StillRunning, nil),
			stands(q.SessionID, store.Completed, agentloop.TaskCompleted, nil)}
		a := g.post("/v1/chat/completions", g.ann,
			`{"stream":true,"messages":[{"role":"user","content":"`+says+`"}]}`)
		require.Equal(t, 200, a.status, a.text)
		require.Contains(t, a.text, told)
	}
}
