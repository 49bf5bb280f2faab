package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/tools"
)

// calls counts the tool calls under way.
type calls struct {
	log  *slog.Logger
	mu   sync.Mutex
	n    int
	none wait.Broadcast // when the last call has ended
}

// count is the middleware that counts. It logs a line for each call.
func (c *calls) count(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c.enter()
		defer c.leave()
		began := time.Now()
		ctx, _ = logs.Called(ctx)
		result, err := next(ctx, r)
		args := []any{"tool", r.Params.Name, "client", transport.ClientName(ctx), "principal",
			transport.Principal(ctx), "took", time.Since(began)}
		if result != nil {
			if body, is := result.StructuredContent.(tools.Structured); is && body.Code != "" {
				args = append(args, "error", body.Code) // a form has none
			}
		}
		if why := transport.Closed(ctx); why != nil {
			args = append(args, "left", why) // the caller waits no longer
		}
		if err != nil {
			args = append(args, "err", err)
		}
		c.log.InfoContext(ctx, "call", args...)
		return result, err
	}
}

func (c *calls) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 {
		c.none.Send()
	}
}

// over is closed when no call is under way.
func (c *calls) over() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.none.Next()
	if c.n == 0 {
		c.none.Send()
	}
	return next
}
