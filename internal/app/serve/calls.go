package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

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
		result, err := next(ctx, r)
		args := []any{"request", requestID(ctx), "tool", r.Params.Name, "client",
			transport.ClientName(ctx), "principal", transport.Principal(ctx),
			"took", time.Since(began)}
		if result != nil && c.log.Enabled(ctx, slog.LevelInfo) {
			args = append(args, about(result)...)
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

// about is what a line says of a result: of which session and phone it is, and why it failed.
func about(r *mcp.CallToolResult) (args []any) {
	of, _ := r.StructuredContent.(tools.Structured) // a form has none
	for _, a := range []struct{ key, value string }{{"session", of.Session},
		{"serial", of.Serial}, {"error", of.Code}} {
		if a.value != "" {
			args = append(args, a.key, a.value)
		}
	}
	return args
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

// requestID is the id of the HTTP request that ctx belongs to, or a new one for a call over stdio.
func requestID(ctx context.Context) string {
	if id, ok := ctx.Value(requestKey{}).(string); ok {
		return id
	}
	return newRequestID()
}
