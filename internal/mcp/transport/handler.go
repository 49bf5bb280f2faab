package transport

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// Closed returns why the caller of the request that ctx belongs to is gone: errCancelled,
// ErrDropped, errEOF, ErrClosed, or an error that wraps one of them. It returns nil while the
// caller waits, even if ctx has ended for another reason.
func Closed(ctx context.Context) error {
	if c := callOf(ctx); c != nil {
		ctx = c.ctx
	}
	cause := context.Cause(ctx)
	for _, err := range []error{errCancelled, ErrDropped, errEOF, ErrClosed} {
		if errors.Is(cause, err) {
			return cause
		}
	}
	return nil
}

// caller is who sent a request over HTTP.
type caller struct {
	principal string
	person    func(principal string) bool
}

type callerKey struct{}

// Principal returns who sent the request, as named by Options.Authorize. It is "" on stdio and
// without Authorize.
func Principal(ctx context.Context) string {
	s, _ := ctx.Value(callerKey{}).(caller)
	return s.principal
}

// Person reports whether what the client's user says in a form counts as a person's word: always on
// stdio, where the client is a program of the same user, and over HTTP if Options.Person says so of
// the principal.
func Person(ctx context.Context) bool {
	s, overHTTP := ctx.Value(callerKey{}).(caller)
	return !overHTTP || s.person(s.principal)
}

// ClientName returns the name that the client gave for itself, at most 200 characters, or "" if it
// gave none.
func ClientName(ctx context.Context) string {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientInfo != nil {
		return words(info.ClientInfo.Name)
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return words(s.GetClientInfo().Name)
	}
	return ""
}

// callOf returns the call that ctx belongs to, or nil if it came over another transport.
func callOf(ctx context.Context) *call {
	c, _ := server.ClientSessionFromContext(ctx).(*call)
	return c
}

// Progress tells the client how far the request is that ctx belongs to, on that request's stream
// and in order with its other messages. token is the request's. If it is nil, the client has not
// asked for progress, and nothing is sent. total is 0 if not known. meta becomes the notification's
// _meta.
//
// "The progress value MUST increase with each notification" is left to the caller. While the client
// reads slowly, Progress waits. It returns ctx's cause if ctx ends meanwhile, and errOver after the
// result.
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
	select { // one of mcp-go's transports
	case session.NotificationChannel() <- n:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Refuse returns the error by which a handler answers with a JSON-RPC error other than mcp-go's
// internal error, such as MISSING_REQUIRED_CLIENT_CAPABILITY. The handler must not wrap it.
func Refuse(ctx context.Context, code int, text string, data any) error {
	e := &wire.Error{Code: code, Text: text, Data: data}
	if c := callOf(ctx); c != nil {
		c.refusal.Store(e)
	}
	return e
}
