package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
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

// oddPrompts is a server whose prompts are read only member by member, and stand on two pages.
type oddPrompts struct{ plainServer }

func (o oddPrompts) HandleMessage(ctx context.Context, in json.RawMessage) mcp.JSONRPCMessage {
	var m struct {
		Method string
		Params struct {
			Cursor int
			Name   string
		}
	}
	_ = json.Unmarshal(in, &m) // others are the server's
	result := ""
	switch fmt.Sprint(m.Method, m.Params.Cursor, m.Params.Name) {
	case "prompts/list0":
		result = `{"prompts":[7,{"name":""},{"name":"bare","description":7,"arguments":{}}],` +
			`"nextCursor":2}`
	case "prompts/list2":
		result = `{"prompts":[{"name":"plan","arguments":[7,{"name":"city","required":"yes"},` +
			`{"name":"day","description":[],"required":true}]}],"nextCursor":2}`
	case "prompts/get0plan":
		result = `{"description":7,"messages":[{"role":1,"content":"Look at trains"},7,` +
			`{"content":[{"type":"text","text":"on Monday"},{"type":"image","mimeType":"a/b"}]}]}`
	default:
		return o.plainServer.HandleMessage(ctx, in)
	}
	return mcp.JSONRPCResponse{Result: json.RawMessage(result)}
}

func TestAnOddPromptLosesNoOther(t *testing.T) {
	s := server.NewMCPServer("trips", "1", server.WithPromptCapabilities(true))
	s.AddTool(mcp.NewTool("search"), nil)
	b, asked := &book{}, false
	m := script(func(r model.Request) model.Response {
		if asked {
			return model.Response{Text: last(r)}
		}
		asked = true
		offered := map[string]string{}
		for _, tool := range r.Tools {
			offered[tool.Name] = string(tool.Parameters)
		}
		require.Contains(t, offered, "prompt_bare")
		require.Contains(t, offered["prompt_plan"], `"required":["day"]`)
		require.Contains(t, offered["prompt_plan"], `"city"`)
		return model.Response{ToolCalls: []model.ToolCall{call("prompt_plan", `{"day":"Monday"}`)}}
	})
	answer, err := work(t, options(m, b), b, agents.Server{Name: "trips",
		Proxy: oddPrompts{plainServer{MCPServer: s}}})
	require.NoError(t, err)
	require.Contains(t, answer, "Look at trains\n\non Monday\n\n(a picture, a/b)")
}
