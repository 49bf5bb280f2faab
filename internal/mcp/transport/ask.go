package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// sender sends a message on some stream.
type sender func(context.Context, mcp.JSONRPCNotification) error

// ask sends a request of the server and waits for the client's answer, which may come on any of its
// connections. When ctx or life ends, it cancels the request.
func (p *peer) ask(ctx, life context.Context, send sender, method string,
	params json.RawMessage) (json.RawMessage, error) {
	id, answered := p.expect()
	defer p.forget(id)
	err := send(ctx, envelope(struct {
		Version string          `json:"jsonrpc"`
		ID      int64           `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{mcp.JSONRPC_VERSION, id, method, params}))
	if err != nil {
		return nil, fmt.Errorf("sending %s: %w", method, err)
	}
	select {
	case a := <-answered:
		if a.err != nil {
			return nil, fmt.Errorf("%s: %w", method, a.err)
		}
		return a.result, nil
	case <-ctx.Done():
	case <-life.Done(): // ctx need not descend from it
		ctx = life
	}
	cause := context.Cause(ctx)
	// not needed after the result
	_ = send(context.WithoutCancel(ctx), note(string(mcp.MethodNotificationCancelled), nil,
		map[string]any{"requestId": id, "reason": cause.Error()}))
	return nil, cause
}

func (p *peer) expect() (int64, <-chan clientAnswer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastAsked++
	answered := make(chan clientAnswer, 1) // the one that takes it from the map sends once
	p.asked[p.lastAsked] = answered
	return p.lastAsked, answered
}

func (p *peer) forget(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asked, id)
}

// answered gives the client's response to its asker. It reports whether there is one.
func (p *peer) answered(m *wire.Message) bool {
	var id int64
	if json.Unmarshal(wire.Number(m.ID), &id) != nil {
		return false
	}
	p.mu.Lock()
	waiting := p.asked[id]
	delete(p.asked, id)
	p.mu.Unlock()
	if waiting == nil {
		return false
	}
	a := clientAnswer{result: m.Result}
	if m.Error != nil {
		a.err = clientError(m.Error)
	}
	waiting <- a
	return true
}

// clientError decodes the error that a client answered.
func clientError(raw json.RawMessage) error {
	var e ClientError
	_ = json.Unmarshal(raw, &e.JSONRPCErrorDetails) // without a message it says nothing
	return &e
}

// RequestElicitation shows the question to the client's user.
func (c *call) RequestElicitation(ctx context.Context,
	request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	caps := c.GetClientCapabilities()
	able := hasForms(caps)
	if request.Params.Mode == mcp.ElicitationModeURL {
		able = caps.Elicitation != nil && caps.Elicitation.URL != nil
	}
	if !able {
		return nil, errCannotElicit
	}
	params, err := json.Marshal(request.Params)
	if err != nil {
		return nil, err
	}
	raw, err := c.peer.ask(ctx, c.ctx, c.send, string(mcp.MethodElicitationCreate), params)
	if err != nil {
		return nil, err
	}
	result := new(mcp.ElicitationResult)
	if err := json.Unmarshal(raw, result); err != nil {
		return nil, fmt.Errorf("reading the client's answer to the question: %w", err)
	}
	return result, nil
}

// errCannotElicit is returned by [Elicit] if the client shows no forms to its user.
var errCannotElicit = errors.New("the client shows no forms to its user")

// errStateless is returned by [Elicit] under 2026-07-28, where the server sends no requests: a tool
// returns [InputRequired] and is called again.
var errStateless = errors.New(
	"this version of the protocol has no questions of the server: return InputRequired")

// Stateless reports whether the request that ctx belongs to is one of 2026-07-28, which stands
// alone.
func Stateless(ctx context.Context) bool { return server.IsModernRequest(ctx) }

// CanElicit reports whether the client of the request that ctx belongs to shows forms to its user:
// by [Elicit], or under 2026-07-28 (see [Stateless]) by [InputRequired].
func CanElicit(ctx context.Context) bool {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.ClientCapabilities != nil && hasForms(*info.ClientCapabilities)
	}
	c := callOf(ctx)
	return c != nil && hasForms(c.GetClientCapabilities())
}

// hasForms reports whether the client has forms: "an empty capabilities object is equivalent to
// declaring support for form mode only".
func hasForms(caps mcp.ClientCapabilities) bool {
	e := caps.Elicitation
	return e != nil && (e.Form != nil || e.URL == nil)
}

// Elicit asks the client's user, on the stream of the request that ctx belongs to, and waits for
// the answer. When ctx ends first the client closes its dialog, and the error is ctx's cause.
func Elicit(ctx context.Context, question mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	c := callOf(ctx)
	switch {
	case Stateless(ctx):
		return nil, errStateless
	case c == nil:
		return nil, server.ErrNoActiveSession
	}
	if err := question.Validate(); err != nil {
		return nil, err
	}
	return c.RequestElicitation(ctx, mcp.ElicitationRequest{Params: question})
}

// InputRequired returns the result by which a tool asks under 2026-07-28: the client shows the
// question and calls the tool again with the same arguments, the state, and the answer, see
// [Answer]. The client can read and change the state. Clients of older versions are asked by mcp-go
// as by [Elicit].
func InputRequired(state, id string, question mcp.ElicitationParams) *mcp.CallToolResult {
	return server.NewInputRequestBuilder(state).Elicit(id, question).ToolResult()
}

// Answer returns the client's answer to the question with that id of an earlier [InputRequired], or
// nil if missing. Its content is not checked against the question's schema.
func Answer(request mcp.CallToolRequest, id string) *mcp.ElicitationResult {
	result := server.ElicitationResponse(request.Params.InputResponses, id)
	if result == nil {
		return nil
	}
	switch result.Action {
	case mcp.ElicitationResponseActionAccept, mcp.ElicitationResponseActionDecline,
		mcp.ElicitationResponseActionCancel:
		return result
	}
	return nil
}
