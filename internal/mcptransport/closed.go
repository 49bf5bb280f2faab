package mcptransport

import (
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/text"
)

// Why the context of a handler was cancelled: errors.Is of [Closed] or of [context.Cause].
var (
	ErrCancelled = errors.New("the client cancelled the request")
	ErrDropped   = errors.New("the client's connection is lost")
	ErrEOF       = errors.New("the client closed its end")
	ErrClosed    = errors.New("the session is closed")
)

// ErrOver is what sending for a request gives whose result is on its way already.
var ErrOver = errors.New("the request is answered already")

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

// cancelled is ErrCancelled with the client's reason, if it gave one.
func cancelled(reason string) error {
	if reason == "" {
		return ErrCancelled
	}
	return fmt.Errorf("%w: %q", ErrCancelled, text.Cut(reason, maxWords))
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
