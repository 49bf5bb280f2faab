package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/patient"
)

func TestAClientThatDoesNotListenCostsNoMoreThanItsSubscriptions(t *testing.T) {
	p := newPeer("1", "")
	for n := range mostSubscriptions {
		require.NoError(t, p.subscribe(fmt.Sprint("x:", n)))
	}
	require.NoError(t, p.subscribe("x:7"), "it has that one")
	require.ErrorContains(t, p.subscribe("x:more"), "at most 100")
	for range 1000 {
		p.Updated("x:7", "x:more", "x:3")
		p.Updated("x:3", "x:7")
		p.Relisted()
	}
	<-p.wake
	require.Empty(t, p.wake)
	sent, err := json.Marshal(p.takeUpdates())
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"jsonrpc": "2.0", "method": "notifications/resources/list_changed"},
		{"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "x:7"}},
		{"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "x:3"}}]`,
		string(sent))
	require.Empty(t, p.takeUpdates())

	p.Updated("x:3")
	p.UnsubscribeFromResource("x:3")
	require.Empty(t, p.takeUpdates(), "it is not told any more")
	require.NoError(t, p.subscribe("x:more"))
}

// hears is what package tools wants of a session.
type hears interface {
	Updated(uris ...string)
	Relisted()
}

func TestAClientHearsOfAResource(t *testing.T) {
	for road, connect := range roads {
		for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
			t.Run(road+" "+version, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), patient.Lid)
				defer cancel()
				l, there := newLab(), &sync.Map{}
				server.WithResourceCapabilities(true, true)(l.MCPServer)
				server.WithHooks(&server.Hooks{
					OnRegisterSession: []server.OnRegisterSessionHookFunc{
						func(_ context.Context, s server.ClientSession) {
							there.Store(s.SessionID(), s)
						}},
					OnUnregisterSession: []server.OnUnregisterSessionHookFunc{
						func(_ context.Context, s server.ClientSession) {
							there.Delete(s.SessionID())
						}},
				})(l.MCPServer)
				c := client.NewClient(connect(t, l, version), client.WithProtocolVersion(version))
				defer func() { require.NoError(t, c.Close()) }()
				heard := make(chan string, 99)
				c.OnNotification(func(n mcp.JSONRPCNotification) {
					heard <- fmt.Sprint(n.Method, n.Params.AdditionalFields["uri"])
				})
				require.NoError(t, c.Start(ctx))
				initialize := mcp.InitializeRequest{}
				initialize.Params.ProtocolVersion = version
				_, err := c.Initialize(ctx, initialize)
				require.NoError(t, err)
				if version == mcp.ProtocolVersion20260728 {
					stop, err := c.ListenAsync(ctx, mcp.SubscriptionFilter{
						ResourceSubscriptions: []string{"x:1"}, ResourcesListChanged: true}, nil)
					require.NoError(t, err)
					defer stop()
					require.Contains(t, <-heard, "acknowledged")
				} else {
					r := mcp.SubscribeRequest{}
					r.Params.URI = "x:1"
					//lint:ignore SA1019 of older versions, which it is about
					require.NoError(t, c.Subscribe(ctx, r))
				}
				there.Range(func(_, s any) bool {
					s.(hears).Updated("x:2", "x:1")
					return true
				})
				require.Equal(t, "notifications/resources/updatedx:1", <-heard)
				there.Range(func(_, s any) bool { s.(hears).Relisted(); return true })
				require.Equal(t, "notifications/resources/list_changed<nil>", <-heard)
			})
		}
	}
}
