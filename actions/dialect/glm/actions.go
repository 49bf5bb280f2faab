package glm

import (
	"cmp"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
)

const (
	box = `, "box_2d": [[x1,y1,x2,y2]]}`
	at  = "At=box_2d|point"
)

// forms are the actions. The models press Enter behind every text, and have no answers to choose
// from.
var forms = dialect.Forms{
	{Name: "click", Want: `{"action_type": "click"` + box, Action: actions.Click{}, Args: at},
	{Name: "long_press", Want: `{"action_type": "long_press"` + box, Action: actions.LongPress{},
		Args: at},
	{Name: "double_tap", Want: `{"action_type": "double_tap"` + box,
		Action: actions.DoubleClick{}, Args: at},
	{Name: "input_text", Want: `{"action_type": "input_text", "text": "..."` + box,
		Action: actions.Type{Submit: true}, Args: "Text=text Clear?=override At?=box_2d|point"},
	{Name: "keyboard_enter", Want: `{"action_type": "keyboard_enter"}`,
		Action: actions.HotKey{Key: actions.KeyEnter}},
	{Name: "navigate_home", Want: `{"action_type": "navigate_home"}`, Action: actions.Home{}},
	{Name: "navigate_back", Want: `{"action_type": "navigate_back"}`, Action: actions.Back{}},
	{Name: "swipe", Want: `{"action_type": "swipe", "direction": "up"}`, Action: actions.Scroll{},
		Args: "Direction=direction At=box_2d",
		Read: func(a *dialect.Args) actions.Action {
			return a.Stroke("direction", "box_2d", "point")
		}},
	{Name: "open_app", Want: `{"action_type": "open_app", "app_name": "..."}`,
		Action: actions.OpenApp{}, Args: "App=app_name|text"},
	{Name: "wait", Want: `{"action_type": "wait"}`, Action: dialect.UsualWait,
		Args: "For=time|duration"},
	{Name: "answer", Want: `{"action_type": "answer", "text": "..."}`, Action: actions.Note{},
		Args: "Text=text"},
	{Name: "ask_user", Want: `{"action_type": "ask_user", "text": "..."}`, Action: actions.Info{},
		Args: "Question=text|question"},
	{Name: "status", Want: `{"action_type": "status", "goal_status": "complete" or "infeasible"}`,
		Action: actions.Complete{}, Args: "goal_status:complete Report=text", Read: readStatus},
	{Name: "status", Action: actions.Abort{}, Args: "goal_status:infeasible Reason=text"},
}

// readStatus reads how the task ends. What the model answered before is its report.
func readStatus(a *dialect.Args) actions.Action {
	switch end := dialect.ReadStatus(a).(type) {
	case actions.Abort:
		return actions.Abort{Reason: cmp.Or(end.Reason, a.Thought)}
	case actions.Complete:
		if n := len(a.Now.Remembered); n > 0 && end.Report == "" {
			end.Report = a.Now.Remembered[n-1]
		}
		return end
	}
	return nil
}
