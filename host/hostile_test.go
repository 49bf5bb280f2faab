package host_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/host"
	"github.com/taploop/taploop/model"
)

// An endpoint refuses a whole request for one schema that it cannot use: the schemas of one server
// would be the end of all tools.
func TestASchemaThatNoEndpointTakesIsReplaced(t *testing.T) {
	s := server.NewMCPServer("hostile", "1")
	does := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("done"), nil
	}
	long := `{"type":"object","properties":{"a":{"description":"` +
		strings.Repeat("x", 1<<20) + `"}}}`
	for name, schema := range map[string]string{"text": `{"type":"string"}`, "long": long} {
		s.AddTool(mcp.NewToolWithRawSchema(name, "", json.RawMessage(schema)), does)
	}
	h := host.New(t.Context(), options(nil, &book{}),
		[]host.Server{{Name: "hostile", Face: face{MCPServer: s}}, served("sums", reckon, "add")})
	defer h.Close()
	require.Len(t, h.Tools(), 3)
	for _, tool := range h.Tools() {
		if tool.Name == "add" {
			require.Contains(t, string(tool.Schema), `"a"`)
		} else {
			require.JSONEq(t, `{"type":"object"}`, string(tool.Schema), tool.Name)
		}
	}
}

func TestAHugeResultIsCut(t *testing.T) {
	b := &book{}
	huge := strings.Repeat("é", 2<<20)
	tell := func(string, map[string]any) string { return huge }
	m := script(func(r model.Request) model.Response {
		if len(r.Messages) == 2 {
			return model.Response{ToolCalls: []model.ToolCall{call("tell", `{}`)}}
		}
		return model.Response{Text: last(r)}
	})
	answer, err := work(t, options(m, b), b, served("teller", tell, "tell"))
	require.NoError(t, err)
	require.Less(t, len(answer), 20_000)
	require.Less(t, len(b.lines[len(b.lines)-2]), 4<<20)
}
