package general

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
)

// Write writes {"thought": ..., "action": {"type": ...}}.
func Write(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	action := own(d.Action, s)
	b, err := json.Marshal(map[string]any{"thought": d.Thought, "action": action})
	return actions.Reply{Text: string(b)}, err == nil
}

// WriteTools writes a native tool call behind a thought.
func WriteTools(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	arguments := own(d.Action, s)
	name := arguments["type"].(string)
	delete(arguments, "type")
	b, err := json.Marshal(arguments)
	return actions.Reply{Text: d.Thought,
		Calls: []actions.Call{{ID: "call_1", Name: name, Arguments: string(b)}}}, err == nil
}

// own is an action of taploop's own set.
func own(a actions.Action, s dialect.Scale) map[string]any {
	o := map[string]any{}
	place := func(p screen.Point, x, y string) {
		first, second := s.Numbers(p)
		if s.Coordinates.YFirst {
			first, second = second, first
		}
		o[x], o[y] = json.Number(first), json.Number(second)
	}
	set := func(kind string, pairs ...any) {
		o["type"] = kind
		for pair := range slices.Chunk(pairs, 2) {
			if fmt.Sprint(pair[1]) != "0" { // no time
				o[pair[0].(string)] = pair[1]
			}
		}
	}
	switch a := a.(type) {
	case actions.Click:
		place(a.At, "x", "y")
		set("tap")
	case actions.DoubleClick:
		place(a.At, "x", "y")
		set("double_tap")
	case actions.LongPress:
		place(a.At, "x", "y")
		set("long_press", "seconds", a.Hold.Seconds())
	case actions.Slide:
		place(a.From, "x1", "y1")
		place(a.To, "x2", "y2")
		set("swipe", "seconds", a.Took.Seconds())
	case actions.Drag:
		place(a.From, "x1", "y1")
		place(a.To, "x2", "y2")
		set("drag")
	case actions.Scroll:
		place(a.At, "x", "y")
		set("scroll", "direction", a.Direction)
	case actions.Type:
		if a.At != nil {
			place(*a.At, "x", "y")
		}
		set("type_text", "clear", a.Clear, "submit", a.Submit)
		o["text"] = a.Text
	case actions.OpenApp:
		set("launch_app")
		o["app"] = a.App
	case actions.Back:
		set("press", "key", "back")
	case actions.Home:
		set("press", "key", "home")
	case actions.Recents:
		set("press", "key", "recents")
	case actions.HotKey:
		set("press", "key", a.Key)
	case actions.Wait:
		set("wait", "seconds", a.For.Seconds())
	case actions.Info:
		if a.ByHand {
			set("hand_over", "request", a.Question)
			break
		}
		set("ask_user")
		o["question"], o["options"] = a.Question, a.Options
		if a.Secret != nil {
			o["secret"] = *a.Secret
		}
	case actions.Note:
		set("note")
		o["text"] = a.Text
	case actions.Complete:
		set("finish", "success", true)
		o["answer"] = a.Report
	case actions.Abort:
		set("abort")
		o["reason"] = a.Reason
	}
	return o
}
