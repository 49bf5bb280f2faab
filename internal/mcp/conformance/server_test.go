// Package conformance is the server that the official conformance suite is run against: the
// transport of transport with the tools, prompts and resources that the suite calls. It is the test
// binary of this package, told an address in TAPLOOP_CONFORMANCE. See docs/conformance.md.
package conformance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/patient"
)

// TestMain serves at /mcp on the loopback address of TAPLOOP_CONFORMANCE until it is interrupted,
// and prints its URL. Without one it runs the tests.
func TestMain(m *testing.M) {
	addr := os.Getenv("TAPLOOP_CONFORMANCE")
	if addr == "" {
		goleak.VerifyTestMain(m)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, addr, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(ctx context.Context, addr string, stdout, stderr io.Writer) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	endpoint := transport.NewHTTP(newServer(),
		&transport.Options{Log: slog.New(slog.NewTextHandler(stderr, nil))})
	mux := http.NewServeMux()
	mux.Handle("/mcp", endpoint)
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }() // serve waits for it
	fmt.Fprintf(stdout, "http://%s/mcp\n", listener.Addr())
	select {
	case err = <-served:
		return errors.Join(err, endpoint.Close(ctx))
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = errors.Join(endpoint.Close(grace), web.Shutdown(grace))
	<-served
	return err
}

func newServer() *server.MCPServer {
	srv := server.NewMCPServer("taploop-conformance", "1.0.0",
		server.WithToolCapabilities(true),
		server.WithResourceCapabilities(true, false),
		server.WithPromptCapabilities(true),
		server.WithCompletions(),
		server.WithLogging(),
		server.WithElicitation(),
	)
	addContentTools(srv)
	addCallTools(srv)
	addAskingTools(srv)
	addInputTools(srv)
	addResources(srv)
	addPrompts(srv)
	return srv
}

// The suite itself is run by scripts/conformance; this shows that its server starts, answers and
// ends.
func TestTheServerAnswersUntilItIsStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patient.Lid)
	defer cancel()
	serving, stop := context.WithCancel(ctx)
	out, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- serve(serving, "127.0.0.1:0", stdout, os.Stderr)
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

func TestTheAddressIsChecked(t *testing.T) {
	require.ErrorContains(t, serve(t.Context(), "nowhere:port", io.Discard, io.Discard),
		"listen tcp")
}

func TestAStateThatTheClientChangedIsFoundOut(t *testing.T) {
	require.True(t, signed(sign("a")))
	require.False(t, signed(sign("a")+"0"))
	require.False(t, signed("b"+sign("a")))
	require.False(t, signed(""))
}
