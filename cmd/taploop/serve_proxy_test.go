//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// A proxy of the configuration, in front of another taploop as a process, in both eras: what the
// rules ask about is answered by another process, and the server's secret stays with it.
func TestServersBehindAProxyAskAPerson(t *testing.T) {
	b := newTestEnv(t, demoTask, "")
	program, err := exec.LookPath("taploop")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "taploop.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `proxies:
  other:
    command: %q
    args: [serve, --data-dir, %q]
    env: {SERVER_TOKEN: hush-hush-hush}
    guard:
      - {action: stop_task, decision: deny, description: it goes on}
      - {action: send_inquiry, decision: ask, allowed: [approve, reject]}
`, program, t.TempDir()), 0o600))
	_, url := b.serve("--config", file)
	url = strings.TrimSuffix(url, "/mcp") + "/proxy/other/mcp?desc.send_inquiry=Asks."
	for _, e := range []era{legacy, modern} {
		c := connect(t, e, over(t, url, nil))
		list, err := c.c.ListTools(t.Context(), mcp.ListToolsRequest{})
		require.NoError(t, err)
		for _, tool := range list.Tools {
			require.Equal(t, tool.Name == "send_inquiry", tool.Description == "Asks.", tool.Name)
		}
		call := func(name string) string {
			var r mcp.CallToolRequest
			r.Params.Name, r.Params.Arguments = name, map[string]any{"prompt": "which?"}
			res, err := c.c.CallTool(t.Context(), r)
			require.NoError(t, err)
			return res.Content[0].(mcp.TextContent).Text
		}
		require.Equal(t, "not allowed here: it goes on", call("stop_task"))
		done := make(chan string, 1)
		go func() { done <- call("send_inquiry") }()
		var open []inquiry.Question
		require.Eventually(t, func() bool {
			open = b.questions()
			return len(open) == 1
		}, patience, 50*time.Millisecond)
		require.Equal(t, inquiry.KindApproval, open[0].Kind)
		_, errs, code := b.run("reply", open[0].ID, "--refuse", "not now")
		require.Zero(t, code, errs)
		require.Equal(t, "refused by the other side: not now", <-done)
	}
}
