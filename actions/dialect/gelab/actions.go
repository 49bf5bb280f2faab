package gelab

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/lazyregexp"
	"github.com/taploop/taploop/internal/text"
)

// anyForm is what is expected when nothing better is known.
const anyForm = "explain:...\taction:CLICK\tpoint:512,92\tsummary:... " +
	"on one line, with a TAB between the fields"

// Forms of points, for what was expected.
const (
	onePoint  = "\tpoint:x,y"
	twoPoints = "\tpoint1:x,y\tpoint2:x,y"
)

// form is how one action is written and read.
type form struct {
	name   string
	also   []string                           // other names that models use for it
	fields string                             // what follows action:NAME
	read   func(*dialect.Args) actions.Action // leaves complaints about fields in args
}

// forms is the actions in the order in which the prompt explains them.
var forms = []form{
	{
		name:   "CLICK",
		also:   []string{"TAP"},
		fields: onePoint,
		read:   func(a *dialect.Args) actions.Action { return actions.Click{At: a.Point("point")} },
	},
	{
		name:   "DOUBLE_CLICK",
		also:   []string{"DOUBLECLICK", "DOUBLE_TAP"},
		fields: onePoint,
		read: func(a *dialect.Args) actions.Action {
			return actions.DoubleClick{At: a.Point("point")}
		},
	},
	{
		name:   "LONGPRESS",
		also:   []string{"LONG_PRESS"},
		fields: onePoint,
		read: func(a *dialect.Args) actions.Action {
			return actions.LongPress{At: a.Point("point"), Hold: a.Duration("duration")}
		},
	},
	{
		name:   "TYPE",
		fields: "\tvalue:text",
		read:   readType,
	},
	{
		name:   "SLIDE",
		also:   []string{"SWIPE"},
		fields: twoPoints,
		read:   readSlide,
	},
	{
		name:   "SCROLL",
		fields: "\tdirection:up" + onePoint,
		read:   readScroll,
	},
	{
		name:   "DRAG",
		fields: twoPoints,
		read: func(a *dialect.Args) actions.Action {
			return actions.Drag{From: a.Point("point1"), To: a.Point("point2")}
		},
	},
	{
		name:   "AWAKE",
		fields: "\tvalue:app name",
		read: func(a *dialect.Args) actions.Action {
			return actions.OpenApp{App: a.Text("value")}
		},
	},
	{
		name: "BACK",
		read: func(*dialect.Args) actions.Action { return actions.Back{} },
	},
	{
		name: "HOME",
		read: func(*dialect.Args) actions.Action { return actions.Home{} },
	},
	{
		name: "RECENTS",
		read: func(*dialect.Args) actions.Action { return actions.Recents{} },
	},
	{
		name:   "HOT_KEY",
		also:   []string{"HOTKEY"},
		fields: "\tkey:name",
		read:   readHotKey,
	},
	{
		name:   "WAIT",
		fields: "\tvalue:seconds",
		read:   readWait,
	},
	{
		name:   "INFO",
		also:   []string{"CALL_USER"},
		fields: "\tvalue:question",
		read:   readInfo,
	},
	{
		name:   "NOTE",
		fields: "\tvalue:text",
		read:   func(a *dialect.Args) actions.Action { return actions.Note{Text: a.Text("value")} },
	},
	{
		name:   "COMPLETE",
		fields: "\treturn:report",
		read: func(a *dialect.Args) actions.Action {
			return actions.Complete{Report: a.Text("return", "value")}
		},
	},
	{
		name:   "ABORT",
		fields: "\tvalue:reason",
		read: func(a *dialect.Args) actions.Action {
			return actions.Abort{Reason: a.Text("value", "return")}
		},
	},
}

func readSlide(a *dialect.Args) actions.Action {
	return actions.Slide{
		From: a.Point("point1"),
		To:   a.Point("point2"),
		Took: a.Duration("duration"),
	}
}

func readScroll(a *dialect.Args) actions.Action {
	direction := actions.Direction(strings.ToLower(a.Text("direction")))
	return actions.Scroll{At: a.Point("point"), Direction: direction}
}

func readHotKey(a *dialect.Args) actions.Action {
	key := spaced.ReplaceAllString(a.Text("key", "value"), "_")
	return actions.HotKey{Key: actions.Key(strings.ToLower(key))}
}

func readType(a *dialect.Args) actions.Action {
	t := actions.Type{Text: a.Raw("value"), Clear: a.Flag("clear"), Submit: a.Flag("submit")}
	if a.Text("point") != "" {
		at := a.Point("point")
		t.At = &at
	}
	return t
}

func readWait(a *dialect.Args) actions.Action {
	d := a.Duration("value", "duration")
	if d == 0 {
		a.Complain("WAIT needs a time in seconds, above 0")
	}
	return actions.Wait{For: min(d, actions.MaxWait)}
}

func readInfo(a *dialect.Args) actions.Action {
	q := actions.Info{Question: a.Text("value")}
	if a.Text("secret") != "" {
		q.Secret = new(a.Flag("secret"))
	}
	if a.Text("by_hand") != "" {
		q.ByHand = a.Flag("by_hand")
	}
	for o := range strings.SplitSeq(a.Text("options"), "|") {
		if o = strings.TrimSpace(o); o != "" {
			q.Options = append(q.Options, o)
		}
	}
	return q
}

var spaced = lazyregexp.New(`[\s-]+`)

// decode makes the action that the fields name.
func decode(f fields, s dialect.Scale) (actions.Action, error) {
	written := f.get("action")
	name := actionName(written)
	if g := formOf(name); g != nil {
		in := dialect.FieldArgs(f, s)
		in.Corner = true
		return in.Check(g.read(&in), "action:"+g.name+g.fields)
	}
	if name == "" {
		return nil, dialect.Refuse("the field action is empty", actionNames())
	}
	return nil, dialect.Refuse("unknown action "+text.Quote(written, dialect.MaxShown),
		actionNames())
}

// formOf is the form of the action of that name, nil when there is none.
func formOf(name string) *form {
	for i := range forms {
		if g := &forms[i]; name == g.name || slices.Contains(g.also, name) {
			return g
		}
	}
	return nil
}

// actionName is an action's name without what models put around it.
func actionName(written string) string {
	name := spaced.ReplaceAllString(strings.Trim(written, " \"'`*[]().。"), "_")
	return strings.ToUpper(name)
}

// allNames are the actions' names and the others that models use for them.
func allNames() []string {
	var names []string
	for _, g := range forms {
		names = append(append(names, g.name), g.also...)
	}
	return names
}

func actionNames() string {
	var names []string
	for _, g := range forms {
		names = append(names, g.name)
	}
	return "one of " + strings.Join(names, ", ")
}
