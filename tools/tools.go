package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// Tools are the MCP tools. They are safe for concurrent use.
type Tools struct {
	edge        edge
	list        []tool // in the order in which a client meets them
	byName      map[string]tool
	subscribers subscribers
}

// New makes the tools.
func New(opts *Options) *Tools {
	o := *opts
	if o.Principal == nil {
		o.Principal = transport.Principal
	}
	o.Options = usecase.Complete(o.Options)
	t := &Tools{edge: edge{opts: &o, cases: usecase.New(&o.Options)}, byName: map[string]tool{}}
	t.list = catalog(t.edge)
	for _, d := range t.list {
		t.byName[d.name] = d
	}
	return t
}

// Cases are the use cases that the tools call.
func (t *Tools) Cases() *usecase.Cases { return t.edge.cases }

// Register adds the tools to a server, and the prompts and resources. It knows the tools' names
// only; what a list of them says is made for each list, see relist.
func (t *Tools) Register(s *server.MCPServer) {
	server.WithHooks(&server.Hooks{
		OnAfterListTools:     []server.OnAfterListToolsFunc{t.relist},
		OnAfterListResources: []server.OnAfterListResourcesFunc{resources{t.edge.opts}.list},
		OnRegisterSession:    []server.OnRegisterSessionHookFunc{t.enter},
		OnUnregisterSession:  []server.OnUnregisterSessionHookFunc{t.leave},
	})(s)
	for _, d := range t.list {
		s.AddTool(mcp.Tool{Name: d.name}, t.handler(d))
	}
	t.addPrompts(s)
	t.addResources(s)
	c := completer{t.edge.opts}
	server.WithCompletions()(s)
	server.WithPromptCompletionProvider(c)(s)
	server.WithResourceCompletionProvider(c)(s)
}

// tool is one MCP tool: what clients read of it, and what it does.
type tool struct {
	name, title string
	wording     func() wording // made when it is first asked for
	answers
	hints hints
	call  func(context.Context, *call) (*toolResult, error)
	// of a call that brings an answer; nil when it asks nothing
	retry func(context.Context, *call) (*toolResult, error)
}

// wording is what a model reads of a tool, and how its arguments are checked.
type wording struct {
	description string
	input       *schema.Schema // of the arguments
	listed      *schema.Schema // the same as a model reads it
}

// hints are promises that clients rely on when they decide whether to ask their user.
type hints struct{ readOnly, destructive, idempotent bool }

// edge is what every handler has: the use cases, and what the server says of itself.
type edge struct {
	cases *usecase.Cases
	opts  *Options
}

// call is one call of a tool.
type call struct {
	request   mcp.CallToolRequest
	given     map[string]bool // the arguments that were passed
	arguments []byte          // all as they were read, as JSON
	who       *usecase.Call
	stateless bool   // a request that stands alone: the server asks by its result
	version   string // of the protocol; "" when it is not known
	gelab     bool   // the client was written for gelab-zero's server
	options   *connectionOptions
	messages  *messages
}

func (t *Tools) newCall(ctx context.Context, req mcp.CallToolRequest) *call {
	var token any
	if req.Params.Meta != nil {
		token = req.Params.Meta.ProgressToken
	}
	o := connectionOptionsOf(ctx)
	waits := o.tighten(waitsOf(t.edge.opts, transport.ClientName(ctx), token != nil))
	principal := t.edge.opts.Principal(ctx)
	c := &call{
		request: req,
		who: &usecase.Call{Client: principal, Mode: o.mode, Usual: waits.Default,
			Most: waits.Most(token != nil),
			By: runs.Actor{Channel: inquiry.ChannelMCP, Authority: inquiry.AuthorityClientModel,
				Name: principal}},
		stateless: transport.Stateless(ctx),
		version:   server.RequestProtocolVersion(ctx),
		gelab:     t.servesGelab(o),
		options:   o,
		messages:  messagesIn(o.lang),
	}
	if token != nil {
		p := &progress{edge: t.edge, token: token, value: -1}
		c.who.Report = &usecase.Reporter{Send: p.send, Heartbeat: waits.Heartbeat}
	}
	if transport.CanElicit(ctx) {
		c.who.Forms = &forms{t.edge, c}
	}
	if c.gelab { // whose clients block until the task has ended
		c.who.Usual = c.who.Most
	}
	return c
}

// handler calls the tool, and shows what goes wrong as its result.
func (t *Tools) handler(d tool) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := t.newCall(ctx, req)
		r, err := t.carryOut(ctx, c, d)
		if err != nil {
			return nil, err
		}
		return c.sent(r)
	}
}

// carryOut carries the call out. What goes wrong is in the reply, too; an error says that nobody
// waits for it any more.
func (t *Tools) carryOut(ctx context.Context, c *call, d tool) (r *toolResult, err error) {
	if err = t.check(c.options); err == nil {
		r, err = d.call(ctx, c)
	}
	if form, is := errors.AsType[*formNeeded](err); is {
		return &toolResult{form: form.result}, nil
	}
	if err == nil {
		return r, nil
	}
	if ctx.Err() != nil { // there is no reader any more
		return nil, context.Cause(ctx)
	}
	f := result.NewFailure(err)
	t.edge.reach(f.Open)
	takes := d.wording().input.Properties
	f.Guide(t.edge.cases.After(ctx, c.who, err, takes["queue"] != nil,
		takes["supersede"] != nil && !c.given["supersede"]), c.name)
	t.edge.opts.Log.InfoContext(ctx, "call refused", "tool", d.name, "code", f.Code, "err", err)
	said := func() string { return refused(f, c.messages) }
	return &toolResult{body: d.failed(f), text: said, code: f.Code}, nil
}

// read reads the call's arguments into those of the tool.
func read[T any](d tool, c *call) (args T, err error) {
	c.given, err = schema.Read(d.wording().input, c.request.GetRawArguments(), &args)
	if err != nil {
		return args, runs.Coded(runs.InvalidArgument, err)
	}
	if c.gelab {
		forGelab(&args)
	}
	c.arguments = []byte(quote(args))
	return args, nil
}

// canonical are the arguments as they were read.
func (c *call) canonical() map[string]any {
	arguments := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(c.arguments))
	d.UseNumber()
	if err := d.Decode(&arguments); err != nil {
		panic(fmt.Sprintf("decoding arguments of ours: %v", err))
	}
	return arguments
}

func invalid(hint, format string, a ...any) error {
	return runs.Refuse(runs.InvalidArgument, hint, format, a...)
}
