//go:build unix

package main

import (
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

func TestClientsOfGelabsServerAreServedAsTheyKnowIt(t *testing.T) {
	b := newTestEnv(t, demoTask, "")
	check := func(c *mcpClient) {
		var req mcp.CallToolRequest
		req.Params.Name = "list_connected_devices"
		got, err := c.c.CallTool(t.Context(), req)
		require.NoError(t, err)
		require.Regexp(t, `^\["[^",]+"\]$`, got.Content[0].(mcp.TextContent).Text)
		list, err := c.c.ListTools(t.Context(), mcp.ListToolsRequest{})
		require.NoError(t, err)
		require.Equal(t, "list_connected_devices", list.Tools[0].Name)
		require.Equal(t, "ask_agent", list.Tools[len(list.Tools)-1].Name)
	}
	t.Run("stdio", func(t *testing.T) {
		check(b.open(route{era: legacy}, "--compat", "gelab").mcpClient)
	})
	t.Run("http", func(t *testing.T) {
		_, url := b.serve()
		check(connect(t, modern, over(t, url+"?compat=gelab", nil)))
	})
}
