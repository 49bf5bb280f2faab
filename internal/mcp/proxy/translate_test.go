package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
)

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
	if json.Unmarshal(raw, &m) == nil && m.isRequest() && modern(m.Params) != o.newer {
		return failure(mcp.METHOD_NOT_FOUND, "this era is not known here")
	}
	return o.Server.HandleMessage(ctx, raw)
}

// across runs a test with a client of one era in front of a server that knows the other one only,
// over stdio and over HTTP.
func across(t *testing.T, era, version string, u user, f func(*testing.T, *client.Client, *rig)) {
	for _, road := range []string{"stdio", "http"} {
		t.Run(road, func(t *testing.T) {
			o := behind(t).opts
			o.Wait = func(string, bool) time.Duration { return 10 * time.Second }
			o.Target.Env = append(o.Target.Env, "PROXY_UPSTREAM="+era)
			if road == "http" {
				h := transport.NewHTTP(speaking(other(), era), nil)
				web := httptest.NewServer(h)
				t.Cleanup(func() {
					require.NoError(t, h.Close(context.Background()))
					web.CloseClientConnections()
					web.Close()
				})
				o.Target = Target{URL: web.URL}
			}
			p, err := New(&o)
			require.NoError(t, err)
			t.Cleanup(p.Close)
			c := caller(t, p, client.WithProtocolVersion(version), client.WithElicitationHandler(u))
			f(t, c, &rig{t: t, ask: o.Questions})
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

func TestANewerClientInFrontOfAnOlderServer(t *testing.T) {
	asked := 0
	across(t, "older", mcp.ProtocolVersion20260728, func(string) *mcp.ElicitationResult {
		asked++
		return answers(mcp.ElicitationResponseActionAccept, map[string]any{"decision": "approve"})
	}, func(t *testing.T, c *client.Client, _ *rig) {
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

		for len(got) > 0 {
			<-got
		}
		stop, err := c.ListenAsync(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true,
			ResourceSubscriptions: []string{"x:1", "y:2"}}, func(err error) { t.Error(err) })
		require.NoError(t, err)
		defer stop()
		require.Contains(t, <-got, "notifications/subscriptions/acknowledged")
		require.Equal(t, `grow {"text":"x"}`, called(t, c, "grow"))
		heard := []string{<-got, <-got}
		require.ElementsMatch(t, []string{"notifications/resources/updated<nil> <nil>",
			"notifications/tools/list_changed<nil> <nil>"}, heard, "and no change of prompts")
	})
}

func TestAnOlderClientInFrontOfANewerServer(t *testing.T) {
	across(t, "newer", mcp.ProtocolVersion20251125, func(message string) *mcp.ElicitationResult {
		if message == "when?" {
			return answers(mcp.ElicitationResponseActionAccept, map[string]any{"at": "noon"})
		}
		return answers(mcp.ElicitationResponseActionCancel, nil)
	}, func(t *testing.T, c *client.Client, r *rig) {
		list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		require.NoError(t, err)
		require.Len(t, list.Tools, 11)
		//lint:ignore SA1019 of older versions, which it is about
		require.NoError(t, c.Ping(t.Context()))
		require.Equal(t, `steps {"text":"x"}`, called(t, c, "steps"))
		done := make(chan string, 1)
		go func() { done <- called(t, c, "send_when") }()
		require.NoError(t, r.decide(r.asked(), inquiry.Decision{Type: inquiry.Approve}))
		require.Equal(t, "map[text:x] map[at:noon]mine", <-done)
	})
}

// News of a server of the newer era, which a client of the older hears as broadcasts.
func TestAnOlderClientHearsOfChangesOfANewerServer(t *testing.T) {
	for _, road := range []string{"stdio", "http"} {
		t.Run(road, func(t *testing.T) {
			r := newRig(t, func(o *Options) {
				o.Target.Env = append(o.Target.Env, "PROXY_UPSTREAM=newer")
				if road == "http" {
					web := httptest.NewServer(transport.NewHTTP(speaking(other(), "newer"), nil))
					t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
					o.Target = Target{URL: web.URL}
				}
			})
			require.Contains(t, r.shake("{}"), `"subscribe":true`)
			grown := func(until ...string) (said string) {
				r.start("grow", "{}", "")
				for until = append(until, `"result"`, "tools/list_changed"); len(until) > 0; {
					said += r.next() + "\n"
					until = slices.DeleteFunc(until, func(s string) bool {
						return strings.Contains(said, s)
					})
				}
				return said
			}
			require.Eventually(t, r.fed, 10*time.Second, time.Millisecond)
			require.NotContains(t, grown(), "resources/updated", "nothing is subscribed to")
			ask := func(method, uri string) string {
				r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"s","method":"resources/%s",`+
					`"params":{"uri":%q}}`, method, uri))
				return r.next()
			}
			require.Contains(t, ask("subscribe", "x:1"), `"result":{}`)
			require.Contains(t, ask("subscribe", "y:2"), `"result":{}`)
			require.Contains(t, ask("subscribe", ""), "the uri of the resource is missing")
			said := grown("resources/updated")
			require.Equal(t, 1, strings.Count(said, "resources/updated"), said)
			require.Equal(t, 1, strings.Count(said, "tools/list_changed"), said)
			require.NotContains(t, said, "prompts/list_changed", "the server has no prompts")
			require.NotContains(t, said, "subscriptionId")
			require.Contains(t, ask("unsubscribe", "x:1"), `"result":{}`)
			require.NotContains(t, grown(), "resources/updated")
		})
	}
}

// fed reports whether the clients hear of changes.
func (r *rig) fed() bool {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	for _, l := range r.p.links {
		l.feed.mu.Lock()
		defer l.feed.mu.Unlock()
		if l.feed.stop == nil {
			return false
		}
	}
	return true
}

// What a client of the newer era asks for that is not there does not make it one of the older.
func TestARefusedRequestOfTheNewerEraIsNoHandshake(t *testing.T) {
	l := newLink(behind(t), "")
	defer l.conn.close()
	meta := newerMeta(nil, nil)
	resp, err := l.request(t.Context(), &message{ID: json.RawMessage("1"),
		Method: "initialize", Params: json.RawMessage(`{"_meta":` + string(meta) + `}`)})
	require.NoError(t, err)
	require.NotNil(t, resp.Error)
	require.Nil(t, l.meta)
	require.Nil(t, l.initResult)
}

// Calls at the same time: each is asked what it is about and gets its own
// result. Over stdio a server does not say which call asks; then another one may be asked, and the
// answer is that to the question all the same.
func TestCallsThatAskAtTheSameTimeAllGoOn(t *testing.T) {
	across(t, "older", mcp.ProtocolVersion20260728, func(said string) *mcp.ElicitationResult {
		return answers(mcp.ElicitationResponseActionAccept, map[string]any{"x": said})
	}, func(t *testing.T, c *client.Client, _ *rig) {
		var calls sync.WaitGroup
		for n := range 20 {
			calls.Go(func() {
				var r mcp.CallToolRequest
				r.Params.Name, r.Params.Arguments = "ask", map[string]any{"n": n}
				res, err := c.CallTool(t.Context(), r)
				if err != nil {
					t.Error(err)
					return
				}
				got := res.Content[0].(mcp.TextContent).Text
				if want := fmt.Sprintf("accept map[x:which? %d]", n); got != want {
					t.Errorf("call %d: %s", n, got)
				}
			})
		}
		calls.Wait()
	})
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
