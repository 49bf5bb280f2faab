package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
)

// Both eras of the protocol, with the proxy on HTTP and the other server behind stdio or HTTP.
func TestBothErasPassThrough(t *testing.T) {
	roads(t, func(t *testing.T, change func(*Options)) {
		for _, era := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
			t.Run(era, func(t *testing.T) {
				p := behind(t)
				o := p.opts
				if change != nil {
					change(&o)
				}
				p, err := New(&o)
				require.NoError(t, err)
				defer p.Close()
				c := caller(t, p, client.WithProtocolVersion(era))
				list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
				require.NoError(t, err)
				require.Len(t, list.Tools, 11)
				echoed(t, c)

				var r mcp.CallToolRequest
				r.Params.Name, r.Params.Arguments = "send_message", map[string]any{"text": "x"}
				done := make(chan *mcp.CallToolResult, 1)
				go func() {
					res, err := c.CallTool(t.Context(), r)
					if err != nil {
						t.Error(err)
					}
					done <- res
				}()
				asking := &rig{t: t, ask: o.Questions}
				require.NoError(t, asking.decide(asking.asked(),
					inquiry.Decision{Type: inquiry.Reject, Message: "no"}))
				res := <-done
				require.True(t, res.IsError)
				require.Equal(t, "refused by the other side: no",
					res.Content[0].(mcp.TextContent).Text)
			})
		}
	})
}

// A server of the newer era wants some arguments in headers as well: also those of a person.
func TestArgumentsAreMirroredInHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*Options)
		tool     string
		decision *inquiry.Decision
		want     string
	}{
		"allowed": {nil, "look", nil, "look map[region:<here>]"},
		"unruled": {func(o *Options) { o.Guard = nil }, "send", nil, "send map[region:<here>]"},
		"edited": {nil, "send", &inquiry.Decision{Type: inquiry.Edit,
			EditedAction: &inquiry.EditedAction{Name: "send",
				Args: map[string]any{"region": "there"}}}, "send map[region:there]"},
	} {
		t.Run(name, func(t *testing.T) {
			s := server.NewMCPServer("other", "1.0", server.WithToolCapabilities(true))
			for _, name := range []string{"look", "send"} {
				tool := mcp.NewTool(name)
				tool.InputSchema.Properties = map[string]any{"region": map[string]any{
					"type": "string", "x-mcp-header": "Region"}}
				tool.Annotations.DestructiveHint = new(false)
				s.AddTool(tool, func(_ context.Context, r mcp.CallToolRequest) (
					*mcp.CallToolResult, error) {
					return mcp.NewToolResultText(fmt.Sprint(r.Params.Name, " ",
						r.GetArguments())), nil
				})
			}
			web := httptest.NewServer(transport.NewHTTP(s, nil))
			t.Cleanup(web.Close)
			o := behind(t).opts
			o.Wait = func(string) time.Duration { return 10 * time.Second }
			o.Target = upstream.Target{URL: web.URL}
			if c.change != nil {
				c.change(&o)
			}
			p, err := New(&o)
			require.NoError(t, err)
			t.Cleanup(p.Close)
			cl := caller(t, p, client.WithProtocolVersion(mcp.ProtocolVersion20260728))
			done := make(chan *mcp.CallToolResult, 1)
			go func() {
				var r mcp.CallToolRequest
				r.Params.Name, r.Params.Arguments = c.tool, map[string]any{"region": "<here>"}
				res, err := cl.CallTool(t.Context(), r)
				if err != nil {
					t.Error(err)
				}
				done <- res
			}()
			if c.decision != nil {
				asking := &rig{t: t, ask: o.Questions}
				require.NoError(t, asking.decide(asking.asked(), *c.decision))
			}
			content := (<-done).Content
			require.Equal(t, c.want, content[len(content)-1].(mcp.TextContent).Text)
		})
	}
}

// oneEra is a server that knows one era of the protocol only.
type oneEra struct {
	transport.Server
	newer bool
}

// speaking is a server that knows the era "older" or "newer" only, or any.
func speaking(s transport.Server, era string) transport.Server {
	if era != "older" && era != "newer" {
		return s
	}
	return oneEra{s, era == "newer"}
}

func (o oneEra) HandleMessage(ctx context.Context, raw json.RawMessage) mcp.JSONRPCMessage {
	var m message
	if json.Unmarshal(raw, &m) == nil && m.IsRequest() && m.Modern() != o.newer {
		return failure(mcp.METHOD_NOT_FOUND, "this era is not known here")
	}
	return o.Server.HandleMessage(ctx, raw)
}

// across runs a test with a proxy in front of a server that knows one era only, over stdio and over
// HTTP.
func across(t *testing.T, era string, f func(*testing.T, *Proxy)) {
	for _, road := range []string{"stdio", "http"} {
		t.Run(road, func(t *testing.T) {
			o := behind(t).opts
			o.Wait = func(string) time.Duration { return 10 * time.Second }
			o.Target.Env = append(o.Target.Env, "PROXY_UPSTREAM="+era)
			if road == "http" {
				h := transport.NewHTTP(speaking(other(), era), nil)
				web := httptest.NewServer(h)
				t.Cleanup(func() {
					require.NoError(t, h.Close(context.Background()))
					web.CloseClientConnections()
					web.Close()
				})
				o.Target = upstream.Target{URL: web.URL}
			}
			p, err := New(&o)
			require.NoError(t, err)
			t.Cleanup(p.Close)
			f(t, p)
		})
	}
}

func called(t *testing.T, c *client.Client, name string) string {
	t.Helper()
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = name, map[string]any{"text": "x"}
	r.Params.Meta = &mcp.Meta{ProgressToken: "p"}
	res, err := c.CallTool(t.Context(), r)
	require.NoError(t, err)
	return res.Content[0].(mcp.TextContent).Text
}

// A client that knows both eras makes a handshake where the server does not know the newer one.
func TestAClientFallsBackToTheEraOfItsServer(t *testing.T) {
	across(t, "older", func(t *testing.T, p *Proxy) {
		asked := 0
		c := caller(t, p, client.WithElicitationHandler(user(func(string) *mcp.ElicitationResult {
			asked++
			return answers(mcp.ElicitationResponseActionAccept,
				map[string]any{"decision": "approve"})
		})))
		list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		require.NoError(t, err)
		require.Len(t, list.Tools, 11)
		got := make(chan string, 9)
		c.OnNotification(func(n mcp.JSONRPCNotification) {
			got <- fmt.Sprint(n.Method, n.Params.AdditionalFields["progressToken"],
				n.Params.AdditionalFields["progress"])
		})
		require.Equal(t, `steps {"text":"x"}`, called(t, c, "steps"))
		for n := range 3 {
			require.Equal(t, fmt.Sprint("notifications/progressp", n+1), <-got)
		}
		asked = 0
		require.Equal(t, `send_message {"text":"x"}`, called(t, c, "send_message"))
		require.Equal(t, 1, asked)
		require.Equal(t, "accept map[decision:approve]", called(t, c, "ask"))
		require.Equal(t, 2, asked)
		p.mu.Lock()
		defer p.mu.Unlock()
		require.Len(t, p.links, 1, "nothing is left of what was tried first")
	})
}

// A client that knows only handshakes cannot use a server that knows none, and learns why.
func TestAnOlderClientIsToldThatItsServerKnowsNoHandshake(t *testing.T) {
	across(t, "newer", func(t *testing.T, p *Proxy) {
		_, err := greet(t, p)
		require.ErrorContains(t, err, "the server other knows no version of the protocol with a "+
			`handshake, and this client asks for "2025-11-25"; it said: this era is not known here`)
	})
}

// A server that cannot answer which versions it knows, such as one that wants a session first, is
// one that knows handshakes only.
func TestAServerThatRefusesDiscoveryKnowsNone(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no session", http.StatusBadRequest)
	}))
	defer web.Close()
	p, err := New(&Options{Name: "other", Target: upstream.Target{URL: web.URL}})
	require.NoError(t, err)
	defer p.Close()
	resp := p.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,`+
		`"method":"server/discover","params":{"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`))
	require.IsType(t, mcp.JSONRPCError{}, resp)
	require.Equal(t, mcp.METHOD_NOT_FOUND, resp.(mcp.JSONRPCError).Error.Code)
	require.Empty(t, p.links)
}

// A server that was started again knows the client's subscriptions.
func TestSubscriptionsOutliveTheirServer(t *testing.T) {
	r := newRig(t, nil)
	r.shake("{}")
	for _, method := range []string{"subscribe", "unsubscribe", "subscribe"} {
		r.send(`{"jsonrpc":"2.0","id":"s","method":"resources/` + method +
			`","params":{"uri":"x:1"}}`)
		require.Contains(t, r.next(), `"result":{}`)
	}
	require.Contains(t, r.result(r.start("die", "{}", "")), "it has ended")
	r.start("grow", "{}", "")
	said := ""
	for !strings.Contains(said, "resources/updated") || !strings.Contains(said, `"result"`) {
		said += r.next()
	}
}
