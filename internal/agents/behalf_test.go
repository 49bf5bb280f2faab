package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/model"
)

// People are told which agent wants a call for which goal, and the server that is called is not.
func TestAServerDoesNotLearnTheGoal(t *testing.T) {
	var behalf transport.Behalf
	var sent []byte
	var err error
	s := server.NewMCPServer("sums", "1")
	s.AddTool(mcp.NewTool("add"), func(ctx context.Context, r mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		behalf = transport.BehalfOf(ctx)
		sent, err = json.Marshal(r.Params)
		return mcp.NewToolResultText("done"), nil
	})
	b, calls := &book{}, 0
	m := script(func(r model.Request) model.Response {
		if calls++; calls == 1 {
			return model.Response{ToolCalls: []model.ToolCall{call("add", `{}`)}}
		}
		return model.Response{Text: last(r)}
	})
	answer, failed := work(t, options(m, b), b,
		agents.Server{Name: "sums", Proxy: plainServer{MCPServer: s}})
	require.NoError(t, errors.Join(err, failed))
	require.Contains(t, answer, "done")
	require.Equal(t, transport.Behalf{Goal: "the goal"}, behalf)
	require.NotContains(t, string(sent), "goal")
}
