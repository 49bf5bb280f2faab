package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/text"
)

// promptsTime is how long the prompts of a server may take to be listed.
const promptsTime = 10 * time.Second

// listPrompts adds the prompts of the server to its tools. A server whose list cannot be read has
// the ones that were read.
func (c *connection) listPrompts(ctx context.Context) {
	if c.client.GetServerCapabilities().Prompts == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, promptsTime)
	defer cancel()
	_, _ = c.client.ListPrompts(ctx, mcp.ListPromptsRequest{}) // wire keeps them
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
