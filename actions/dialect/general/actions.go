package general

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/screen"
)

// kinds are the JSON Schemas of arguments, by what they are read as.
var kinds = map[reflect.Type]any{
	reflect.TypeFor[screen.Point]():  map[string]any{"type": "number"}, // each of the two
	reflect.TypeFor[time.Duration](): map[string]any{"type": "number"},
	reflect.TypeFor[string]():        map[string]any{"type": "string"},
	reflect.TypeFor[bool]():          map[string]any{"type": "boolean"},
	reflect.TypeFor[[]string](): map[string]any{"type": "array",
		"items": map[string]any{"type": "string"}},
	reflect.TypeFor[actions.Direction](): map[string]any{"type": "string",
		"enum": actions.Directions},
	reflect.TypeFor[actions.Key](): map[string]any{"type": "string", "enum": actions.Keys},
}

const (
	place = "x,y|#|point|coordinate|coordinates|position|box|bbox|box_2d"
	from  = "x1,y1|from|start|start_coordinate|coordinate|point1"
	to    = "x2,y2|to|end|end_coordinate|coordinate2|point2"
	way   = "From=" + from + " To=" + to
)

// ownPlaces has the places of actions without a row written in this family's form.
var ownPlaces = strings.NewReplacer("=point1", "="+from, "=point2", "="+to, "=point", "="+place)

// forms are the actions in the order in which the prompt explains them.
var forms = withOwn(dialect.Forms{
	{Name: "tap", Also: "click", Action: actions.Click{}, Args: "At=" + place},
	{Name: "double_tap", Also: "double_click", Action: actions.DoubleClick{},
		Args: "At=" + place},
	{Name: "long_press", Also: "press_and_hold long_click", Action: actions.LongPress{},
		Args: "At=" + place + " Hold?=seconds|duration"},
	{Name: "swipe", Also: "slide", Action: actions.Slide{},
		Args: way + " Took?=seconds|duration"},
	{Name: "drag", Also: "drag_and_drop", Action: actions.Drag{}, Args: way},
	{Name: "scroll", Action: actions.Scroll{},
		Args: "At=" + place + " Direction=direction"},
	{Name: "type_text", Also: "type input_text input enter_text", Action: actions.Type{},
		Args: "Text=text|value|content Clear?=clear Submit?=submit At?=" + place},
	{Name: "press", Also: "press_key key hot_key hotkey", Action: actions.HotKey{},
		Args: "Key=key|button|keys", Read: readKey},
	{Name: "press", Action: actions.Back{}, Args: "key:back"},
	{Name: "press", Action: actions.Home{}, Args: "key:home"},
	{Name: "press", Action: actions.Recents{}, Args: "key:recents"},
	{Name: "launch_app", Also: "open_app launch open start_app", Action: actions.OpenApp{},
		Args: "App=app|app_name|name|text"},
	{Name: "wait", Also: "sleep", Action: actions.Wait{}, Args: "For=seconds|time|duration"},
	{Name: "note", Also: "remember", Action: actions.Note{}, Args: "Text=text|note"},
	{Name: "ask_user", Also: "ask call_user", Action: actions.Info{},
		Args: "Question=question|text|message Options?=options Secret?=secret"},
	{Name: "hand_over", Also: "handover take_over takeover", Action: actions.Info{ByHand: true},
		Args: "Question=request|message|question|text"},
	{Name: "finish", Also: "done complete finished", Action: actions.Complete{},
		Args: "success:true Report=answer|report|message|text", Read: readEnd},
	{Name: "abort", Also: "give_up fail", Action: actions.Abort{},
		Args: "Reason=reason|message|answer|text"},
})

// withOwn adds the actions that have no words of this family's, in their own words, and says how
// each is to be written.
func withOwn(list dialect.Forms) dialect.Forms {
	for _, a := range actions.Vocabulary() {
		if !slices.ContainsFunc(list, func(f dialect.Form) bool {
			return f.Action.Verb() == a.Verb()
		}) {
			own := dialect.OwnForm(a)
			own.Name = strings.ToLower(own.Name)
			own.Args = ownPlaces.Replace(own.Args)
			list = append(list, own)
		}
	}
	for i := range list {
		list[i].Want = wanted(&list[i])
	}
	return list
}

// wanted shows how an action is to be written.
func wanted(f *dialect.Form) string {
	example := `{"type": "` + f.Name + `"`
	for _, p := range f.Params() {
		for name := range strings.SplitSeq(p.Names[0], ",") {
			if !p.Optional {
				example += `, "` + name + `": ...`
			}
		}
	}
	return example + "}"
}

func readKey(a *dialect.Args) actions.Action {
	switch key := a.Key("key", "button", "keys"); key {
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

func readEnd(a *dialect.Args) actions.Action {
	answer := a.Text("answer", "report", "message", "text")
	switch {
	case !a.Has("success"):
		a.Complain("success is missing: true when the task is done, else false")
	case !a.Flag("success"):
		return actions.Abort{Reason: answer}
	}
	return actions.Complete{Report: answer}
}

// decode makes the action of that name with these arguments, and says on which element.
func (g *general) decode(c writtenAction, s *dialect.Situation) (d actions.Decision, err error) {
	name, arguments := c.name, c.arguments
	switch key := strings.ToLower(strings.TrimSpace(name)); actions.Key(key) {
	case actions.KeyBack, actions.KeyHome, actions.KeyRecents: // for the press of it
		name, arguments = "press", loose.Object{{Name: "key", Value: key}}
	}
	in := g.Args(arguments, "", s)
	d.Action, err = forms.Decode(name, in, "one of "+strings.Join(forms.Names(), ", "))
	if err == nil && in.Named != "" {
		d.Explain = forms.Find(name).Name + " " + in.Named
	}
	return d, err
}
