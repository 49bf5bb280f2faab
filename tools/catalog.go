package tools

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// descriptions are those of the tools and of their arguments. They are read by a model that has to
// choose and use a tool without any other help: when to use it, when not, what comes back, what to
// do next, how long ids live.
//
//go:embed descriptions/*.txt
var descriptions embed.FS

// Instructions are for the server's handshake: what a model should know before it reads any tool.
var Instructions = strings.TrimSpace(described("instructions"))

// The tools that others name.
const (
	startTool    = "ask_agent_start_new_task"
	continueTool = "ask_agent_continue"
	waitTool     = "ask_agent_wait"
	stopTool     = "ask_agent_stop"
	olderTool    = "ask_agent"
	goalTool     = "delegate_goal"

	sessionsTool = "list_sessions"
	pendingTool  = "list_pending_questions"
	inquiryTool  = "send_inquiry"
	answerTool   = "answer_question"
)

// catalog is all tools in the order in which a client meets them: a row for each, its handler last.
func catalog(e edge) []tool {
	readOnly := hints{readOnly: true, idempotent: true}
	acting := hints{destructive: true}
	var delegating []tool
	if e.opts.Goals {
		delegating = []tool{row(e.opts, tool{name: goalTool, title: "Delegate a goal",
			hints: acting, answers: aRun, retry: e.retry}, e.delegate)}
	}
	return append([]tool{
		row(e.opts, tool{name: phonesTool, title: "List phones", hints: readOnly,
			answers: allPhones}, e.phones),
		row(e.opts, tool{name: startTool, title: "Start a task on a phone", hints: acting,
			answers: aRun, retry: e.retry}, e.start),
		row(e.opts, tool{name: continueTool, title: "Answer, or go on with a session",
			hints: acting, answers: aRun, retry: e.retry}, e.resume),
		row(e.opts, tool{name: waitTool, title: "Wait for a run", hints: hints{idempotent: true},
			answers: aRun, retry: e.retry}, e.wait),
		row(e.opts, tool{name: stopTool, title: "Stop a run",
			hints:   hints{destructive: true, idempotent: true},
			answers: aRun}, e.stop),
		row(e.opts, tool{name: olderTool, title: "Start or continue (older name)", hints: acting,
			answers: aRun, retry: e.retry}, e.either),
		row(e.opts, tool{name: sessionsTool, title: "List sessions", hints: readOnly,
			answers: allSessions}, e.sessions),
		row(e.opts, tool{name: "get_screenshot", title: "Look at a phone", hints: readOnly,
			answers: aPicture}, e.screenshot),
		row(e.opts, tool{name: inquiryTool, title: "Ask a person", hints: hints{},
			answers: anInquiry, retry: e.retryInquiry}, e.inquire),
		row(e.opts, tool{name: pendingTool, title: "List open questions", hints: readOnly,
			answers: allQuestions}, e.pending),
		row(e.opts, tool{name: answerTool, title: "Answer a question",
			hints:   hints{destructive: true, idempotent: true},
			answers: anInquiry}, e.answer),
	}, delegating...)
}

// answers are what a tool answers: the schema of structuredContent, and the structure about a call
// that cannot be carried out.
type answers struct {
	output func() *schema.Schema
	failed func(result.Failure) any
}

var (
	aRun = answers{result.Schema[result.Result], func(f result.Failure) any {
		return result.Result{Error: &f, Question: f.Open, Next: f.Next}
	}}
	anInquiry = answers{result.Schema[result.Inquiry], func(f result.Failure) any {
		return result.Inquiry{Error: &f, Question: f.Open, Next: f.Next}
	}}
	aPicture = answers{result.Schema[result.Screenshot], func(f result.Failure) any {
		return result.Screenshot{Error: &f, Next: f.Next}
	}}
	allPhones = answers{result.Schema[result.Phones], func(f result.Failure) any {
		return result.Phones{Devices: []result.ListedPhone{}, Error: &f}
	}}
	allSessions = answers{result.Schema[result.Sessions], func(f result.Failure) any {
		return result.Sessions{Sessions: []result.Session{}, Error: &f}
	}}
	allQuestions = answers{result.Schema[result.Pending], func(f result.Failure) any {
		return result.Pending{Questions: []result.OpenQuestion{}, Error: &f, Next: f.Next}
	}}
)

// row is a tool with its description, the schema of its arguments, and its handler behind their
// check.
func row[A any](o *Options, d tool,
	handle func(context.Context, *call, A) (*toolResult, error)) tool {
	d.wording = sync.OnceValue(func() wording {
		description, input := argumentsOf[A](o, d.name)
		return wording{description, input, schema.Listed[A](input)}
	})
	d.call = func(ctx context.Context, c *call) (*toolResult, error) {
		args, err := read[A](d, c)
		switch {
		case err != nil:
			return nil, err
		case d.retry != nil && c.isRetry():
			return d.retry(ctx, c)
		}
		return handle(ctx, c, args)
	}
	return d
}

// argumentsOf is the description with this name, and the schema of its arguments.
func argumentsOf[A any](o *Options, name string) (string, *schema.Schema) {
	fill := placeholders(o)
	text, arguments, _ := strings.Cut(fill.Replace(described(name)), "\n\n")
	shared := schema.ParseWords(fill.Replace(described("shared")), nil)
	input := schema.For[A](argumentTypes(), schema.ParseWords(arguments, shared))
	for _, p := range input.Properties {
		if p.Default != nil {
			p.Default = json.RawMessage(fill.Replace(string(p.Default)))
		}
	}
	return strings.TrimSpace(text), input
}

// Requests are the schemas of what programs send over HTTP to start and steer runs. What a path
// names may be left out.
func (t *Tools) Requests() map[string]*schema.Schema {
	_, start := argumentsOf[usecase.Start](t.edge.opts, startTool)
	_, goOn := argumentsOf[usecase.Continue](t.edge.opts, continueTool)
	_, message := argumentsOf[usecase.Message](t.edge.opts, "ask_agent_message")
	message.Required = []string{"text"}
	return map[string]*schema.Schema{"Start": start, "Continue": goOn, "Message": message}
}

// argumentTypes are the types of arguments that have a schema of their own.
var argumentTypes = sync.OnceValue(func() schema.Types {
	types := schema.NewTypes()
	schema.AddEnum(types, result.States...)
	schema.AddEnum(types, result.FieldTypes...)
	schema.AddEnum(types, inquiry.Pause, inquiry.GoOn, inquiry.Default)
	schema.AddEnum(types, inquiry.TypeAnswer, inquiry.TypeDone, inquiry.TypeCouldNot,
		inquiry.TypeDelegate, inquiry.TypeTimeout)
	schema.AddEnum(types, inquiry.Scopes...)
	schema.AddEnum(types, agentloop.AsNote, agentloop.AsInstruction)
	schema.AddEnum(types, runs.Cancel, runs.Pause, runs.Takeover)
	schema.AddEnum(types, usecase.DetailSummary, usecase.DetailSteps,
		usecase.DetailPictures)
	schema.Add[usecase.Field](types, schema.ParseWords(described("field"), nil))
	schema.Add[usecase.Decision](types, schema.ParseWords(described("decision"), nil))
	return types
})

// placeholders stand in descriptions for what the server's configuration says.
func placeholders(o *Options) *strings.Replacer {
	most := ""
	if o.MaxSteps > 0 {
		most = fmt.Sprintf(" The server allows at most %d.", o.MaxSteps)
	}
	return strings.NewReplacer("{max_steps}", most, "{reply_mode}", string(o.ReplyMode),
		"{channels}", channel.Help())
}

func described(name string) string {
	b, err := descriptions.ReadFile("descriptions/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Schemas say how much the list of tools says. Every conversation pays for it, before anything is
// called.
type Schemas string

// The lists that there are.
const (
	SchemasBrief Schemas = "brief" // for models: the usual arguments
	// for programs: every argument with its bounds, and what comes back
	SchemasFull Schemas = "full"
)

// relist lists the tools as the connection wants them. It is a hook of mcp-go's: a filter would
// refuse calls of what is not listed.
func (t *Tools) relist(ctx context.Context, _ any, _ *mcp.ListToolsRequest,
	result *mcp.ListToolsResult) {
	o := connectionOptionsOf(ctx)
	how, gelab := cmp.Or(o.schemas, t.edge.opts.Schemas), t.servesGelab(o)
	result.Tools = nil
	for _, d := range t.list {
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

// declaration is the tool as tools/list gives it.
func (d tool) declaration(how Schemas) mcp.Tool {
	as := mcp.Tool{
		Name: d.name, Title: d.title, Description: d.wording().description,
		RawInputSchema: schema.JSON(d.inputs(how)),
		Annotations: mcp.ToolAnnotation{
			ReadOnlyHint: &d.hints.readOnly, DestructiveHint: &d.hints.destructive,
			IdempotentHint: &d.hints.idempotent,
			OpenWorldHint:  new(true), // a phone is in the world
		},
	}
	if how == SchemasFull {
		as.RawOutputSchema = schema.JSON(d.output())
	}
	return as
}

func (d tool) inputs(how Schemas) *schema.Schema {
	if how == SchemasFull {
		return d.wording().input
	}
	return d.wording().listed
}

// redescribe puts the connection's descriptions of the tool and of its arguments into as. An
// argument that is described is listed.
func (o *connectionOptions) redescribe(d tool, how Schemas, as *mcp.Tool) {
	own, changed := o.descriptions[d.name]
	if !changed {
		own = as.Description
	}
	input := d.inputs(how).CloneSchemas()
	for name, p := range d.wording().input.Properties {
		words := o.descriptions[d.name+"."+name]
		if words == "" {
			continue
		}
		if input.Properties[name] == nil {
			input.Properties[name] = p.CloneSchemas()
		}
		input.Properties[name].Description = words + " " + messagesIn(o.lang).ParamSafety
		changed = true
	}
	if changed {
		as.Description, as.RawInputSchema = own+"\n"+messagesIn(o.lang).Safety, schema.JSON(input)
	}
}
