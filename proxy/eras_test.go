package proxy

import (
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/inquiry"
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
				require.Len(t, list.Tools, 10)
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
