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

// promptsTime is how long the prompts of a server may take to be listed.
const promptsTime = 10 * time.Second

// listPrompts adds the prompts of the server to its tools. A server whose list cannot be read has
// those that were read.
func (c *connection) listPrompts(ctx context.Context) {
	if c.client.GetServerCapabilities().Prompts == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, promptsTime)
	defer cancel()
	_, _ = c.client.ListPrompts(ctx, mcp.ListPromptsRequest{}) // wire keeps them
}

// asPrompt makes t, which has a prompt's name and description, a tool that returns the prompt. Its
// arguments are texts.
func (t *listedTool) asPrompt(arguments json.RawMessage) {
	var all []json.RawMessage
	_ = json.Unmarshal(arguments, &all) // a prompt without arguments
	properties, required := map[string]any{}, []string{}
	for _, a := range all {
		name := word(a, "name")
		if name == "" {
			continue
		}
		properties[name] = map[string]any{"type": "string", "description": word(a, "description")}
		if string(member(a, "required")) == "true" {
			required = append(required, name)
		}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties,
		"required": required})
	if err != nil {
		panic(err) // it is made of texts
	}
	*t = listedTool{Name: "prompt_" + t.Name, Schema: schema, Prompt: t.Name,
		Description: "Returns the prompt " + text.Quote(t.Name, 200) +
			" of the server, which says how to do something. It changes nothing. " + t.Description}
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
	return Result{Text: got.Description}, nil // wire has put them there
}

// promptText returns a prompt with the texts of its messages as its description.
func promptText(raw json.RawMessage) (json.RawMessage, error) {
	var messages []json.RawMessage
	if err := json.Unmarshal(member(raw, "messages"), &messages); err != nil {
		return nil, fmt.Errorf("its messages cannot be read: %w", err)
	}
	var all []string
	for _, m := range messages {
		content := member(m, "content")
		parts := []json.RawMessage{content}
		if list := []json.RawMessage(nil); json.Unmarshal(content, &list) == nil {
			parts = list
		}
		for _, part := range parts {
			if said := asText(part); said != "" {
				all = append(all, said)
			}
		}
	}
	return json.Marshal(mcp.GetPromptResult{Description: strings.Join(all, "\n\n")})
}
