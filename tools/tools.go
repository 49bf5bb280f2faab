package tools

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// Tools are the MCP tools. They are safe for concurrent use.
type Tools struct {
	edge      edge
	list      []tool // in the order in which a client meets them
	byName    map[string]tool
	skills    skillTools
	resources *resources
}

// New makes the tools.
func New(opts *Options) *Tools {
	o := *opts
	if o.Principal == nil {
		o.Principal = transport.Principal
	}
	if o.Person == nil {
		o.Person = transport.Person
	}
	if o.Rights == nil {
		o.Rights = func(string) usecase.Rights { return usecase.Rights{} }
	}
	o.Options = usecase.Complete(o.Options)
	t := &Tools{edge: edge{opts: &o, cases: usecase.New(&o.Options)}, byName: map[string]tool{},
		resources: &resources{opts: &o}}
	t.list = catalog(t.edge)
	for _, d := range t.list {
		t.byName[d.name] = d
	}
	return t
}

// Cases are the use cases that the tools call.
func (t *Tools) Cases() *usecase.Cases { return t.edge.cases }

// Register adds the tools to a server, and the prompts and resources. It knows the tools' names
// only, because their descriptions are made for each list, see relist.
func (t *Tools) Register(s *server.MCPServer) {
	server.WithHooks(&server.Hooks{
		OnBeforeCallTool: []server.OnBeforeCallToolFunc{
			func(_ context.Context, _ any, r *mcp.CallToolRequest) {
				if s.GetTool(r.Params.Name) == nil {
					r.Params.Arguments = map[string]any{"tool": r.Params.Name}
					r.Params.Name = unknownTool
				}
			}},
		OnAfterListTools:     []server.OnAfterListToolsFunc{t.relist},
		OnAfterListResources: []server.OnAfterListResourcesFunc{t.resources.list},
		OnRegisterSession:    []server.OnRegisterSessionHookFunc{t.resources.enter},
		OnUnregisterSession:  []server.OnUnregisterSessionHookFunc{t.resources.leave},
	})(s)
	for _, d := range t.list {
		s.AddTool(mcp.Tool{Name: d.name}, t.handler(d))
	}
	s.AddTool(mcp.Tool{Name: unknownTool}, t.handler(t.unknown()))
	if t.edge.opts.SkillTools {
		t.skills.server = s
		t.skillTools()
	}
	addPrompts(s)
	t.resources.add(s)
	c := completer{t.edge.opts}
	server.WithCompletions()(s)
	server.WithPromptCompletionProvider(c)(s)
	server.WithResourceCompletionProvider(c)(s)
}

// Requests are the schemas of what programs send over HTTP to start and steer runs. What a path
// names may be left out.
func (t *Tools) Requests() map[string]*schema.Schema {
	_, start := argumentsOf[usecase.Start](t.edge.opts, startTool)
	_, goOn := argumentsOf[usecase.Continue](t.edge.opts, continueTool)
	_, message := argumentsOf[usecase.Message](t.edge.opts, "ask_agent_message")
	message.Required = []string{"text"}
	_, goal := argumentsOf[usecase.Delegate](t.edge.opts, goalTool)
	_, skill := argumentsOf[usecase.RunSkill](t.edge.opts, skillTool)
	return map[string]*schema.Schema{"Start": start, "Continue": goOn, "Message": message,
		"Delegate": goal, "RunSkill": skill}
}

// Show is how a run stands after a call, for callers that are not MCP clients; name words what they
// can do next. Pictures are not part of it.
func (t *Tools) Show(o *usecase.Outcome, name result.Namer) (result.Result, error) {
	body, err := t.edge.body(o, name, messagesIn("en"))
	if err != nil {
		return body, err
	}
	return body, result.FitAlone(&body, maxResult)
}

// Refuse is why a call of such a caller could not be carried out. takes says which arguments the
// call can be repeated with.
func (t *Tools) Refuse(err error, r usecase.Remedy, name result.Namer) result.Result {
	f := result.NewFailure(err)
	t.edge.reach(f.Open)
	f.SetNext(r, name)
	return result.Result{Error: &f, Question: f.Open, Next: f.Next}
}

// Changed says that something has happened in a run: the clients that see its session hear of the
// resources that have changed. It waits for no client, so a run may call it at each of its events.
func (t *Tools) Changed(ctx context.Context, e runs.Event) { t.resources.changed(ctx, e) }

// MaySubscribe says why the caller may not subscribe to a resource, nil when it may. It is for
// transport.Options.Subscribe.
func (t *Tools) MaySubscribe(ctx context.Context, uri string) error {
	return t.resources.maySubscribe(ctx, uri)
}

func (t *Tools) newCall(ctx context.Context, req mcp.CallToolRequest) *call {
	var token any
	if req.Params.Meta != nil {
		token = req.Params.Meta.ProgressToken
	}
	o := connectionOptionsOf(ctx)
	waits := o.tighten(waitsOf(t.edge.opts, transport.ClientName(ctx)))
	principal := t.edge.opts.Principal(ctx)
	c := &call{
		request: req,
		who: &usecase.Call{Client: principal, Rights: t.edge.opts.Rights(principal),
			Mode: o.mode, Usual: waits.Default, Most: waits.Most(token != nil),
			Begun: func() { transport.Begun(ctx) },
			By: runs.Actor{Channel: inquiry.ChannelMCP, Authority: inquiry.AuthorityClientModel,
				Name: principal}},
		person:    t.edge.opts.Person(ctx),
		stateless: transport.Stateless(ctx),
		version:   server.RequestProtocolVersion(ctx),
		gelab:     t.edge.servesGelab(o),
		schemas:   cmp.Or(o.schemas, t.edge.opts.Schemas),
		options:   o,
		messages:  messagesIn(o.lang),
	}
	if token != nil {
		p := &progress{edge: t.edge, token: token, value: -1}
		c.who.Report = &usecase.Reporter{Send: p.send, Heartbeat: waits.Heartbeat}
	}
	if transport.CanElicit(ctx) {
		c.who.Forms, c.who.Person = &forms{edge: t.edge, call: c}, c.person
	}
	if c.gelab {
		c.who.Most = untilLeft(t.edge.opts, o, transport.ClientName(ctx), c.who.Most)
		c.who.Usual = c.who.Most
	}
	return c
}

// handler calls the tool, and shows what goes wrong as its result.
func (t *Tools) handler(d tool) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := t.newCall(ctx, req)
		if d.hints.readOnly {
			transport.Begun(ctx)
		}
		r, err := t.carryOut(ctx, c, d)
		if err != nil {
			return nil, err
		}
		return c.sent(r)
	}
}

// carryOut carries the call out. Failures are in the reply, too. An error says that no client waits
// for it any more.
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
	f.SetNext(t.edge.cases.After(ctx, c.who, err, takes["queue"] != nil,
		takes["supersede"] != nil && !c.given["supersede"]), c.name)
	t.edge.opts.Log.InfoContext(ctx, "call refused", "tool", d.name, "code", f.Code, "err", err)
	said := func() string { return refused(f, c.messages) }
	return &toolResult{body: d.failed(f), text: said, code: f.Code}, nil
}

// check reports errors in the options, before any tool of the connection is called.
func (t *Tools) check(o *connectionOptions) error {
	if o.err != nil {
		return o.err
	}
	for name := range o.descriptions {
		of, argument, deeper := strings.Cut(name, ".")
		d, found := t.named(of)
		if !found {
			return badOption("desc", "use desc.TOOL or desc.TOOL.ARGUMENT with a tool's name",
				"there is no tool %s",
				text.Quote(of, 60))
		}
		if deeper && d.wording().input.Properties[argument] == nil {
			return badOption("desc", "it has the arguments "+schema.Names(d.wording().input),
				"%s has no argument %s", of,
				text.Quote(argument, 60))
		}
	}
	return nil
}

// named is the tool with this name, and whether there is one.
func (t *Tools) named(name string) (tool, bool) {
	all := slices.Concat(t.list, t.skillTools())
	if i := slices.IndexFunc(all, func(d tool) bool { return d.name == name }); i >= 0 {
		return all[i], true
	}
	return tool{}, false
}

// relist lists the tools as the connection wants them. It is a hook of mcp-go's: a filter would
// refuse calls of unlisted tools.
func (t *Tools) relist(ctx context.Context, _ any, _ *mcp.ListToolsRequest,
	result *mcp.ListToolsResult) {
	o := connectionOptionsOf(ctx)
	how, gelab := cmp.Or(o.schemas, t.edge.opts.Schemas), t.edge.servesGelab(o)
	result.Tools = nil
	for _, d := range slices.Concat(t.list, t.skillTools()) {
		unknown := gelab && !slices.Contains(gelabTools, d.name)
		if unknown || !gelab && d.name == olderTool {
			continue
		}
		as := d.declaration(how)
		if gelab && d.name == phonesTool {
			as.Description = "Lists the serials of the phones that can be used; pass one as " +
				"device_id."
			as.RawOutputSchema = schema.JSON(serialsSchema())
		}
		o.redescribe(d, how, &as)
		result.Tools = append(result.Tools, as)
	}
}

// unknownTool is called in place of a tool that there is not. No list has it.
const unknownTool = "unknown_tool"

// unknown says which tool was probably meant.
func (t *Tools) unknown() tool {
	d := tool{name: unknownTool, wording: t.list[0].wording, answers: aRun,
		hints: hints{readOnly: true}}
	d.call = func(_ context.Context, c *call) (*toolResult, error) {
		all := slices.Concat(t.list, t.skillTools())
		names := text.Each(all, func(d tool) string { return d.name })
		name, _ := c.request.GetArguments()["tool"].(string)
		return nil, runs.Refuse(runs.InvalidArgument, "call tools by the names in tools/list",
			"there is no tool %s; the nearest is %s", text.Quote(name, 60),
			cmp.Or(schema.Nearest(name, names), "none"))
	}
	return d
}
