package mcptransport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// answer is what the client answered to a request of the server.
type answer struct {
	result json.RawMessage
	err    error
}

// ask sends a request of the server on the stream of this call and waits for the client's answer,
// which may come on any of its connections. When ctx ends first the client hears
// that it is not waited for any more.
func (c *call) ask(ctx context.Context, method mcp.MCPMethod, params, result any) error {
	return c.peer.ask(ctx, c.ctx, c.send, method, params, result)
}

// sender sends a message on some stream.
type sender func(context.Context, mcp.JSONRPCNotification) error

// ask sends a request of the server and waits for the client's answer, until ctx or life ends.
func (p *peer) ask(ctx, life context.Context, send sender, method mcp.MCPMethod,
	params, result any) error {
	id, answered := p.expect()
	defer p.forget(id)
	err := send(ctx, envelope(struct {
		Version string        `json:"jsonrpc"`
		ID      int64         `json:"id"`
		Method  mcp.MCPMethod `json:"method"`
		Params  any           `json:"params,omitempty"`
	}{mcp.JSONRPC_VERSION, id, method, params}))
	if err != nil {
		return fmt.Errorf("sending %s: %w", method, err)
	}
	select {
	case a := <-answered:
		if a.err != nil {
			return fmt.Errorf("%s: %w", method, a.err)
		}
		if err := json.Unmarshal(a.result, result); err != nil {
			return fmt.Errorf("%s: reading the client's answer: %w", method, err)
		}
		return nil
	case <-ctx.Done():
		return withdraw(ctx, send, id)
	case <-life.Done(): // ctx need not descend from it
		return withdraw(life, send, id)
	}
}

// withdraw tells the client that the request id is not waited for any more, and returns why.
func withdraw(ctx context.Context, send sender, id int64) error {
	cause := context.Cause(ctx)
	// not needed after the result
	_ = send(context.WithoutCancel(ctx), mcp.JSONRPCNotification{
		JSONRPC: mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{
			Method: string(mcp.MethodNotificationCancelled),
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": id,
				"reason": cause.Error()}},
		},
	})
	return cause
}

func (p *peer) expect() (int64, <-chan answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastAsked++
	answered := make(chan answer, 1) // the one that takes it from the map sends once
	p.asked[p.lastAsked] = answered
	return p.lastAsked, answered
}

func (p *peer) forget(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asked, id)
}

// answered hands the client's response to its asker. It reports whether somebody waits for it.
func (p *peer) answered(m *message) bool {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return false
	}
	p.mu.Lock()
	waiting := p.asked[id]
	delete(p.asked, id)
	p.mu.Unlock()
	if waiting == nil {
		return false
	}
	a := answer{result: m.Result}
	if m.Error != nil {
		a.err = clientError(m.Error)
	}
	waiting <- a
	return true
}

// clientError is what the client answered instead of a result.
func clientError(raw json.RawMessage) error {
	var e ClientError
	_ = json.Unmarshal(raw, &e.JSONRPCErrorDetails) // without a message it says nothing
	return &e
}

// RequestElicitation shows the question to the client's user.
func (c *call) RequestElicitation(ctx context.Context,
	request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	able := hasForms
	if request.Params.Mode == mcp.ElicitationModeURL {
		able = hasURLs
	}
	if !able(c.GetClientCapabilities()) {
		return nil, ErrCannotElicit
	}
	var result mcp.ElicitationResult
	if err := c.ask(ctx, mcp.MethodElicitationCreate, request.Params, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// RequestSampling asks the client's model.
func (c *call) RequestSampling(ctx context.Context,
	request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	if c.GetClientCapabilities().Sampling == nil {
		return nil, errors.New("the client lends its model to no server")
	}
	var result mcp.CreateMessageResult
	if err := c.ask(ctx, mcp.MethodSamplingCreateMessage, request.CreateMessageParams,
		&result); err != nil {
		return nil, err
	}
	content, err := mcp.ParseSamplingContent(result.Content)
	if err != nil {
		return nil, fmt.Errorf("reading the client's sample: %w", err)
	}
	result.Content = content
	return &result, nil
}
