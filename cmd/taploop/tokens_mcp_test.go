//go:build unix

package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What docs/tokens.md says of questions and of the metrics holds over MCP, for each kind of token.
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
	for i, who := range []struct{ name, lets string }{{"ann", "kim"}, {"kim", "ann"},
		{"boss", "ann"}} {
		seen, answered := "no", "no"
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
		}
		require.Equal(t, row("answer questions of models")[i+1], answered, who.name)
		require.Equal(t, row("answer questions of models")[i+1], seen, who.name)
	}
}
