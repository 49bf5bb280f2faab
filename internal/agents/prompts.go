package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/text"
)

const (
	maxPrompts  = 100              // of a server that agents see
	promptsTime = 10 * time.Second // to list them
)

// listPrompts adds the prompts of the server as tools that return them. A server whose list cannot
// be read has none.
func (c *connection) listPrompts(ctx context.Context) {
	if c.client.GetServerCapabilities().Prompts == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, promptsTime)
	defer cancel()
	list, err := c.client.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		return
	}
	for _, p := range list.Prompts[:min(len(list.Prompts), maxPrompts)] {
		if p.Name == "" {
			continue
		}
		c.tools = append(c.tools, listedTool{Name: "prompt_" + p.Name, Schema: promptSchema(p),
			Prompt: p.Name, Description: "Returns the prompt " + text.Quote(p.Name, 200) +
				" of the server, which says how to do something. It changes nothing. " +
				p.Description})
	}
}

// promptSchema is the JSON Schema of a prompt's arguments, which are texts.
func promptSchema(p mcp.Prompt) json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for _, a := range p.Arguments {
		properties[a.Name] = map[string]any{"type": "string", "description": a.Description}
		if a.Required {
			required = append(required, a.Name)
		}
	}
	raw, err := json.Marshal(map[string]any{"type": "object", "properties": properties,
		"required": required})
	if err != nil {
		panic(err) // it is made of texts
	}
	return raw
}

// prompt returns a prompt of a server as text.
func (c *connection) prompt(ctx context.Context, name string, args json.RawMessage) (Result,
	error) {
	var given map[string]any
	var r mcp.GetPromptRequest
	r.Params.Name, r.Params.Arguments = name, map[string]string{}
	if err := json.Unmarshal(args, &given); err != nil {
		return failed("The arguments do not fit: %s", text.Line(err.Error())), nil
	}
	for key, value := range given {
		r.Params.Arguments[key] = fmt.Sprint(value)
	}
	got, err := c.client.GetPrompt(ctx, r)
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil:
		return failed("the prompt could not be read: %s", errorText(err)), nil
	}
	var all []string
	for _, m := range got.Messages {
		if t, is := m.Content.(mcp.TextContent); is {
			all = append(all, t.Text)
		}
	}
	return Result{Text: strings.Join(all, "\n\n")}, nil
}
