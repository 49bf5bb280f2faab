package tools

import (
	"encoding/json"

	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// TaskSchemas are the JSON Schemas of what [Tools.Do] takes to start and steer runs, by the names
// of the tools, and of what it gives: Result. What a path names may be left out.
func (t *Tools) TaskSchemas() map[string]json.RawMessage {
	list := map[string]json.RawMessage{"Result": schema.JSON(result.Schema[result.Result]())}
	for _, name := range []string{startTool, goOnTool, messageTool} {
		input := *t.byName[name].wording().input
		if name == messageTool {
			input.Required = []string{"text"}
		}
		list[name] = schema.JSON(&input)
	}
	return list
}
