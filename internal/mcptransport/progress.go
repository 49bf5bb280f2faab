package mcptransport

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Progress tells the client how far the request is that ctx belongs to: on that request's own
// stream, in order with all else that is sent for it, before its result. token is the one of the
// request; without one (nil) nothing is sent, as the client asked for nothing. total is 0 when it
// is not known. meta becomes the notification's _meta.
//
// "The progress value MUST increase with each notification" is the caller's business. While the
// client reads slowly, Progress waits; it returns the cause when ctx ends meanwhile, and ErrOver
// after the result.
func Progress(ctx context.Context, token any, progress, total float64, message string,
	meta map[string]any) error {
	if token == nil {
		return nil
	}
	fields := map[string]any{"progressToken": token, "progress": progress}
	if total > 0 {
		fields["total"] = total
	}
	if message != "" {
		fields["message"] = message
	}
	n := note(string(mcp.MethodNotificationProgress), meta, fields)
	if c := callOf(ctx); c != nil {
		return c.send(ctx, n)
	}
	session := server.ClientSessionFromContext(ctx)
	if session == nil {
		return server.ErrNoActiveSession
	}
	select { // a transport of mcp-go's own
	case session.NotificationChannel() <- n:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
