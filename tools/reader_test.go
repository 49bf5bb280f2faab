package tools_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	clienttransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/tools"
)

// reader is a person in front of a client that shows forms.
type reader struct {
	answers []func(ctx context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error)

	gone chan struct{}

	mu    sync.Mutex
	forms []mcp.ElicitationParams
}

func (r *reader) Elicit(ctx context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult,
	error) {
	r.mu.Lock()
	i := len(r.forms)
	r.forms = append(r.forms, req.Params)
	r.mu.Unlock()
	return r.answers[min(i, len(r.answers)-1)](ctx, req.Params)
}

func (r *reader) shown() []mcp.ElicitationParams {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.forms)
}

type answering = func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error)

func acts(action mcp.ElicitationResponseAction, content any) answering {
	return func(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
		time.Sleep(3 * time.Second)
		return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: action,
			Content: content}}, nil
	}
}

func accepts(content in) answering { return acts("accept", content) }

// leaves looks at the form until the test is over: mcp-go's client does not tell it that the form
// is closed.
func (r *reader) leaves(context.Context, mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	<-r.gone
	return nil, errors.New("the reader is gone")
}

// closings are why the server has closed forms, since the last time.
func (w *fixture) closings() (reasons []any) {
	for _, n := range w.notifications() {
		if n.Method == "notifications/cancelled" {
			reasons = append(reasons, n.Params.AdditionalFields["reason"])
		}
	}
	return reasons
}

// eras are the versions of the protocol that ask in different ways.
var eras = []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728}

// pipe connects a client over our own transport, as a program that was started would be. r is nil
// for one without forms.
func (w *fixture) pipe(version string, r *reader) {
	w.t.Helper()
	srv := server.NewMCPServer("taploop", "test", server.WithToolCapabilities(false))
	tools.New(&w.topts).Register(srv)
	w.serve(srv, version, r)
}

func (w *fixture) serve(srv *server.MCPServer, version string, r *reader) {
	w.t.Helper()
	w.disconnect()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- transport.ServeStdio(context.Background(), srv, fromClient, toClient, w.sopts)
		_ = toClient.Close()
	}()
	options := []client.ClientOption{client.WithProtocolVersion(version)}
	if r != nil {
		options = append(options, client.WithElicitationHandler(r))
	}
	c := client.NewClient(clienttransport.NewIO(out, in, io.NopCloser(strings.NewReader(""))),
		options...)
	require.NoError(w.t, c.Start(context.Background()))
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.got = append(w.got, n)
	})
	req := mcp.InitializeRequest{}
	req.Params.ProtocolVersion = version
	_, err := c.Initialize(context.Background(), req)
	require.NoError(w.t, err)
	w.client, w.piped = c, served
	w.drain = func() { _, _ = io.Copy(io.Discard, out) }
}

// inBothEras runs a test with a client that shows forms to its user.
func inBothEras(t *testing.T, answers func(r *reader) []answering,
	test func(t *testing.T, w *fixture, r *reader)) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				r := &reader{}
				r.answers = answers(r)
				w.pipe(version, r)
				test(t, w, r)
			})
		})
	}
}

func these(list ...answering) func(*reader) []answering {
	return func(*reader) []answering { return list }
}
