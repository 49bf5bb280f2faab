package qwen

import (
	"encoding/json"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
)

// Write writes as the models of the family do, which neither empty nor submit a field, and have no
// answers to choose from.
func Write(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	place := func(p screen.Point) []json.Number {
		x, y := s.Numbers(p)
		return []json.Number{json.Number(x), json.Number(y)}
	}
	args := map[string]any{}
	can := true
	switch a := d.Action.(type) {
	case actions.Click:
		args = map[string]any{"action": "click", "coordinate": place(a.At)}
	case actions.DoubleClick:
		args = map[string]any{"action": "double_click", "coordinate": place(a.At)}
	case actions.LongPress:
		args = map[string]any{"action": "long_press", "coordinate": place(a.At),
			"time": a.Hold.Seconds()}
	case actions.Slide:
		args = map[string]any{"action": "swipe", "coordinate": place(a.From),
			"coordinate2": place(a.To), "time": a.Took.Seconds()}
	case actions.Scroll:
		finger := map[actions.Direction]string{actions.Down: "up", actions.Up: "down",
			actions.Left: "right", actions.Right: "left"}[a.Direction]
		args = map[string]any{"action": "swipe", "coordinate": place(a.At), "direction": finger}
	case actions.Drag:
		args = map[string]any{"action": "drag", "start_coordinate": place(a.From),
			"end_coordinate": place(a.To)}
	case actions.Type:
		can = a.At == nil && !a.Clear && !a.Submit
		args = map[string]any{"action": "type", "text": a.Text}
	case actions.Back:
		args = map[string]any{"action": "system_button", "button": "Back"}
	case actions.Home:
		args = map[string]any{"action": "system_button", "button": "Home"}
	case actions.Recents:
		args = map[string]any{"action": "system_button", "button": "Recents"}
	case actions.HotKey:
		args = map[string]any{"action": "key", "text": a.Key}
	case actions.OpenApp:
		args = map[string]any{"action": "open", "text": a.App}
	case actions.Wait:
		args = map[string]any{"action": "wait", "time": a.For.Seconds()}
	case actions.Info:
		can = a.Options == nil && a.Secret == nil && !a.ByHand
		args = map[string]any{"action": "ask_user", "text": a.Question}
	case actions.Complete:
		args = map[string]any{"action": "terminate", "status": "success", "text": a.Report}
	case actions.Abort:
		args = map[string]any{"action": "terminate", "status": "failure", "text": a.Reason}
	default:
		can = false
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(map[string]any{"name": "mobile_use", "arguments": args})
	return actions.Reply{Text: "<think>" + d.Thought + "</think>\nAction: " + d.Explain +
		"\n<tool_call>\n" + b.String() + "</tool_call>"}, can && err == nil
}
