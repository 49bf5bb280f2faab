package tools

import (
	"cmp"
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/tools/schema"
)

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
	how, gelab := cmp.Or(o.schemas, t.opts.Schemas), t.servesGelab(o)
	result.Tools = nil
	for _, d := range t.list {
		unknown := gelab && !slices.Contains(gelabTools, d.name)
		if d.unlisted || unknown || !gelab && d.name == olderTool {
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
		input.Properties[name].Description = words + " " + languages[o.lang]().ParamSafety
		changed = true
	}
	if changed {
		as.Description, as.RawInputSchema = own+"\n"+languages[o.lang]().Safety, schema.JSON(input)
	}
}
