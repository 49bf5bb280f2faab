package tools_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
)

// asking is a gate that asks about every action; "none" allows everything.
type asking struct{ severity string }

func (a asking) Check(
	_ context.Context, s agentloop.Situation, _ actions.Decision,
) (agentloop.Verdict, error) {
	if s.Pending != nil || a.severity == "none" {
		return agentloop.Allow(), nil
	}
	return agentloop.Ask(agentloop.Question{Kind: agentloop.KindApproval,
		Text: "May the agent do this?", Review: &agentloop.Review{Severity: a.severity,
			Description: `tap "Send"`, Element: `"Send now"`, Reason: "it sends a message"}}), nil
}

func TestAClientPassesDecisionsOn(t *testing.T) {
	for name, c := range map[string]struct {
		decision in
		touched  int
	}{
		"approve": {in{"type": "approve"}, 1},
		"edit": {in{"type": "edit", "edited_action": in{"name": "CLICK",
			"args": in{"at": in{"x": 0.2, "y": 0.3}}}}, 1},
		"reject":  {in{"type": "reject", "message": "not now"}, 0},
		"respond": {in{"type": "respond", "message": "it is sent already"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.gate = asking{"routine"}
				a := w.start("tap")
				require.Equal(t, "WAITING_APPROVAL ACTION_NEEDS_APPROVAL", a.code())
				require.Equal(t, inquiry.KindApproval, a.Question.Kind)
				require.Equal(t, `tap "Send"`, a.Question.Requests[0].Description)
				require.Equal(t, inquiry.DecisionTypes, a.Question.Reviews[0].AllowedDecisions)
				brief := w.briefly("schemas=brief", in{"task": "tap", "supersede": true})
				require.NotContains(t, brief.structured["question"], "interrupts", "models pay for it")
				a = w.start("tap", in{"supersede": true})
				require.Len(t, a.Question.Interrupts, 1)
				one := string(encode(t, a.Question.Interrupts[0]))
				require.Contains(t, one, `"id":"`+a.Question.ID+`"`)
				require.Contains(t, one, `"type":"tool_approval","tool_call_id":"`+a.Question.ID)
				require.Contains(t, one, `"responseSchema":{"oneOf":[{"properties":`)
				require.Equal(t, "ask_agent_continue", a.Next.Tool)
				require.Contains(t, a.text, `(under the finger: "Send now")`)
				require.Contains(t, a.text, "decisions: ")
				bad := w.call(resume, in{"session_id": a.SessionID, "decisions": []any{}})
				require.Equal(t, a.code(), bad.code(), "none are as if they were left out")
				bad = w.call(resume, in{"session_id": a.SessionID, "reply_from_client": "yes"})
				require.Equal(t, "INVALID_ARGUMENT", bad.Error.Code, bad.text)
				bad = w.call(resume, in{"session_id": a.SessionID, "reply_from_client": "yes",
					"decisions": []any{c.decision}})
				require.Equal(t, "INVALID_ARGUMENT", bad.Error.Code, bad.text)

				before := w.phones.touches("A")

				b := w.call(resume, in{"session_id": a.SessionID, "decisions": []any{c.decision}})

				require.Equal(t, "COMPLETED TASK_COMPLETED_SUCCESSFULLY", b.code(), b.text)
				require.Equal(t, c.touched, w.phones.touches("A")-before)
			})
		})
	}
}

// A pause changes nothing of who decides, and how.
func TestAPausedApprovalIsAskedAsOne(t *testing.T) {
	for severity, says := range map[string]string{"routine": "decisions: ",
		"critical": "Your user decides there, not you"} {
		t.Run(severity, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.gate = asking{severity}
				id := w.start("tap").SessionID
				a := w.call("ask_agent_stop", in{"session_id": id, "mode": "pause"})
				require.Equal(t, "PAUSED USER_PAUSED", a.code())
				require.Contains(t, a.text, says)
				require.Contains(t, a.text, "call ask_agent_continue with")
				require.NotContains(t, a.text, "reply_from_client")
				listed := w.pending(t.Context(), in{})
				require.NotContains(t, listed.text, "answer_question", "it takes no decisions")
			})
		})
	}
}

// What only a person answers is not asked of the client's model: it is told where the person does.
func TestAPersonsConsentIsNotPassedOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("askperson tap")
		require.True(t, a.Question.PeopleOnly)
		require.Equal(t, "ask_agent_wait", a.Next.Tool, "there is nothing to pass on")
		require.Contains(t, a.text, "May the model do it?")
		require.Contains(t, a.text, "Your user decides there, not you")
		require.Contains(t, a.text, "the inbox page or this machine's terminal")
		require.NotContains(t, a.text, "reply_from_client")
		for _, id := range []string{"", a.Question.ID} {
			b := w.call(resume, in{"session_id": a.SessionID, "reply_from_client": "Yes",
				"question_id": id})
			require.Equal(t, "DECISION_FORBIDDEN", b.code(), b.text)
			require.Contains(t, b.text, "on the inbox page or at the terminal")
		}
	})
}

func TestAClientDoesNotDecideInAPersonsPlace(t *testing.T) {
	for _, severity := range []string{"critical", "sensitive", ""} {
		t.Run(severity, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.gate = asking{severity}
				a := w.start("tap")
				require.True(t, a.Question.PeopleOnly)
				require.Equal(t, "ask_agent_wait", a.Next.Tool, "there is nothing to pass on")
				began := time.Now()
				w.call(a.Next.Tool, with(a.Next.Arguments, in{"wait_seconds": 40}))
				require.Equal(t, 40*time.Second, time.Since(began), "it waits for the decision")
				require.Contains(t, a.text, "Your user decides there, not you")

				b := w.call(resume, in{"session_id": a.SessionID,
					"decisions": []any{in{"type": "approve"}}})

				require.Equal(t, "DECISION_FORBIDDEN", b.Error.Code, b.text)
				q, err := w.manager.Broker().Get(t.Context(), a.Question.ID)
				require.NoError(t, err)
				require.True(t, q.Open())
			})
		})
	}
}

func TestAnActionIsDecidedOnInAForm(t *testing.T) {
	inBothEras(t, these(accepts(in{"decision": "edit", "edited_action": "no JSON"}),
		accepts(in{"decision": "approve", "message": "was left there"})),
		func(t *testing.T, w *fixture, r *reader) {
			w.gate = asking{"critical"}
			a := w.withProgress("p", "ask_agent_start_new_task",
				in{"task": "tap", "reply_mode": "elicit"})

			require.Equal(t, done, a.code(), a.text)
			require.Contains(t, r.shown()[0].Message, `1. "tap \"Send\""`)
			decision := r.shown()[0].RequestedSchema.(in)["properties"].(in)["decision"].(in)
			require.Equal(t, []any{"approve", "edit", "reject", "respond"}, decision["enum"])
			require.Contains(t, r.shown()[1].Message, "edit has no edited_action")
		})
}

// A form has no picture of the screen, and says what has one.
func TestAFormNamesThePageThatShowsTheScreen(t *testing.T) {
	for task, shows := range map[string]bool{"tap": true, "askhand": true, "ask": false} {
		t.Run(task, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.end()
				w.topts.BaseURL = "http://127.0.0.1:8731"
				w.begin()
				w.gate = asking{"critical"}
				r := &reader{answers: []answering{acts("cancel", nil)}}
				w.pipe(eras[0], r)
				w.withProgress("p", start, in{"task": task, "reply_mode": "elicit"})
				require.Equal(t, shows, strings.Contains(r.shown()[0].Message, "taploop ui"))
			})
		})
	}
}

func TestAResultTellsOfAPersonsLeave(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		require.Empty(t, w.start("tap").Notes)
		g, err := guard.NewGrant(guard.ForAll, "", time.Now(), 5*time.Minute)
		require.NoError(t, err)
		require.NoError(t, w.store.Grants.Give(t.Context(), g, store.AuditEntry{}))

		require.Contains(t, w.start("tap").Notes[0], "without asking (taploop yolo status)")
		time.Sleep(6 * time.Minute)
		require.Empty(t, w.start("tap").Notes)
	})
}

// A request with a person's token decides as that person, and one with a program's does not.
func TestAPersonsRequestDecidesAboutWhatIsCritical(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.gate = asking{"critical"}
		cases, who := tools.New(&w.topts).Cases(), elsewhere("ann")
		a, err := cases.Start(t.Context(), who, starts("tap"))
		require.NoError(t, err)
		yes := usecase.Continue{SessionID: a.Status.Session.ID, Running: starts("").Running,
			Reply: usecase.Reply{Decisions: []usecase.Decision{{Type: "approve"}}}}
		_, err = cases.Continue(t.Context(), who, yes)
		require.Equal(t, runs.Forbidden, runs.CodeOf(err))

		who.By.Authority = inquiry.AuthorityHumanToken
		b, err := cases.Continue(t.Context(), who, yes)

		require.NoError(t, err)
		require.Equal(t, store.Completed, b.Status.Run.State)
		q, err := w.store.Questions.List(t.Context(), inquiry.Filter{})
		require.NoError(t, err)
		require.Equal(t, inquiry.AuthorityHumanToken, q[0].Resolution.Authority)
	})
}
