package proxy

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// formID names the form among the inputs that a result asks for.
const formID = "decision"

// maxShown is how many characters of the arguments a form shows.
const maxShown = 8000

// form returns the question for a client to show. It offers approval only if all of the arguments
// are shown.
func form(q inquiry.Question) mcp.ElicitationParams {
	approval := inquiry.As[inquiry.Approval](q)
	r := approval.ActionRequests[0]
	args := text.Lines(string(wire.Encode(r.Args)))
	words := q.Text
	if approval.Reason != "" {
		words += "\n" + text.Cut(text.Lines(approval.Reason), 1000)
	}
	words += "\n\n" + text.Cut(args, maxShown)
	whole := text.Cut(args, maxShown) == args
	if !whole {
		words += "\n\nThese are not all of the arguments: the inbox page and the terminal show " +
			"them, and decide."
	}
	if r.Description != "" {
		words += "\n\n" + text.Cut(text.Lines(r.Description), 1000)
	}
	var choices []string
	for _, d := range approval.Allowed(0) {
		if d != inquiry.Edit && (whole || d != inquiry.Approve) {
			choices = append(choices, d)
		}
	}
	return mcp.ElicitationParams{Message: words, RequestedSchema: map[string]any{
		"type": "object", "required": []string{"decision"},
		"properties": map[string]any{
			"decision": map[string]any{"type": "string", "enum": choices},
			"message":  map[string]any{"type": "string", "title": "Why, or the answer instead"},
		}}}
}

// replyOf returns the reply that came in a form of the client, or false if missing. It has
// the authority of whoever can send it.
func replyOf(ctx context.Context, q inquiry.Question, answer *mcp.ElicitationResult) (
	r inquiry.Reply, ok bool) {
	if answer == nil {
		return r, false
	}
	r = inquiry.Reply{ID: "form of " + q.ID, Type: inquiry.TypeDecisions,
		Channel: inquiry.ChannelElicit, Authority: inquiry.AuthorityClientUI,
		By: transport.Principal(ctx)}
	if !transport.Person(ctx) {
		r.Authority = inquiry.AuthorityToken
	}
	values, _ := answer.Content.(map[string]any)
	words, _ := values["message"].(string)
	switch answer.Action {
	case mcp.ElicitationResponseActionAccept:
		decision, _ := values["decision"].(string)
		if decision == inquiry.Approve {
			words = ""
		}
		// an unknown decision is refused
		filled, _ := q.Say(inquiry.Said{Name: decision, Words: words})
		r.Decisions = filled.Decisions
	case mcp.ElicitationResponseActionDecline:
		r.Type, r.Response = inquiry.TypeDecline, words
	default:
		return r, false
	}
	return r, true
}

// inputRequired is the result of a call that asks the client to show the form. problem says what
// was wrong with an earlier answer.
func inputRequired(m *message, q inquiry.Question, problem string) *message {
	f := form(q)
	if problem != "" {
		f.Message = problem + "\n\n" + f.Message
	}
	return m.Response(transport.InputRequired(formState+q.ID, formID, f))
}
