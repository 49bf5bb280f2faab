package tools

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/taploop/taploop/tools/result"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcptransport"
)

// tool is one MCP tool: what clients read of it, and what it does.
type tool struct {
	name, title string
	words       []string // the description, a line each
	params      []param
	output      json.RawMessage // JSON Schema of structuredContent
	hints       hints
	asks        bool // it shows a run's question to the client's user
	do          func(context.Context, *call) (*reply, error)
	failed      func(result.Failure) any // structuredContent of a call that cannot be carried out
}

// hints are promises that clients rely on when they decide whether to ask their user.
type hints struct{ readOnly, destructive, idempotent bool }

// call is one call of a tool, its arguments checked.
type call struct {
	request   mcp.CallToolRequest
	args      args
	principal string
	told      *told
	waits     Waits
	forms     bool // the client shows forms to its user
	switches  *Switches
	tongue    *tongue
	alone     bool // a request that stands alone: the server asks by its result
}

// budget is how long the call may wait.
func (c *call) budget() time.Duration {
	return c.waits.budget(c.args.seconds("wait_seconds"), c.told.token != nil)
}

// catalog is all tools, in the order in which a client meets them.
func (t *Tools) catalog() []tool {
	run, list, devices, shot := resultSchema(), sessionsSchema(), devicesSchema(), shotSchema()
	asRun := run.sameAs("ask_agent_start_new_task")
	ask := inquirySchema()
	failedAsk := func(f result.Failure) any { return result.Inquiry{Error: &f, Question: f.Open} }
	failedRun := func(f result.Failure) any { return result.Result{Error: &f, Question: f.Open} }
	return []tool{
		{name: "list_connected_devices", title: "List phones", words: devicesWords, output: devices,
			hints: hints{readOnly: true, idempotent: true}, do: t.listDevices,
			failed: func(f result.Failure) any { return result.Phones{Devices: []result.Phone{}, Error: &f} }},
		{name: "ask_agent_start_new_task", title: "Start a task on a phone", words: startWords, output: run.encode(),
			params: t.startParams(), hints: hints{destructive: true}, asks: true, do: t.start, failed: failedRun},
		{name: "ask_agent_continue", title: "Answer, or go on with a session", words: continueWords, output: asRun,
			params: t.continueParams(), hints: hints{destructive: true}, asks: true, do: t.goOn, failed: failedRun},
		{name: "ask_agent_wait", title: "Wait for a run", words: waitWords, output: asRun,
			params: waitParams(), hints: hints{idempotent: true}, asks: true, do: t.wait, failed: failedRun},
		{name: "ask_agent_stop", title: "Stop a run", words: stopWords, output: asRun,
			params: stopParams(), hints: hints{destructive: true, idempotent: true}, do: t.stop, failed: failedRun},
		{name: "ask_agent", title: "Start or continue (older name)", words: eitherWords, output: asRun,
			params: t.eitherParams(), hints: hints{destructive: true}, asks: true, do: t.either, failed: failedRun},
		{name: "list_sessions", title: "List sessions", words: sessionsWords, output: list,
			params: sessionsParams(), hints: hints{readOnly: true, idempotent: true}, do: t.listSessions,
			failed: func(f result.Failure) any { return result.Sessions{Sessions: []result.Session{}, Error: &f} }},
		{name: "get_screenshot", title: "Look at a phone", words: shotWords, output: shot,
			params: shotParams(), hints: hints{readOnly: true, idempotent: true}, do: t.screenshot,
			failed: func(f result.Failure) any { return result.Screenshot{Error: &f} }},
		{name: inquiryTool, asks: true, title: "Ask a person", words: inquiryWords, output: ask.encode(),
			params: inquiryParams(), hints: hints{}, do: t.sendInquiry, failed: failedAsk},
		{name: "list_pending_questions", title: "List open questions", words: pendingWords, output: pendingSchema(),
			params: pendingParams(), hints: hints{readOnly: true, idempotent: true}, do: t.listPending,
			failed: func(f result.Failure) any { return result.Pending{Questions: []*result.Question{}, Error: &f} }},
		{name: "answer_question", title: "Answer a question", words: answerWords, output: ask.sameAs("send_inquiry"),
			params: answerParams(), hints: hints{destructive: true, idempotent: true}, do: t.answerQuestion, failed: failedAsk},
	}
}

// declaration is the tool as tools/list gives it.
func (d tool) declaration() mcp.Tool {
	return mcp.Tool{
		Name: d.name, Title: d.title, Description: strings.Join(d.words, "\n"),
		RawInputSchema: schema(d.params), RawOutputSchema: d.output,
		Annotations: mcp.ToolAnnotation{
			Title: d.title, ReadOnlyHint: &d.hints.readOnly, DestructiveHint: &d.hints.destructive,
			IdempotentHint: &d.hints.idempotent, OpenWorldHint: mcp.ToBoolPtr(true), // a phone is in the world
		},
	}
}

// handler checks the arguments and calls the tool.
func (t *Tools) handler(d tool) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var token any
		if req.Params.Meta != nil {
			token = req.Params.Meta.ProgressToken
		}
		s := switchesOf(ctx)
		c := &call{request: req, principal: t.opts.Principal(ctx), waits: s.waits(t.waitsOf(ctx)), told: newTold(token, t.log),
			forms: mcptransport.CanElicit(ctx), alone: mcptransport.Stateless(ctx), switches: s, tongue: tongues["en"]}
		if s.tongue != nil {
			c.tongue = s.tongue
		}
		var r *reply
		var err error
		if err = t.check(s); err == nil {
			c.args, err = check(d.params, req.GetRawArguments())
		}
		if err == nil {
			switch {
			case d.asks && c.brings():
				r, err = t.brought(ctx, c)
			default:
				r, err = d.do(ctx, c)
			}
		}
		switch {
		case err == nil:
			return r.result()
		case ctx.Err() != nil: // nobody is there to read it
			return nil, context.Cause(ctx)
		}
		f := result.NewFailure(err)
		t.link(f.Open)
		t.log.InfoContext(ctx, "call refused", "tool", d.name, "code", f.Code, "err", err)
		r = &reply{body: d.failed(f), tail: mendLine(f), failed: true}
		return r.result()
	}
}
