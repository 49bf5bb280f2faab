package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/internal/patient"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The suite itself is run by scripts/conformance; this shows that its server starts, answers and
// ends.
func TestTheServerAnswersUntilItIsStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patient.Lid)
	defer cancel()
	serving, stop := context.WithCancel(ctx)
	out, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(serving, nil, stdout, os.Stderr)
		_ = stdout.Close()
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)

	c, err := client.NewStreamableHttpClient(strings.TrimSpace(url))
	require.NoError(t, err)
	require.NoError(t, c.Start(ctx))
	_, err = c.Initialize(ctx, mcp.InitializeRequest{})
	require.NoError(t, err)
	tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	require.NoError(t, err)
	require.Len(t, tools.Tools, len(newServer().ListTools()))
	for _, tool := range tools.Tools {
		require.NotEmpty(t, tool.Description, tool.Name)
	}
	require.NoError(t, c.Close())
	stop()
	require.NoError(t, <-done)
}

func TestArgumentsAreChecked(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{"-addr"}, io.Discard, io.Discard),
		"flag needs an argument")
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "nowhere:port"}, io.Discard,
		io.Discard), "listen tcp")
}

func TestAStateThatTheClientChangedIsFoundOut(t *testing.T) {
	require.True(t, signed(sign("a")))
	require.False(t, signed(sign("a")+"0"))
	require.False(t, signed("b"+sign("a")))
	require.False(t, signed(""))
}
