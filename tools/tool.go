package tools

import (
	"context"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// tool is one MCP tool: what clients read of it, and what it does.
type tool struct {
	name, title string
	wording     func() wording // made when it is first asked for
	answers
	hints hints
	call  func(context.Context, *call) (*toolResult, error)
	// of a call that brings an answer, or nil if it asks nothing
	retry func(context.Context, *call) (*toolResult, error)
}

// hints are promises that clients rely on when they decide whether to ask their user.
type hints struct{ readOnly, destructive, idempotent bool }

// answers are what a tool answers: the schema of structuredContent, and the structure about a call
// that cannot be carried out.
type answers struct {
	output func() *schema.Schema
	failed func(result.Failure) any
}

var (
	aRun = answers{result.Schema[result.Result], func(f result.Failure) any {
		return &result.Result{Error: &f, Question: f.Open, Next: f.Next}
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
	allSkills = answers{result.Schema[result.Skills], func(f result.Failure) any {
		return result.Skills{Skills: []usecase.ListedSkill{}, Error: &f}
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
		return wording{description, input, func(wants func(string) bool) *schema.Schema {
			return schema.Listed[A](input, wants)
		}}
	})
	d.call = func(ctx context.Context, c *call) (*toolResult, error) {
		args, err := read[A](d, c)
		switch {
		case err != nil:
			return nil, err
		case d.retry != nil && (c.request.Params.RequestState != "" ||
			len(c.request.Params.InputResponses) > 0): // it brings the answer to a form
			return d.retry(ctx, c)
		}
		return handle(ctx, c, args)
	}
	return d
}

// read reads the call's arguments into those of the tool.
func read[T any](d tool, c *call) (args T, err error) {
	c.given, err = result.Read(d.wording().input, c.request.GetRawArguments(), &args)
	if err != nil {
		return args, err
	}
	if c.gelab {
		forGelab(&args)
	}
	c.arguments = []byte(quote(args))
	return args, nil
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
	if how.Has(string(SchemasFull)) {
		as.RawOutputSchema = schema.JSON(d.output())
	}
	return as
}

func (d tool) inputs(how Schemas) *schema.Schema {
	if how.Has(string(SchemasFull)) {
		return d.wording().input
	}
	return d.wording().listed(how.Has)
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
