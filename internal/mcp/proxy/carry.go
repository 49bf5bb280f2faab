package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// execute carries out the decision of a person.
func (g *gate) execute(ctx context.Context, l *link, c *toolCall, q inquiry.Question) (
	*message, error) {
	switch q.Status {
	case inquiry.Answered:
	case inquiry.Withdrawn:
		return errorResult(c.m, "not carried out: the question was taken back"), nil
	case inquiry.Refused:
		return errorResult(c.m, "refused by the other side"), nil
	default:
		return errorResult(c.m, "no answer in time: nobody decided, "+
			"and nothing was carried out"), nil
	}
	d := c.decision(q)
	switch d.Type {
	case inquiry.Approve:
		return g.pass(ctx, l, c, c.approvalKey(), "")
	case inquiry.Edit:
		return g.edited(ctx, l, c, d)
	case inquiry.Respond:
		// words cannot be a result that has a schema
		return textResult(c.m, d.Message, c.tool.result), nil
	}
	said := "refused by the other side"
	if d.Message != "" {
		said += ": " + d.Message
	}
	return errorResult(c.m, said), nil
}

// edited passes another call on in the place of c, and says so in its result.
func (g *gate) edited(ctx context.Context, l *link, c *toolCall, d inquiry.Decision) (
	*message, error) {
	now, why, err := g.inPlace(ctx, l, c, cmp.Or(d.EditedAction, &inquiry.EditedAction{}))
	if err != nil || why != "" {
		return errorResult(c.m, "refused by the other side: another call was put in its place, "+
			"which cannot be carried out: "+why), err
	}
	return g.pass(ctx, l, now, c.approvalKey(), string(now.m.Param("arguments")))
}

// inPlace returns the call that a person has put in the place of c, or why that cannot be carried
// out: the rules hold for it as for any call, also when only the arguments are others.
func (g *gate) inPlace(ctx context.Context, l *link, c *toolCall, e *inquiry.EditedAction) (
	now *toolCall, why string, err error) {
	args, err := text.Marshal(e.Args)
	if err != nil {
		return nil, "", err
	}
	m, err := with(c.m, map[string]json.RawMessage{"name": wire.Encode(e.Name), "arguments": args})
	if err != nil {
		return nil, "", err
	}
	if now, err = readCall(g.opts, c.client, m); err != nil {
		return nil, "", err
	}
	if now.tool, err = l.tool(ctx, m, now.name, false); err != nil {
		return nil, "", err
	}
	if now.tool.schema == nil {
		return nil, "there is no tool " + text.Quote(now.name, 100), nil
	}
	if err := inquiry.CheckArgs(now.tool.schema, e.Args); err != nil {
		return nil, text.Line(err.Error()), nil
	}
	if !g.replaces(c, now) {
		return nil, "it needs a decision about itself", nil
	}
	return now, now.disguised(), nil
}

// continueRound makes an approved call again, with the answers to the questions of its server.
func (g *gate) continueRound(ctx context.Context, l *link, c *toolCall, r round) (*message, error) {
	m, err := with(r.call.m, map[string]json.RawMessage{"_meta": c.m.Param("_meta"),
		"inputResponses": c.answers, "requestState": r.state})
	if err != nil {
		return nil, err
	}
	m.ID = c.m.ID
	r.call.m = m
	return g.pass(ctx, l, r.call, r.bound, r.edited)
}

// pass passes an approved call on. If its server asks for more, the call gets a [round] of the call
// that was approved, which is bound to it.
func (g *gate) pass(ctx context.Context, l *link, c *toolCall, bound, edited string) (
	*message, error) {
	resp, err := l.request(ctx, c.withHeaders(c.m))
	if err != nil || resp.Error != nil {
		return resp, err
	}
	if wire.Text(wire.At(resp.Result, "resultType")) != string(mcp.ResultTypeInputRequired) {
		return withNote(c, resp, edited), nil
	}
	token, ok := g.rounds.put(round{bound: bound, call: c, edited: edited,
		state: wire.At(resp.Result, "requestState"), until: time.Now().Add(g.opts.Expires)})
	if ok {
		resp.Result = wire.With(resp.Result, wire.Encode(roundState+token), "requestState")
	}
	return resp, nil
}

// withNote adds to a response the arguments of the call, if a person has changed them.
func withNote(c *toolCall, resp *message, args string) *message {
	if args == "" {
		return resp
	}
	var content []json.RawMessage
	if json.Unmarshal(wire.At(resp.Result, "content"), &content) == nil {
		note := wire.Encode(object{"type": "text",
			"text": inquiry.ChangedNote + c.name + " " + args})
		content = slices.Insert(content, 0, note)
		resp.Result = wire.With(resp.Result, wire.Encode(content), "content")
	}
	return resp
}
