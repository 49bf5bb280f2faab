package general

import (
	"encoding/json"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

// Write writes {"thought": ..., "action": {"type": ...}}.
func Write(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	name, action := written(d.Action, s)
	action["type"] = name
	b, err := json.Marshal(map[string]any{"thought": d.Thought, "action": action})
	return actions.Reply{Text: string(b)}, name != "" && err == nil
}

// WriteTools writes a native tool call behind a thought.
func WriteTools(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	name, arguments := written(d.Action, s)
	b, err := json.Marshal(arguments)
	return actions.Reply{Text: d.Thought, Calls: []actions.Call{{ID: "call_1", Name: name,
		Arguments: string(b)}}}, name != "" && err == nil
}

// written returns an action's name and its arguments. The name is "" if it has no form.
func written(a actions.Action, s dialect.Scale) (name string, arguments map[string]any) {
	arguments = map[string]any{}
	form, list := forms.Write(a)
	if form == nil {
		return "", arguments
	}
	for _, one := range list {
		p, is := one.Value.(screen.Point)
		if !is {
			arguments[one.Name] = one.Value
			continue
		}
		first, second := s.Numbers(p)
		if s.Coordinates.YFirst {
			first, second = second, first
		}
		x, y, _ := strings.Cut(one.Name, ",")
		arguments[x], arguments[y] = json.Number(first), json.Number(second)
	}
	return form.Name, arguments
}
