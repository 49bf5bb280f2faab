package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/inquiry"
)

func TestAClientLeavesAQuestionToTheAgent(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask tap")
		refused := w.call("ask_agent_continue", in{"session_id": a.SessionID,
			"reply_type": "delegate", "reply_from_client": "the cheap one"})
		require.Equal(t, "INVALID_ARGUMENT", refused.Error.Code)
		require.Contains(t, refused.text, "would be lost")

		b := w.call("ask_agent_continue", in{"session_id": a.SessionID, "reply_type": "timeout"})
		require.Equal(t, asks, b.code(), "on_timeout is pause: it stays open")
		b = w.call("ask_agent_continue", in{"session_id": a.SessionID, "reply_type": "delegate"})

		require.Equal(t, done, b.code())
		require.Equal(t, []actions.Exchange{{Question: "question 1?",
			Outcome: actions.Delegated}}, w.policy.last().Exchanges)
	})
}

// What a form says instead of an answer counts, whatever else is filled in.
func TestAFormSaysThatTheAgentDecidesOrThatNobodyAnswers(t *testing.T) {
	inBothEras(t, these(accepts(in{"instead": "Decide yourself", "choice": "red"}),
		accepts(in{"instead": "No answer in time"})),
		func(t *testing.T, w *fixture, r *reader) {
			a := w.withProgress("p", "ask_agent_start_new_task",
				in{"task": "ask ask", "reply_mode": "elicit"})

			require.Equal(t, asks, a.code(), "nobody answers: it is open elsewhere")
			require.Len(t, r.shown(), 2, "and is not shown again")
			form := r.shown()[0].RequestedSchema.(in)
			require.Equal(t, []any{"Decide yourself", "No answer in time"},
				form["properties"].(in)["instead"].(in)["enum"])
			require.NotContains(t, form, "required")
			list, err := w.manager.Broker().List(t.Context(),
				inquiry.Filter{SessionID: a.SessionID})
			require.NoError(t, err)
			require.Equal(t, inquiry.TypeDelegate, list[0].Resolution.Type)
			require.Equal(t, inquiry.AuthorityClientUI, list[0].Resolution.Authority)
			require.True(t, list[1].Open())
		})
}

func TestAnAnswerInAFormIsRemembered(t *testing.T) {
	inBothEras(t, these(accepts(in{"choice": "red", "remember": "Always"})),
		func(t *testing.T, w *fixture, r *reader) {
			w.withProgress("p", "ask_agent_start_new_task",
				in{"task": "ask", "reply_mode": "elicit"})
			require.Equal(t, []any{"In this session", "In this app", "Always"}, r.shown()[0].
				RequestedSchema.(in)["properties"].(in)["remember"].(in)["enum"])

			a := w.start("ask tap") // its caller is not asked
			require.Equal(t, done, a.code(), a.text)
			require.Equal(t, "done red", *a.Answer)
			require.Len(t, r.shown(), 1)
			require.Regexp(t, `"question 1\?" was answered by a remembered answer \(remembered `+
				`\S+ \S+ \(always\); taploop answers forget [0-9a-f-]{36}\): "red"`,
				strings.Join(a.Notes, " "))
		})
}

// A calling model has it used again within its session, and no further.
func TestAModelRemembersWithinItsSession(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask tap")
		reply := in{"session_id": a.SessionID, "reply_from_client": "red", "remember": "always"}
		b := w.call("ask_agent_continue", reply)
		require.Contains(t, b.text, "only a person has an answer used beyond its session")
		reply["remember"] = "session"
		require.Equal(t, done, w.call("ask_agent_continue", reply).code())
		require.Equal(t, done, w.call("ask_agent_continue",
			in{"session_id": a.SessionID, "task": "ask tap"}).code())
		require.Equal(t, asks, w.start("ask tap").code())
	})
}

// An inquiry with fields of its own has one more, whose name is none of theirs.
func TestTheFormOfAnInquiryIsLeftToTheOneWhoAsks(t *testing.T) {
	inForms(t, these(accepts(in{"instead_": "Decide yourself"})),
		func(t *testing.T, w *fixture, r *reader) {
			a := w.ask("send_inquiry", in{"prompt": "Which day?", "fields": []any{
				in{"name": "instead", "type": "text"}}})
			require.Contains(t, a.text, "decide yourself", "%s", a.text)
			require.Contains(t, r.shown()[0].RequestedSchema.(in)["properties"], "instead_")
		})
}
