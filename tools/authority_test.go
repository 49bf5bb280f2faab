package tools_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// program has the client be one whose token is no person's.
func (w *fixture) program(version string, r *reader) {
	w.topts.Person = func(context.Context) bool { return false }
	w.pipe(version, r)
}

// programs runs a test with a program in each era, whose forms are filled in as given.
func programs(t *testing.T, fills answering, test func(*testing.T, *fixture, *reader)) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				r := &reader{answers: []answering{fills}}
				w.program(version, r)
				test(t, w, r)
			})
		})
	}
}

// A program that declares forms would fill them in itself.
func TestAProgramsFormDecidesNothingThatIsForPeople(t *testing.T) {
	for _, severity := range []string{"critical", "sensitive"} {
		programs(t, accepts(in{"decision": "approve"}),
			func(t *testing.T, w *fixture, r *reader) {
				w.gate = asking{severity}
				before := w.phones.touches("A")
				a := w.withProgress("p", "ask_agent_start_new_task",
					in{"task": "tap", "reply_mode": "elicit -> pass_to_client"})
				require.Equal(t, "WAITING_APPROVAL ACTION_NEEDS_APPROVAL", a.code(), a.text)
				require.Empty(t, r.shown(), "it is not asked at all")
				require.Equal(t, before, w.phones.touches("A"))
				require.NotRegexp(t, `taploop \w+ |--\w+`, a.text, "no command line decides")
				require.Contains(t, a.text, "the inbox page or this machine's terminal")
			})
	}
}

// Of a decision that a program may not make, the audit names the program.
func TestTheAuditNamesWhoTriedToDecide(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.gate = asking{"critical"}
		w.topts.Principal = func(context.Context) string { return "ci" }
		w.program(eras[1], nil)
		a := w.call("ask_agent_start_new_task", in{"task": "tap"})
		b := w.call(resume, in{"session_id": a.SessionID,
			"decisions": []any{in{"type": "approve"}}})
		require.Equal(t, "DECISION_FORBIDDEN", b.code(), b.text)
		tried, err := w.store.Audit.List(t.Context(),
			store.AuditFilter{Event: store.AuditForbidden})
		require.NoError(t, err)
		require.Len(t, tried, 1)
		require.Equal(t, []string{"mcp", "ci", "approve"}, []string{
			tried[0].Channel, tried[0].By, tried[0].Answer})
	})
}

// What a program's form answers has the authority of its token.
func TestAProgramsFormAnswersAsAProgram(t *testing.T) {
	programs(t, accepts(in{"choice": "blue"}),
		func(t *testing.T, w *fixture, r *reader) {
			a := w.withProgress("p", "ask_agent_start_new_task",
				in{"task": "ask", "reply_mode": "elicit"})
			require.Equal(t, done, a.code(), a.text)
			list, err := w.manager.Broker().List(t.Context(), inquiry.Filter{SessionID: a.SessionID})
			require.NoError(t, err)
			require.Equal(t, inquiry.AuthorityToken, list[0].Resolution.Authority)
		})
}

// A program that got hold of a form's state for a person's client cannot use it.
func TestTheStateOfAPersonsFormIsNoProgramsApproval(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.gate = asking{"critical"}
		start := in{"task": "tap", "reply_mode": "elicit", "max_steps": 7}
		quiet := func() *reader { return &reader{answers: []answering{acts("cancel", nil)}} }
		w.pipe(eras[1], quiet())
		state := w.raw("ask_agent_start_new_task", start, "", nil).RequestState
		require.NotEmpty(t, state)
		w.program(eras[1], quiet())
		before := w.phones.touches("A")
		a := w.again("ask_agent_start_new_task", start, state,
			in{"action": "accept", "content": in{"decision": "approve"}})
		require.Equal(t, "DECISION_FORBIDDEN", a.code(), a.text)
		require.NotRegexp(t, `taploop \w+ |--\w+`, a.text)
		require.Equal(t, before, w.phones.touches("A"))
		tried, err := w.store.Audit.List(t.Context(),
			store.AuditFilter{Event: store.AuditForbidden})
		require.NoError(t, err)
		require.Len(t, tried, 1)
		require.Equal(t, []string{"elicit", "token", "decisions", "approve"}, []string{
			tried[0].Channel, tried[0].Authority, tried[0].Text, tried[0].Answer})
	})
}
