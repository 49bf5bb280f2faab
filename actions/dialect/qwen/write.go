package qwen

import (
	"encoding/json"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

// Write writes as the models of the family do.
func Write(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	form, list := forms.Write(dialect.ByFinger(d.Action))
	if form == nil {
		return actions.Reply{}, false
	}
	args := map[string]any{"action": form.Name}
	for _, a := range list {
		args[a.Name] = a.Value
		if p, is := a.Value.(screen.Point); is {
			x, y := s.Numbers(p)
			args[a.Name] = []json.Number{json.Number(x), json.Number(y)}
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(map[string]any{"name": "mobile_use", "arguments": args})
	return actions.Reply{Text: "<think>" + d.Thought + "</think>\nAction: " + d.Explain +
		"\n<tool_call>\n" + b.String() + "</tool_call>"}, err == nil
}
