package transport

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// maxValues is how many values a message may have. No method needs so many.
const maxValues = 20_000

// parse reads a message or batch of a client. Its error is a *wire.Error.
func parse(data []byte) (*wire.Incoming, error) {
	in, err := wire.Parse(data)
	if err != nil {
		return nil, err
	}
	for _, m := range in.Messages {
		if err := m.Check(maxValues); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// subject returns the id of the request that a notifications/cancelled cancels, and the reason.
func subject(m *wire.Message) (id json.RawMessage, reason string) {
	var params struct {
		ID     json.RawMessage `json:"requestId"`
		Reason string          `json:"reason"`
	}
	_ = json.Unmarshal(m.Params, &params) // "invalid cancellation notifications SHOULD be ignored"
	return params.ID, params.Reason
}

// note makes a notification of the server.
func note(method string, meta, fields map[string]any) mcp.JSONRPCNotification {
	return mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: method, Params: mcp.NotificationParams{Meta: meta, AdditionalFields: fields}}}
}

// maxWords is how many characters of a client's name or reason are kept.
const maxWords = 200

// words makes a client's text fit to be kept and printed.
func words(s string) string { return text.Cut(text.Line(s), maxWords) }

type behalfKey struct{}

// Behalf is the agent on whose behalf a request is made.
type Behalf struct {
	Role string `json:"role,omitempty"` // "" for the main agent
	Goal string `json:"goal,omitempty"` // "" if the request is made on nobody's behalf
}

// OnBehalf is the context of a request that is made on an agent's behalf.
func OnBehalf(ctx context.Context, of Behalf) context.Context {
	return context.WithValue(ctx, behalfKey{}, of)
}

// BehalfOf returns the agent on whose behalf a request is made.
func BehalfOf(ctx context.Context) Behalf {
	of, _ := ctx.Value(behalfKey{}).(Behalf)
	return of
}
