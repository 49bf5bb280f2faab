package agents_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/model"
)

// What an agent is told fits its goal's language, names the five steps, and costs little.
func TestAnAgentIsToldTheStepsInTheLanguageOfItsGoal(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	for _, c := range []struct {
		lang, goal string
		says       []string
	}{
		{"", "Find the cheapest flight", []string{"1. Analyse", "2. Clarify", "ask_person",
			"never in the text", "3. Retrieve", "4. Verify", "5. Answer", "A refusal is an answer"}},
		{"", "帮我找最便宜的机票", []string{"1. 分析", "2. 澄清", "ask_person", "3. 检索", "4. 核实",
			"5. 回答", "拒绝也是回答"}},
		{"zh", "Find the cheapest flight", []string{"1. 分析"}},
		{"en", "帮我找最便宜的机票", []string{"1. Analyse"}},
	} {
		m := script(func(r model.Request) model.Response {
			system := r.Messages[0].Parts[0].Text
			for _, s := range c.says {
				require.Contains(t, system, s)
			}
			n, err := o200k.Count(system)
			require.NoError(t, err)
			require.LessOrEqual(t, n, 330, c.goal)
			return model.Response{Text: "done"}
		})
		b := new(book)
		o := options(m, b)
		o.Lang = c.lang
		h := agents.New(t.Context(), o, nil)
		_, err := h.Work(t.Context(), c.goal, "", b.lines)
		require.NoError(t, err)
		h.Close()
	}
}
