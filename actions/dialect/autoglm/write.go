package autoglm

import (
	"encoding/json"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

// Write writes as the models of the family do.
func Write(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	call := ""
	if c, is := d.Action.(actions.Complete); is {
		call = `finish(message=` + dialect.AsJSON(c.Report)
	} else {
		form, args := forms.Write(d.Action)
		if form == nil {
			return actions.Reply{}, false
		}
		call = `do(action="` + form.Name + `"`
		for _, a := range args {
			call += ", " + a.Name + "=" + written(a.Value, s)
		}
	}
	text := "<think>" + d.Thought + "</think><answer>" + call + ")</answer>"
	return actions.Reply{Text: text}, true
}

func written(value any, s dialect.Scale) string {
	switch v := value.(type) {
	case screen.Point:
		x, y := s.Numbers(v)
		return "[" + x + ", " + y + "]"
	case json.Number:
		return `"` + v.String() + ` seconds"`
	}
	return dialect.AsJSON(value)
}
