package general

import (
	"cmp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/screen"
)

// form is how one action is written and read.
type form struct {
	name string
	also string // other names that models use for it
	// name:kind, with ? behind the name of one that may be left out, * where an element is named
	parameters string
	read       func(*reading) actions.Action
}

// kinds are the JSON Schemas of parameters.
var kinds = map[string]any{
	"number":  map[string]any{"type": "number"},
	"text":    map[string]any{"type": "string"},
	"boolean": map[string]any{"type": "boolean"},
	"texts":   map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
	"direction": map[string]any{"type": "string",
		"enum": []string{"up", "down", "left", "right"}},
	"key": map[string]any{"type": "string", "enum": actions.Keys},
}

const (
	place = "x*:number y*:number element?:number"
	way   = "x1:number y1:number x2:number y2:number"
)

// forms are the actions in the order in which the prompt explains them.
var forms = []form{
	{"tap", "click", place, func(r *reading) actions.Action { return actions.Click{At: r.at()} }},
	{"double_tap", "double_click", place, func(r *reading) actions.Action {
		return actions.DoubleClick{At: r.at()}
	}},
	{"long_press", "press_and_hold long_click", place + " seconds?:number",
		func(r *reading) actions.Action {
			return actions.LongPress{At: r.at(), Hold: r.Duration("seconds", "duration")}
		}},
	{"swipe", "slide", way + " seconds?:number", func(r *reading) actions.Action {
		from, to := r.way()
		return actions.Slide{From: from, To: to, Took: r.Duration("seconds", "duration")}
	}},
	{"drag", "drag_and_drop", way, func(r *reading) actions.Action {
		from, to := r.way()
		return actions.Drag{From: from, To: to}
	}},
	{"scroll", "", place + " direction:direction", func(r *reading) actions.Action {
		way := actions.Direction(strings.ToLower(r.Text("direction")))
		return actions.Scroll{At: r.at(), Direction: way}
	}},
	{"type_text", "type input_text input enter_text", "text:text x?:number y?:number " +
		"element?:number clear?:boolean submit?:boolean", (*reading).types},
	{"press", "press_key key hot_key hotkey", "key:key", (*reading).presses},
	{"launch_app", "open_app launch open start_app", "app:text",
		func(r *reading) actions.Action {
			return actions.OpenApp{App: r.Text("app", "app_name", "name", "text")}
		}},
	{"wait", "sleep", "seconds:number", func(r *reading) actions.Action {
		return actions.Wait{For: min(r.Duration("seconds", "time", "duration"), actions.MaxWait)}
	}},
	{"note", "remember", "text:text", func(r *reading) actions.Action {
		return actions.Note{Text: r.Text("text", "note")}
	}},
	{"ask_user", "ask call_user", "question:text options?:texts secret?:boolean",
		(*reading).asks},
	{"hand_over", "handover take_over takeover", "request:text",
		func(r *reading) actions.Action {
			return actions.Info{Question: r.Text("request", "message", "question", "text"),
				ByHand: true}
		}},
	{"finish", "done complete finished", "success:boolean answer:text",
		func(r *reading) actions.Action {
			answer := r.Text("answer", "report", "message", "text")
			switch {
			case !r.Has("success"):
				r.Complain("success is missing: true when the task is done, else false")
			case !r.Flag("success"):
				return actions.Abort{Reason: answer}
			}
			return actions.Complete{Report: answer}
		}},
	{"abort", "give_up fail", "reason:text", func(r *reading) actions.Action {
		return actions.Abort{Reason: r.Text("reason", "message", "answer", "text")}
	}},
}

// reading is the arguments of one action while they are read.
type reading struct{ dialect.Args }

// pair is a place of two arguments with names, which say themselves which is which.
func (r *reading) pair(x, y string, lists ...string) screen.Point {
	vx, vy := r.Values.Get(x), r.Values.Get(y)
	if vx == nil || vy == nil {
		for _, l := range lists {
			if r.Values.Get(l) != nil {
				return r.Point(l)
			}
		}
		r.Complain("the place is missing: %s and %s", x, y)
		return screen.Point{}
	}
	both := []any{vx, vy}
	if r.Coordinates.YFirst {
		slices.Reverse(both)
	}
	name := x + "," + y
	r.Values = append(r.Values, loose.Member{Name: name, Value: both})
	return r.Point(name)
}

func (r *reading) at() screen.Point {
	if at, ok := r.Element(); ok {
		return at
	}
	return r.pair("x", "y", "point", "coordinate", "coordinates", "position", "box", "bbox",
		"box_2d")
}

func (r *reading) way() (from, to screen.Point) {
	return r.pair("x1", "y1", "from", "start", "start_coordinate", "coordinate", "point1"),
		r.pair("x2", "y2", "to", "end", "end_coordinate", "coordinate2", "point2")
}

func (r *reading) types() actions.Action {
	t := actions.Type{Text: cmp.Or(r.Raw("text"), r.Raw("value"), r.Raw("content")),
		Clear: r.Flag("clear"), Submit: r.Flag("submit")}
	if r.Text("x")+r.Text("y") != "" || r.Values.Get("point") != nil || r.HasElement() {
		t.At = new(r.at())
	}
	return t
}

func (r *reading) presses() actions.Action {
	name := strings.ToLower(r.Text("key", "button", "keys"))
	name = strings.TrimPrefix(simple.Replace(name), "keycode_")
	switch key := actions.Key(name); key {
	case actions.KeyBack:
		return actions.Back{}
	case actions.KeyHome:
		return actions.Home{}
	case actions.KeyRecents:
		return actions.Recents{}
	default:
		return actions.HotKey{Key: key}
	}
}

func (r *reading) asks() actions.Action {
	q := actions.Info{Question: r.Text("question", "text", "message")}
	if r.Text("secret") != "" {
		q.Secret = new(r.Flag("secret"))
	}
	options, _ := r.Values.Get("options").([]any)
	for _, o := range options {
		if text := strings.TrimSpace(loose.Text(o)); text != "" {
			q.Options = append(q.Options, text)
		}
	}
	return q
}

// written is the action as it is to be written.
func (f *form) written() string {
	example := `{"type": "` + f.name + `"`
	for _, p := range strings.Fields(f.parameters) {
		name, _, _ := strings.Cut(p, ":")
		if !strings.HasSuffix(name, "?") {
			example += `, "` + strings.TrimSuffix(name, "*") + `": ...`
		}
	}
	return example + "}"
}

func names() string {
	var all []string
	for i := range forms {
		all = append(all, forms[i].name)
	}
	return "one of " + strings.Join(all, ", ")
}

var simple = strings.NewReplacer(" ", "_", "-", "_")

// lookup is the form of that name, nil when there is none.
func lookup(name string) *form {
	name = simple.Replace(strings.ToLower(strings.TrimSpace(name)))
	for i := range forms {
		f := &forms[i]
		if f.name == name || slices.Contains(strings.Fields(f.also), name) {
			return f
		}
	}
	switch actions.Key(name) { // the key for the press of it
	case actions.KeyBack, actions.KeyHome, actions.KeyRecents:
		return &form{name: "press", parameters: "key:key", read: func(r *reading) actions.Action {
			r.Values = loose.Object{{Name: "key", Value: name}}
			return r.presses()
		}}
	}
	return nil
}

// decode makes the action of that name with these arguments, and says on which element.
func decode(c call, s dialect.Scale) (d actions.Decision, err error) {
	f := lookup(c.name)
	switch {
	case c.name == "":
		return d, dialect.Refuse("the action has no type", names())
	case f == nil:
		return d, dialect.Refuse("unknown action "+text.Quote(c.name, dialect.MaxShown), names())
	}
	r := &reading{dialect.Args{Values: slices.Clone(c.arguments), Scale: s}}
	d.Action, err = r.Check(f.read(r), f.written())
	if err == nil && r.Named != "" {
		d.Explain = f.name + " " + r.Named
	}
	return d, err
}
