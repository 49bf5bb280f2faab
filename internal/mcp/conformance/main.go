// Command conformance is the server that the official conformance suite is run against: the
// transport of transport with the tools, prompts and resources that the suite calls.
//
// It serves at /mcp on a loopback address until it is interrupted, and prints its URL. See
// docs/conformance.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/transport"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:0", "loopback address to serve on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	endpoint := transport.NewHTTP(newServer(),
		&transport.Options{Log: slog.New(slog.NewTextHandler(stderr, nil))})
	mux := http.NewServeMux()
	mux.Handle("/mcp", endpoint)
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }() // run waits for it
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
