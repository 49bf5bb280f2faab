package agents_test

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/model"
)

// The prompts of a server are offered to agents as tools, which say what arguments they take.
func TestThePromptsOfAServerAreOffered(t *testing.T) {
	s := server.NewMCPServer("trips", "1", server.WithPromptCapabilities(true))
	s.AddTool(mcp.NewTool("search"), nil)
	s.AddPrompt(mcp.NewPrompt("plan", mcp.WithPromptDescription("How to plan."),
		mcp.WithArgument("city", mcp.RequiredArgument())), func(_ context.Context,
		r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser,
			mcp.NewTextContent("Look at trains to "+r.Params.Arguments["city"]))}), nil
	})
	b, calls := &book{}, 0
	m := script(func(r model.Request) model.Response {
		if calls++; calls > 1 {
			return model.Response{Text: last(r)}
		}
		for _, tool := range r.Tools {
			if tool.Name == "prompt_plan" {
				require.Contains(t, tool.Description, "How to plan.")
				require.Contains(t, string(tool.Parameters), `"required":["city"]`)
				return model.Response{ToolCalls: []model.ToolCall{
					call("prompt_plan", `{"city":"Rome"}`)}}
			}
		}
		return model.Response{Text: "no prompt"}
	})
	answer, err := work(t, options(m, b), b,
		agents.Server{Name: "trips", Proxy: plainServer{MCPServer: s}})
	require.NoError(t, err)
	require.Contains(t, answer, "Look at trains to Rome")
}
