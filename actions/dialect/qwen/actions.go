package qwen

import (
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
)

// form is how one action is written and read.
type form struct {
	want string
	read func(*dialect.Args) actions.Action
}

const names = "click, long_press, double_click, swipe, drag, type, system_button, key, open, " +
	"wait, ask_user, answer, terminate"

const atPlace = `, "coordinate": [x, y]`

// What several actions are written like.
var (
	click = form{`"action": "click"` + atPlace, func(a *dialect.Args) actions.Action {
		return actions.Click{At: at(a)}
	}}
	open = form{`"action": "open", "text": "name of the app"`,
		func(a *dialect.Args) actions.Action {
			return actions.OpenApp{App: a.Text("text", "app", "app_name")}
		}}
	ask = form{`"action": "ask_user", "text": "..."`, func(a *dialect.Args) actions.Action {
		return actions.Info{Question: a.Text("text", "question", "content")}
	}}
)

// forms are the actions by their names.
var forms = map[string]form{
	"click": click,
	"tap":   click,
	"long_press": {`"action": "long_press"` + atPlace + `, "time": 2`,
		func(a *dialect.Args) actions.Action {
			return actions.LongPress{At: at(a), Hold: a.Duration("time", "duration")}
		}},
	"double_click": {`"action": "double_click"` + atPlace, func(a *dialect.Args) actions.Action {
		return actions.DoubleClick{At: at(a)}
	}},
	"swipe": {`"action": "swipe"` + atPlace + `, "coordinate2": [x, y]`, readSwipe},
	"drag": {`"action": "drag", "start_coordinate": [x, y], "end_coordinate": [x, y]`,
		func(a *dialect.Args) actions.Action {
			return actions.Drag{From: a.Point("start_coordinate", "coordinate"),
				To: a.Point("end_coordinate", "coordinate2")}
		}},
	"type": {`"action": "type", "text": "..."`, func(a *dialect.Args) actions.Action {
		return actions.Type{Text: a.Raw("text")}
	}},
	"system_button": {`"action": "system_button", "button": "Back"`, readButton},
	"key":           {`"action": "key", "text": "volume_up"`, readKey},
	"open":          open,
	"open_app":      open,
	"wait": {`"action": "wait", "time": 2`, func(a *dialect.Args) actions.Action {
		return a.Wait("time", "duration")
	}},
	"ask_user":  ask,
	"call_user": ask,
	"interact":  ask,
	"answer": {`"action": "answer", "text": "..."`, func(a *dialect.Args) actions.Action {
		return actions.Complete{Report: a.Text("text", "answer")}
	}},
	"terminate": {`"action": "terminate", "status": "success" or "failure"`, readEnd},
}

func at(a *dialect.Args) screen.Point { return a.Point("coordinate", "coordinate1", "point") }

// readSwipe reads a way of the finger: two places, or where to, as MAI-UI writes it.
func readSwipe(a *dialect.Args) actions.Action {
	if !a.Has("direction") || a.Has("coordinate2", "end_coordinate") {
		return actions.Slide{From: a.Point("coordinate", "start_coordinate"),
			To: a.Point("coordinate2", "end_coordinate"), Took: a.Duration("time", "duration")}
	}
	return a.Stroke("direction", "coordinate")
}

func readButton(a *dialect.Args) actions.Action {
	switch b := strings.ToLower(a.Text("button", "text")); b {
	case "back":
		return actions.Back{}
	case "home":
		return actions.Home{}
	case "recents", "recent", "app_switch":
		return actions.Recents{}
	default:
		return actions.HotKey{Key: actions.Key(b)}
	}
}

// readKey reads a key by its name, which may be Android's.
func readKey(a *dialect.Args) actions.Action {
	name := strings.ToLower(a.Text("text", "key"))
	return actions.HotKey{Key: actions.Key(strings.TrimPrefix(name, "keycode_"))}
}

// readEnd reads how the task ended. What does not say so is asked again: it could be either.
func readEnd(a *dialect.Args) actions.Action {
	said := a.Text("text", "answer", "content")
	switch status := strings.ToLower(a.Text("status", "goal_status")); status {
	case "success", "complete", "completed":
		return actions.Complete{Report: said}
	case "failure", "fail", "failed", "infeasible":
		return actions.Abort{Reason: said}
	default:
		a.Complain("the status %q is neither success nor failure", status)
		return actions.Abort{}
	}
}
