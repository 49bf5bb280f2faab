package agents

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/text"
)

// mostGoal is how many characters of its goal an agent is told by.
const mostGoal = 200

// behalf says for people which agent this is, and what for.
func (a *agent) behalf() string {
	who := "the main agent"
	if a.state.Begin.Role != "" {
		who = "the agent " + text.Quote(a.state.Begin.Role, 60)
	}
	return who + ", for " + text.Quote(a.state.Begin.Goal, mostGoal)
}

// behalfKey is the key in the _meta of a call on its way to the proxy. It goes no further: a server
// learns of an agent's goal only what the agent tells it.
const behalfKey = "taploop/behalf"

// told is a proxy that learns on whose behalf each call is made.
type told struct{ Proxy }

// HandleMessage implements transport.Server.
func (p told) HandleMessage(ctx context.Context, raw json.RawMessage) mcp.JSONRPCMessage {
	var message, params, meta map[string]json.RawMessage
	var behalf string
	if json.Unmarshal(raw, &message) != nil || json.Unmarshal(message["params"], &params) != nil ||
		json.Unmarshal(params["_meta"], &meta) != nil ||
		json.Unmarshal(meta[behalfKey], &behalf) != nil {
		return p.Proxy.HandleMessage(ctx, raw)
	}
	delete(meta, behalfKey)
	if delete(params, "_meta"); len(meta) > 0 {
		params["_meta"] = encoded(meta)
	}
	message["params"] = encoded(params)
	return p.Proxy.HandleMessage(transport.OnBehalf(ctx, behalf), encoded(message))
}

// encoded is a map of JSON as JSON.
func encoded(m map[string]json.RawMessage) json.RawMessage {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // each value was decoded
	}
	return b
}
