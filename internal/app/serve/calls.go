package serve

import (
	"context"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/transport"
)

// calls counts the tool calls under way.
type calls struct {
	log *slog.Logger
	mu  sync.Mutex
	n   int
	// closed when the last call ends, nil before the first one
	none chan struct{}
}

// count is the middleware that counts. It logs who calls what, and who gave a call up.
func (c *calls) count(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c.enter()
		defer c.leave()
		c.log.DebugContext(ctx, "call", "tool", r.Params.Name, "client",
			transport.ClientName(ctx), "principal", transport.Principal(ctx))
		result, err := next(ctx, r)
		if why := transport.Closed(ctx); why != nil {
			c.log.DebugContext(ctx, "the caller waits no longer", "tool", r.Params.Name,
				"why", why)
		}
		return result, err
	}
}

func (c *calls) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == 0 {
		c.none = make(chan struct{})
	}
	c.n++
}

func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 {
		close(c.none)
	}
}

// over is closed when no call is under way.
func (c *calls) over() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.none == nil { // there never was one
		c.none = make(chan struct{})
		close(c.none)
	}
	return c.none
}
