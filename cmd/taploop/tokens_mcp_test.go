//go:build unix

package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// What docs/tokens.md says of questions, decisions, take-overs and the metrics holds over MCP, for
// each kind of token.
func TestThePageAboutTokensIsTrueOverMCP(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/tokens.md")
	require.NoError(t, err)
	row := func(what string) []string {
		found := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(what) + ` \| (.*) \|$`).
			FindSubmatch(page)
		require.NotNil(t, found, what)
		return strings.Split(string(found[1]), " | ")
	}
	b := newTestEnv(t, demoTask, "", "TAPLOOP_HTTP_OPERATORS=boss", "TAPLOOP_HTTP_METRICS=true")
	_, url := b.serve()
	metrics := strings.TrimSuffix(url, "/mcp") + "/metrics"
	says := row("`/metrics`")
	status, _ := get(t, metrics, nil)
	require.Equal(t, says[0] == "yes", status == 200)
	tokens := map[string]string{"ann": b.token("ann"), "ben": b.token("ben"), "boss": b.token("boss")}
	out, said, code := b.run("token", "create", "--name", "kim", "--person", "--for", "ann")
	require.Zero(t, code, said)
	tokens["kim"] = strings.TrimSpace(out)
	status, _ = get(t, metrics, nil)
	require.Equal(t, 401, status, "there are tokens now")
	clients := map[string]*mcpClient{}
	for name, token := range tokens {
		clients[name] = connect(t, legacy, over(t, url, bearer(token)))
		status, _ = get(t, metrics, bearer(token))
		require.Equal(t, 200, status, name)
	}
	db, broker := b.folder()
	const program = "no, unless `questions.programs_decide`, and never about critical ones"
	decides := row("the same over MCP, in the arguments of a tool")
	require.Equal(t, program, decides[1])
	require.Contains(t, decides[2], "as a program's")
	require.Contains(t, decides[3], "as a program's")
	for i, who := range []struct{ name, lets string }{{"ann", "kim"}, {"kim", "ann"},
		{"boss", "ann"}} {
		seen, answered, took := "no", "no", "no"
		for j, owner := range []string{who.name, who.lets, "ben"} {
			asked := clients[owner].call("send_inquiry", map[string]any{"prompt": "Which size?",
				"wait_seconds": 0})
			reach := []string{"its own", "its own and those of `--for`", "all"}[j]
			if strings.Contains(clients[who.name].call("list_pending_questions", nil).words,
				asked.Question.ID) {
				seen = reach
			}
			a, err := clients[who.name].try(t.Context(), "answer_question", map[string]any{
				"question_id": asked.Question.ID, "response": "small"})
			require.NoError(t, err)
			if !a.raw.IsError {
				answered = reach
			}
			waits := approval(t, db, broker, owner)
			a, err = clients[who.name].try(t.Context(), "answer_question", map[string]any{
				"question_id": waits.ID, "response": "yes"})
			require.NoError(t, err)
			require.True(t, a.raw.IsError, "%s decides about %s's: %s", who.name, owner, a.words)
			if answered == reach {
				require.Equal(t, "DECISION_FORBIDDEN", a.Error.Code, a.words)
			}
			begun := clients[owner].call("ask_agent_start_new_task", map[string]any{
				"task": demoTask, "wait_seconds": 0, "reset_environment": true})
			a, err = clients[who.name].try(t.Context(), "ask_agent_stop", map[string]any{
				"session_id": begun.SessionID, "mode": "takeover"})
			require.NoError(t, err)
			if !a.raw.IsError {
				require.Equal(t, store.WaitingTakeover, a.State, a.words)
				took = reach
			}
			_, said, code := b.run("stop", begun.SessionID) // a person at this machine
			require.Zero(t, code, said)
		}
		require.Equal(t, row("take a phone over, for a person")[i+1], took, who.name)
		require.Equal(t, row("answer questions of models")[i+1], answered, who.name)
		require.Equal(t, row("answer questions of models")[i+1], seen, who.name)
	}
}

// approval is a question of the owner's about an action that only a person decides about.
func approval(t *testing.T, db *store.Store, b *inquiry.Broker, owner string) inquiry.Question {
	x, run, err := db.Begin(t.Context(), store.Session{Serial: "another", Client: owner},
		store.Run{Task: "pay", MaxSteps: 20})
	require.NoError(t, err)
	run, err = db.Runs.Transition(t.Context(), run.ID, store.Change{To: store.Running})
	require.NoError(t, err)
	q, err := b.Open(t.Context(), inquiry.Question{Kind: inquiry.KindApproval, Text: "may it pay?",
		SessionID: x.ID, RunID: run.ID, Fence: run.Fence, Body: &inquiry.Approval{
			Severity: inquiry.Sensitive, Reason: "it spends money",
			ActionRequests: []inquiry.ActionRequest{{Name: "CLICK"}},
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "CLICK",
				AllowedDecisions: inquiry.DecisionTypes}}}})
	require.NoError(t, err)
	_, err = db.Runs.Transition(t.Context(), run.ID, store.Change{To: store.WaitingApproval,
		Question: q.ID})
	require.NoError(t, err)
	return q
}
