package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/text"
)

// Server answers messages: mcp-go's [server.MCPServer], or one that passes them on. HandleMessage
// returns a [mcp.JSONRPCResponse] or a [mcp.JSONRPCError] for a request, and nil for a
// notification.
type Server interface {
	HandleMessage(ctx context.Context, raw json.RawMessage) mcp.JSONRPCMessage
	WithContext(ctx context.Context, s server.ClientSession) context.Context
	// A session gets broadcasts. It is registered after its handshake, on stdio before it.
	RegisterSession(ctx context.Context, s server.ClientSession) error
	UnregisterSession(ctx context.Context, sessionID string)
	// GetTool returns the tool with that name, by which headers are checked, or nil.
	GetTool(name string) *server.ServerTool
}

var _ Server = (*server.MCPServer)(nil)

// The causes with which the context of a handler is cancelled. See [Closed].
var (
	errCancelled = errors.New("the client cancelled the request")
	ErrDropped   = errors.New("the client's connection is lost")
	errEOF       = errors.New("the client closed its end")
	ErrClosed    = errors.New("the session is closed")
)

// errOver is returned by sending for a request that is answered already.
var errOver = errors.New("the request is answered already")

// cancelled is errCancelled with the client's reason, if it gave one.
func cancelled(reason string) error {
	if reason == "" {
		return errCancelled
	}
	return fmt.Errorf("%w: %q", errCancelled, text.Cut(reason, maxWords))
}

// ClientError is the error that a client answered instead of a result.
type ClientError struct{ mcp.JSONRPCErrorDetails }

func (e *ClientError) Error() string {
	if e.Message == "" {
		return "the client refused without saying why"
	}
	return fmt.Sprintf("the client refused: %s (code %d)", e.Message, e.Code)
}
