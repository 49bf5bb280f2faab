package qwen

import (
	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
)

const (
	atPlace = `, "coordinate": [x, y]`
	at      = "At=coordinate|coordinate1|point"
)

// forms are the actions. The models neither empty nor submit a field, and have no answers to choose
// from.
var forms = dialect.Forms{
	{Name: "click", Also: "tap", Want: `"action": "click"` + atPlace, Action: actions.Click{},
		Args: at},
	{Name: "long_press", Want: `"action": "long_press"` + atPlace + `, "time": 2`,
		Action: actions.LongPress{}, Args: at + " Hold?=time|duration"},
	{Name: "double_click", Want: `"action": "double_click"` + atPlace,
		Action: actions.DoubleClick{}, Args: at},
	{Name: "swipe", Want: `"action": "swipe"` + atPlace + `, "coordinate2": [x, y]`,
		Action: actions.Slide{},
		Args:   "From=coordinate To=coordinate2 Took?=time", Read: readSwipe},
	{Name: "swipe", Action: actions.Scroll{}, Args: "At=coordinate Direction=direction"},
	{Name: "drag",
		Want:   `"action": "drag", "start_coordinate": [x, y], "end_coordinate": [x, y]`,
		Action: actions.Drag{},
		Args:   "From=start_coordinate|coordinate To=end_coordinate|coordinate2"},
	{Name: "type", Want: `"action": "type", "text": "..."`, Action: actions.Type{},
		Args: "Text=text", Read: readType},
	{Name: "system_button", Want: `"action": "system_button", "button": "Back"`,
		Action: actions.Back{}, Args: "button:Back", Read: dialect.ReadKey},
	{Name: "system_button", Action: actions.Home{}, Args: "button:Home"},
	{Name: "system_button", Action: actions.Recents{}, Args: "button:Recents"},
	{Name: "key", Want: `"action": "key", "text": "volume_up"`, Action: actions.HotKey{},
		Args: "Key=text|key", Read: dialect.ReadKey},
	{Name: "open", Also: "open_app", Want: `"action": "open", "text": "name of the app"`,
		Action: actions.OpenApp{}, Args: "App=text|app|app_name"},
	{Name: "wait", Want: `"action": "wait", "time": 2`, Action: dialect.UsualWait,
		Args: "For=time|duration"},
	{Name: "ask_user", Also: "call_user interact", Want: `"action": "ask_user", "text": "..."`,
		Action: actions.Info{}, Args: "Question=text|question|content"},
	{Name: "terminate", Want: `"action": "terminate", "status": "success" or "failure"`,
		Action: actions.Complete{}, Args: "status:success Report=text",
		Read: dialect.ReadStatus},
	{Name: "terminate", Action: actions.Abort{}, Args: "status:failure Reason=text"},
	{Name: "answer", Want: `"action": "answer", "text": "..."`, Action: actions.Complete{},
		Args: "Report=text|answer"},
}

// readType reads a text, and the field that it is typed into if the model names it.
func readType(a *dialect.Args) actions.Action {
	t := actions.Type{Text: a.Raw(a.Names("Text")...)}
	if place := a.Names("At"); a.Has(place...) {
		t.At = new(a.Point(place...))
	}
	return t
}

// readSwipe reads a way of the finger: two places, or where to, as MAI-UI writes it.
func readSwipe(a *dialect.Args) actions.Action {
	if to := a.Names("To"); !a.Has("direction") || a.Has(to...) {
		return actions.Slide{From: a.Point(a.Names("From")...), To: a.Point(to...),
			Took: a.Duration(a.Names("Took")...)}
	}
	return a.Stroke("direction", "coordinate")
}
