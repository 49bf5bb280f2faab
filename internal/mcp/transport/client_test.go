package transport

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/patient"
)

// person answers every question.
type person struct{ asked chan string }

func (p person) Elicit(_ context.Context, r mcp.ElicitationRequest) (
	*mcp.ElicitationResult, error) {
	p.asked <- r.Params.Message
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"answer": "forty-two"},
	}}, nil
}

// roads are the ways from mcp-go's client to a server.
var roads = map[string]func(*testing.T, *lab, string) transport.Interface{
	"http": func(t *testing.T, l *lab, version string) transport.Interface {
		h := NewHTTP(l.MCPServer, &Options{ResumeGrace: 50 * time.Millisecond})
		web := httptest.NewServer(h)
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patient.Lid)
			defer cancel()
			require.NoError(t, h.Close(ctx))
			web.CloseClientConnections()
			web.Close()
		})
		var options []transport.StreamableHTTPCOption
		if version != mcp.ProtocolVersion20260728 {
			//lint:ignore SA1019 older clients have it
			options = append(options, transport.WithContinuousListening())
		}
		tr, err := transport.NewStreamableHTTP(web.URL, options...)
		require.NoError(t, err)
		return tr
	},
	"stdio": func(t *testing.T, l *lab, _ string) transport.Interface {
		fromClient, in := io.Pipe()
		out, toClient := io.Pipe()
		served := make(chan error, 1)
		go func() {
			served <- ServeStdio(context.Background(), l.MCPServer, fromClient, toClient, nil)
			_ = toClient.Close()
		}()
		t.Cleanup(func() {
			go func() { _, _ = io.Copy(io.Discard, out) }() // the client reads no more
			require.NoError(t, <-served)
		})
		return transport.NewIO(out, in, io.NopCloser(strings.NewReader("")))
	},
}

func TestMCPGosOwnClient(t *testing.T) {
	for road, connect := range roads {
		for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
			t.Run(road+" "+version, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), patient.Lid)
				defer cancel()
				l := newLab()
				p := person{asked: make(chan string, 9)}
				c := client.NewClient(connect(t, l, version), client.WithElicitationHandler(p),
					client.WithProtocolVersion(version))
				defer func() { require.NoError(t, c.Close()) }()
				var mu sync.Mutex
				progress := map[string][]string{}
				c.OnNotification(func(n mcp.JSONRPCNotification) {
					mu.Lock()
					defer mu.Unlock()
					token := fmt.Sprint(n.Params.AdditionalFields["progressToken"])
					progress[token] = append(progress[token],
						fmt.Sprint(n.Params.AdditionalFields["message"], n.Params.Meta["step"]))
				})
				require.NoError(t, c.Start(ctx))
				initialize := mcp.InitializeRequest{}
				initialize.Params.ProtocolVersion = version
				_, err := c.Initialize(ctx, initialize)
				require.NoError(t, err)
				require.Equal(t, version, c.ProtocolVersion())

				tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
				require.NoError(t, err)
				require.Len(t, tools.Tools, len(l.ListTools()))

				require.Equal(t, "done", callText(t, ctx, c, "burst", map[string]any{"n": 3}))
				mu.Lock()
				require.Equal(t, []string{"step 11", "step 22", "step 33"}, progress["of burst"])
				mu.Unlock()

				require.Equal(t, "accept map[answer:forty-two] state-1",
					callText(t, ctx, c, "form", map[string]any{"question": "What?"}))
				require.Equal(t, "What?", <-p.asked)
				if version == mcp.ProtocolVersion20251125 {
					require.Equal(t, "accept map[answer:forty-two]",
						callText(t, ctx, c, "ask", map[string]any{"question": "Why?"}))
					require.Equal(t, "Why?", <-p.asked)
				}
			})
		}
	}
}

func callText(t *testing.T, ctx context.Context, c *client.Client, name string,
	arguments map[string]any) string {
	t.Helper()
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = name, arguments
	r.Params.Meta = &mcp.Meta{ProgressToken: "of " + name}
	result, err := c.CallTool(ctx, r)
	require.NoError(t, err)
	require.Len(t, result.Content, 1)
	return result.Content[0].(mcp.TextContent).Text
}

func TestMCPGosOwnClientGivesUpAndTheHandlerLearnsOfIt(t *testing.T) {
	for road, connect := range roads {
		for version, want := range map[string]map[string]error{
			mcp.ProtocolVersion20251125: {"http": ErrDropped, "stdio": errCancelled},
			mcp.ProtocolVersion20260728: {"http": ErrDropped, "stdio": errCancelled},
		} {
			t.Run(road+" "+version, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), patient.Lid)
				defer cancel()
				l := newLab()
				c := client.NewClient(connect(t, l, version), client.WithProtocolVersion(version))
				defer func() { require.NoError(t, c.Close()) }()
				require.NoError(t, c.Start(ctx))
				initialize := mcp.InitializeRequest{}
				initialize.Params.ProtocolVersion = version
				_, err := c.Initialize(ctx, initialize)
				require.NoError(t, err)
				calling, giveUp := context.WithCancel(ctx)
				failed := make(chan error, 1)
				go func() {
					var r mcp.CallToolRequest
					r.Params.Name = "gate"
					r.Params.Meta = &mcp.Meta{ProgressToken: "t"}
					_, err := c.CallTool(calling, r)
					failed <- err
				}()
				<-l.entered
				giveUp()
				require.Error(t, <-failed) // which is also "unexpected nil response" with mcp-go
				require.ErrorIs(t, <-l.ended, want[road])
			})
		}
	}
}
