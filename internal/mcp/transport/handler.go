package transport

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// Closed says why the caller of the request that ctx belongs to is gone: ErrCancelled, ErrDropped,
// ErrEOF, ErrClosed, or an error that wraps one of them. It is nil while the caller waits, whatever
// else ended ctx.
func Closed(ctx context.Context) error {
	if c := callOf(ctx); c != nil {
		ctx = c.ctx
	}
	cause := context.Cause(ctx)
	for _, err := range []error{ErrCancelled, ErrDropped, ErrEOF, ErrClosed} {
		if errors.Is(cause, err) {
			return cause
		}
	}
	return nil
}

type principalKey struct{}

// Principal is who sent the request, as Options.Authorize named it; "" on stdio and where no token
// is wanted.
func Principal(ctx context.Context) string {
	name, _ := ctx.Value(principalKey{}).(string)
	return name
}

// ClientName is what the client that sent the request calls itself, at most 200 characters; "" when
// it does not say.
func ClientName(ctx context.Context) string {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientInfo != nil {
		return words(info.ClientInfo.Name)
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return words(s.GetClientInfo().Name)
	}
	return ""
}

// callOf is the call whose handler ctx was given to, nil when it came over another transport.
func callOf(ctx context.Context) *call {
	c, _ := server.ClientSessionFromContext(ctx).(*call)
	return c
}

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

// Refuse is the error by which a handler answers with a JSON-RPC error of its own, like
// MISSING_REQUIRED_CLIENT_CAPABILITY: mcp-go makes every other error of a handler an internal
// error. The handler must return it as it is.
func Refuse(ctx context.Context, code int, text string, data any) error {
	e := &wire.Error{Code: code, Text: text, Data: data}
	if c := callOf(ctx); c != nil {
		c.refusal.Store(e)
	}
	return e
}
