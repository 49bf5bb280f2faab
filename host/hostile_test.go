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
