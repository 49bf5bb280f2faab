package glm

import (
	"cmp"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
)

// reading is one action while it is read.
type reading struct {
	dialect.Args
	reason     string
	remembered []string // what the model has answered and noted before
}

// form is how one action is written and read.
type form struct {
	want string
	read func(*reading) actions.Action
}

const names = "click, long_press, double_tap, input_text, keyboard_enter, navigate_home, " +
	"navigate_back, swipe, open_app, wait, answer, ask_user, status"

const box = `, "box_2d": [[x1,y1,x2,y2]]}`

// forms are the actions by their names.
var forms = map[string]form{
	"click": {`{"action_type": "click"` + box, func(r *reading) actions.Action {
		return actions.Click{At: r.at()}
	}},
	"double_tap": {`{"action_type": "double_tap"` + box, func(r *reading) actions.Action {
		return actions.DoubleClick{At: r.at()}
	}},
	"long_press": {`{"action_type": "long_press"` + box, func(r *reading) actions.Action {
		return actions.LongPress{At: r.at()}
	}},
	"input_text": {`{"action_type": "input_text", "text": "..."` + box, (*reading).typed},
	"keyboard_enter": {`{"action_type": "keyboard_enter"}`, func(*reading) actions.Action {
		return actions.HotKey{Key: actions.KeyEnter}
	}},
	"navigate_home": {`{"action_type": "navigate_home"}`, func(*reading) actions.Action {
		return actions.Home{}
	}},
	"navigate_back": {`{"action_type": "navigate_back"}`, func(*reading) actions.Action {
		return actions.Back{}
	}},
	"swipe": {`{"action_type": "swipe", "direction": "up"}`, func(r *reading) actions.Action {
		return r.Stroke("direction", "box_2d", "point")
	}},
	"open_app": {`{"action_type": "open_app", "app_name": "..."}`, func(r *reading) actions.Action {
		return actions.OpenApp{App: r.Text("app_name", "text")}
	}},
	"wait": {`{"action_type": "wait"}`, func(r *reading) actions.Action {
		return r.Wait("time", "duration")
	}},
	"answer": {`{"action_type": "answer", "text": "..."}`, func(r *reading) actions.Action {
		return actions.Note{Text: r.Text("text")}
	}},
	"ask_user": {`{"action_type": "ask_user", "text": "..."}`, func(r *reading) actions.Action {
		return actions.Info{Question: r.Text("text", "question")}
	}},
	"status": {`{"action_type": "status", "goal_status": "complete" or "infeasible"}`,
		(*reading).status},
}

func (r *reading) at() screen.Point { return r.Point("box_2d", "point") }

// typed taps a field, types and presses Enter.
func (r *reading) typed() actions.Action {
	t := actions.Type{Text: r.Raw("text"), Clear: r.Flag("override"), Submit: true}
	if r.Has("box_2d", "point") {
		at := r.at()
		t.At = &at
	}
	return t
}

// status is how the task ends. What the model answered before is its report.
func (r *reading) status() actions.Action {
	said := r.Text("text")
	switch status := strings.ToLower(r.Text("goal_status", "status")); status {
	case "complete", "completed", "success":
		if n := len(r.remembered); n > 0 && said == "" {
			said = r.remembered[n-1]
		}
		return actions.Complete{Report: said}
	case "infeasible", "failure":
		return actions.Abort{Reason: cmp.Or(said, r.reason)}
	default:
		r.Complain("goal_status %q is neither complete nor infeasible", status)
		return actions.Abort{}
	}
}
