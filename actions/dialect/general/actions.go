package general

import (
	"encoding/json"
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
	place = "x,y|#"
	way   = "From=x1,y1 To=x2,y2"
)

// ownPlaces has the places of actions without a row written in this family's form.
var ownPlaces = strings.NewReplacer("=point1", "=x1,y1", "=point2", "=x2,y2", "=point", "="+place)

// forms are the actions in the order in which the prompt explains them.
var forms = withOwn(dialect.Forms{
	{Name: "tap", Action: actions.Click{}, Args: "At=" + place},
	{Name: "double_tap", Action: actions.DoubleClick{}, Args: "At=" + place},
	{Name: "long_press", Action: actions.LongPress{}, Args: "At=" + place + " Hold?=seconds"},
	{Name: "swipe", Action: actions.Slide{}, Args: way + " Took?=seconds"},
	{Name: "drag", Action: actions.Drag{}, Args: way, Read: readDrag},
	{Name: "scroll", Action: actions.Scroll{}, Args: "At=" + place + " Direction=direction",
		Read: dialect.ReadScroll},
	{Name: "type_text", Action: actions.Type{},
		Args: "Text=text Clear?=clear Submit?=submit At?=" + place},
	{Name: "press", Action: actions.HotKey{}, Args: "Key=key", Read: dialect.ReadKey},
	{Name: "press", Action: actions.Back{}, Args: "key:back"},
	{Name: "press", Action: actions.Home{}, Args: "key:home"},
	{Name: "press", Action: actions.Recents{}, Args: "key:recents"},
	{Name: "launch_app", Action: actions.OpenApp{}, Args: "App=app"},
	{Name: "wait", Action: dialect.UsualWait, Args: "For=seconds"},
	{Name: "note", Action: actions.Note{}, Args: "Text=text|note"},
	{Name: "ask_user", Action: actions.Info{},
		Args: "Question=question Options?=options Secret?=secret"},
	{Name: "hand_over", Also: "take_over", Action: actions.Info{ByHand: true},
		Args: "Question=request"},
	{Name: "finish", Also: "done complete finished", Action: actions.Complete{},
		Args: "success:true Report=answer", Read: readEnd},
	{Name: "abort", Also: "give_up fail", Action: actions.Abort{}, Args: "Reason=reason"},
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
		list[i].Want = wanted(&list[i], anyValue)
	}
	return list
}

// wanted shows how an action is to be written, with a value for each argument that has to be there.
func wanted(f *dialect.Form, value func(reflect.Type) string) string {
	written := `{"type": "` + f.Name + `"`
	for _, p := range f.Params() {
		for name := range strings.SplitSeq(p.Names[0], ",") {
			if !p.Optional {
				written += `, "` + name + `": ` + value(p.Type)
			}
		}
	}
	return written + "}"
}

func anyValue(reflect.Type) string { return "..." }

// example is a value of that type, as JSON.
func example(of reflect.Type) string {
	switch of {
	case reflect.TypeFor[screen.Point]():
		return "500"
	case reflect.TypeFor[time.Duration]():
		return "2"
	case reflect.TypeFor[actions.Direction]():
		return `"down"`
	case reflect.TypeFor[actions.Key]():
		return `"back"`
	}
	b, err := json.Marshal(reflect.Zero(of).Interface())
	if err != nil {
		panic(err)
	}
	return string(b)
}

// readDrag reads two places, or a path of two.
func readDrag(a *dialect.Args) actions.Action {
	if path, is := a.Values.Get("path").([]any); is && len(path) == 2 {
		a.Values = append(a.Values, loose.Member{Name: "from", Value: path[0]},
			loose.Member{Name: "to", Value: path[1]})
	}
	return actions.Drag{From: a.Point(a.Names("From")...), To: a.Point(a.Names("To")...)}
}

func readEnd(a *dialect.Args) actions.Action {
	if !a.Has("success") {
		a.Complain("success is missing: true when the task is done, else false")
	}
	return dialect.ReadEnd(a)
}
