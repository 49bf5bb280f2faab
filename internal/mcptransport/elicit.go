package mcptransport

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// ErrCannotElicit is what [Elicit] gives when the client shows no forms to its user.
var ErrCannotElicit = errors.New("the client shows no forms to its user")

// ErrStateless is what [Elicit] gives under 2026-07-28, where the server asks nothing: a tool
// returns [InputRequired] and is called again.
var ErrStateless = errors.New(
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

func hasURLs(caps mcp.ClientCapabilities) bool {
	return caps.Elicitation != nil && caps.Elicitation.URL != nil
}

// Elicit asks the client's user, on the stream of the request that ctx belongs to, and waits for
// the answer. When ctx ends first the client closes its dialog, and the error is ctx's cause.
func Elicit(ctx context.Context, question mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	c := callOf(ctx)
	switch {
	case Stateless(ctx):
		return nil, ErrStateless
	case c == nil:
		return nil, server.ErrNoActiveSession
	}
	if err := question.Validate(); err != nil {
		return nil, err
	}
	return c.RequestElicitation(ctx, mcp.ElicitationRequest{Params: question})
}

// InputRequired is the result by which a tool asks under 2026-07-28: the client shows the question
// and calls the tool again with the same arguments, state, and the answer below id, see [Answer].
// State comes back through the client, which can read and change it. Clients of older versions are
// asked by mcp-go as by [Elicit] when a tool returns it.
func InputRequired(state, id string, question mcp.ElicitationParams) *mcp.CallToolResult {
	return server.NewInputRequestBuilder(state).Elicit(id, question).ToolResult()
}

// Answer is what the client brings to the question with that id of an earlier [InputRequired], nil
// when it brings nothing that is one. What it accepts is not checked against the question's schema.
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
