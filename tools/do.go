package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// Caller is who calls a tool from elsewhere than over MCP.
type Caller struct {
	Client string     // whom sessions belong to
	By     runs.Actor // for the audit, and whose answers are
	// is given what happens while the call waits, in order and never after it; nil wants nothing.
	// An error is only logged: who listens no longer ends the call's context.
	Progress func(context.Context, Progress) error
	// Names says what the call of a tool is where the caller is, for results that name one; nil
	// leaves it as it is over MCP.
	Names naming
}

type naming = func(tool string, arguments map[string]any) (call string, with map[string]any)

// Progress is what happens while a call waits.
type Progress struct {
	Step, Of int            // steps taken in this call, and the most that it may take; 0 is unknown
	Message  string         // in words
	Meta     map[string]any // of a question, as in the _meta of MCP's progress; else nil
}

// CallOutcome is what came of a call.
type CallOutcome struct {
	Body     json.RawMessage // what is structuredContent over MCP
	Text     string          // the same in words
	Code     string          // why the call could not be carried out; "" when it was
	Replayed bool            // it had been carried out before, under its key
}

// Do calls a tool as a client does over MCP, with arguments as JSON. ask_agent_message, which says
// something to a run without stopping it, can only be called here. An error says that ctx has
// ended, or that there is no such tool.
func (t *Tools) Do(ctx context.Context, who Caller, name string, arguments json.RawMessage) (
	CallOutcome, error) {
	d, known := t.byName[name]
	if !known {
		return CallOutcome{}, fmt.Errorf("there is no tool %q", name)
	}
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = name, arguments
	c := t.newCall(ctx, req)
	c.principal, c.by = who.Client, &who.By
	c.gelab, c.names = false, who.Names
	if who.Progress != nil {
		c.progress = newProgressReporter(name, t.opts.Log)
		c.progress.send = who.Progress
		c.waits = t.opts.waitsOf("", true)
	}
	r, err := t.carryOut(ctx, c, d)
	if err != nil {
		return CallOutcome{}, err
	}
	out := CallOutcome{Text: r.text(), Code: r.code}
	if out.Body, err = json.Marshal(r.body); err != nil {
		return CallOutcome{}, fmt.Errorf("encoding the result: %w", err)
	}
	var said struct {
		Replayed bool `json:"replayed"`
	}
	err = json.Unmarshal(out.Body, &said)
	out.Replayed = said.Replayed
	return out, err
}

// TaskSchemas are the JSON Schemas of what [Tools.Do] takes to start and steer runs, by the names
// of the tools, and of what it gives: Result. What a path names may be left out.
func (t *Tools) TaskSchemas() map[string]json.RawMessage {
	list := map[string]json.RawMessage{"Result": schema.JSON(result.Schema[result.Result]())}
	for _, name := range []string{startTool, continueTool, messageTool} {
		input := *t.byName[name].wording().input
		if name == messageTool {
			input.Required = []string{"text"}
		}
		list[name] = schema.JSON(&input)
	}
	return list
}
