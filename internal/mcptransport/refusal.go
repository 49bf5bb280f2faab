package mcptransport

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

// Refuse is the error by which a handler answers with a JSON-RPC error of its own, like
// MISSING_REQUIRED_CLIENT_CAPABILITY: mcp-go makes every other error of a handler an internal
// error. The handler must return it as it is.
func Refuse(ctx context.Context, code int, text string, data any) error {
	e := &rpcError{code: code, text: text, data: data}
	if c := callOf(ctx); c != nil {
		c.refusal.Store(e)
	}
	return e
}

// refused is the error that the handler asked for instead of the internal error that mcp-go made of
// it.
func (c *call) refused(e mcp.JSONRPCErrorDetails) mcp.JSONRPCErrorDetails {
	own := c.refusal.Load()
	if own == nil || e.Code != mcp.INTERNAL_ERROR || e.Message != own.text {
		return e
	}
	return mcp.JSONRPCErrorDetails{Code: own.code, Message: own.text, Data: own.data}
}
