package proxy

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
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
			o.Wait = func(string, bool) time.Duration { return 10 * time.Second }
			o.Target = Target{URL: web.URL}
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
