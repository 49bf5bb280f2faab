package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// Tools are the MCP tools. They are safe for concurrent use.
type Tools struct {
	opts        Options
	list        []tool // in the order in which a client meets them
	byName      map[string]tool
	subscribers subscribers
}

// New makes the tools.
func New(opts *Options) *Tools {
	t := &Tools{opts: *opts, byName: map[string]tool{}}
	if t.opts.Principal == nil {
		t.opts.Principal = transport.Principal
	}
	if t.opts.ReplyMode == "" {
		t.opts.ReplyMode = channel.PassToClient
	}
	if t.opts.Log == nil {
		t.opts.Log = slog.New(slog.DiscardHandler)
	}
	t.list = catalog(&t.opts)
	for _, d := range t.list {
		t.byName[d.name] = d
	}
	return t
}

// Register adds the tools to a server, and the prompts and resources. It knows the tools' names
// only; what a list of them says is made for each list, see relist.
func (t *Tools) Register(s *server.MCPServer) {
	server.WithHooks(&server.Hooks{
		OnAfterListTools:     []server.OnAfterListToolsFunc{t.relist},
		OnAfterListResources: []server.OnAfterListResourcesFunc{resources{&t.opts}.list},
		OnRegisterSession:    []server.OnRegisterSessionHookFunc{t.enter},
		OnUnregisterSession:  []server.OnUnregisterSessionHookFunc{t.leave},
	})(s)
	for _, d := range t.list {
		if d.unlisted {
			continue
		}
		s.AddTool(mcp.Tool{Name: d.name}, t.handler(d))
	}
	t.addPrompts(s)
	t.addResources(s)
	c := completer{&t.opts}
	server.WithCompletions()(s)
	server.WithPromptCompletionProvider(c)(s)
	server.WithResourceCompletionProvider(c)(s)
}

// tool is one MCP tool: what clients read of it, and what it does.
type tool struct {
	name, title string
	wording     func() wording // made when it is first asked for
	answers
	hints    hints
	unlisted bool // for [Tools.Do] only
	call     func(context.Context, *call) (*toolResult, error)
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

// call is one call of a tool.
type call struct {
	request   mcp.CallToolRequest
	given     map[string]bool // the arguments that were passed
	arguments []byte          // all as they were read, as JSON
	principal string
	session   string // that the call is about, once it is known to be the caller's; or ""
	progress  *progressReporter
	waits     Waits
	forms     bool   // the client shows forms to its user
	stateless bool   // a request that stands alone: the server asks by its result
	version   string // of the protocol; "" when it is not known
	gelab     bool   // the client was written for gelab-zero's server
	options   *connectionOptions
	messages  *messages
	by        *runs.Actor // who calls from elsewhere than MCP; nil over MCP
	names     naming      // see [Caller]; nil over MCP
}

func (t *Tools) newCall(ctx context.Context, req mcp.CallToolRequest) *call {
	var token any
	if req.Params.Meta != nil {
		token = req.Params.Meta.ProgressToken
	}
	o := connectionOptionsOf(ctx)
	c := &call{
		request:   req,
		principal: t.opts.Principal(ctx),
		progress:  newProgressReporter(token, t.opts.Log),
		waits:     o.tighten(t.opts.waitsOf(transport.ClientName(ctx), token != nil)),
		forms:     transport.CanElicit(ctx),
		stateless: transport.Stateless(ctx),
		version:   server.RequestProtocolVersion(ctx),
		gelab:     t.servesGelab(o),
		options:   o,
		messages:  messagesIn(o.lang),
	}
	if c.gelab { // whose clients block until the task has ended
		c.waits.Default = c.most()
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
	if err == nil {
		return r, nil
	}
	if ctx.Err() != nil { // there is no reader any more
		return nil, context.Cause(ctx)
	}
	f := result.NewFailure(err)
	t.opts.reach(f.Open)
	t.guide(ctx, c, d, err, &f)
	t.opts.Log.InfoContext(ctx, "call refused", "tool", d.name, "code", f.Code, "err", err)
	said := func() string { return refused(f, c.messages) }
	return &toolResult{body: d.failed(f), text: said, code: f.Code}, nil
}

// read reads the call's arguments into those of the tool.
func read[T any](d tool, c *call) (args T, err error) {
	c.given, err = schema.Read(d.wording().input, c.request.GetRawArguments(), &args)
	if err != nil {
		return args, runs.Coded(runs.InvalidArgument, err)
	}
	if other, is := any(&args).(forGelab); is && c.gelab {
		other.forGelab()
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

// actor is the caller, for the audit.
func (c *call) actor() runs.Actor {
	if c.by != nil {
		return *c.by
	}
	return runs.Actor{Channel: inquiry.ChannelMCP, Authority: inquiry.AuthorityClientModel,
		Name: c.principal}
}

func invalid(hint, format string, a ...any) error {
	return runs.Refuse(runs.InvalidArgument, hint, format, a...)
}
