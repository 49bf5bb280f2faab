package uitars

import (
	"cmp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
)

// form is how one action is written and read.
type form struct {
	want string   // the call as it is expected
	also []string // other names that models use for it
	read func(a *dialect.Args, thought string) actions.Action
}

// name is the call's own.
func (f *form) name() string {
	name, _, _ := strings.Cut(f.want, "(")
	return name
}

func (f *form) is(name string) bool { return name == f.name() || slices.Contains(f.also, name) }

// forms is the calls, those of the prompt first.
var forms = []form{
	{
		want: "click(start_box='(x1,y1)')",
		also: []string{"tap", "left_single"},
		read: func(a *dialect.Args, _ string) actions.Action { return actions.Click{At: at(a)} },
	},
	{
		want: "long_press(start_box='(x1,y1)')",
		also: []string{"longpress", "long_click"},
		read: func(a *dialect.Args, _ string) actions.Action {
			return actions.LongPress{At: at(a), Hold: a.Duration("time", "duration")}
		},
	},
	{want: "type(content='...')", also: []string{"input"}, read: readType},
	{
		want: "scroll(start_box='(x1,y1)', direction='down or up or right or left')",
		read: readScroll,
	},
	{
		want: "drag(start_box='(x1,y1)', end_box='(x2,y2)')",
		also: []string{"swipe"},
		read: func(a *dialect.Args, _ string) actions.Action { return way(a) },
	},
	{
		want: "open_app(app_name='...')",
		also: []string{"open", "launch"},
		read: func(a *dialect.Args, _ string) actions.Action {
			return actions.OpenApp{App: a.Text("app_name", "app", "name", "content")}
		},
	},
	{
		want: "press_home()",
		read: func(*dialect.Args, string) actions.Action { return actions.Home{} },
	},
	{
		want: "press_back()",
		read: func(*dialect.Args, string) actions.Action { return actions.Back{} },
	},
	{
		want: "wait()",
		read: func(a *dialect.Args, _ string) actions.Action {
			return a.Wait("time", "duration", "seconds")
		},
	},
	{want: "call_user(content='...')", also: []string{"ask_user"}, read: readQuestion},
	{
		want: "finished(content='...')",
		also: []string{"finish"},
		read: func(a *dialect.Args, _ string) actions.Action {
			return actions.Complete{Report: a.Text("content", "message")}
		},
	},
	{
		want: "abort(content='...')",
		also: []string{"error_env"},
		read: func(a *dialect.Args, thought string) actions.Action {
			return actions.Abort{Reason: a.Text("content", "reason")}
		},
	},
	{
		want: "double_click(start_box='(x1,y1)')",
		also: []string{"left_double", "double_tap"},
		read: func(a *dialect.Args, _ string) actions.Action {
			return actions.DoubleClick{At: at(a)}
		},
	},
	{
		want: "press_recent()",
		also: []string{"press_recents"},
		read: func(*dialect.Args, string) actions.Action { return actions.Recents{} },
	},
	{
		want: "hotkey(key='enter')",
		also: []string{"press"},
		read: func(a *dialect.Args, _ string) actions.Action {
			return actions.HotKey{Key: actions.Key(strings.ToLower(a.Text("key", "keys")))}
		},
	},
	{
		want: "press_enter()",
		read: func(*dialect.Args, string) actions.Action {
			return actions.HotKey{Key: actions.KeyEnter}
		},
	},
}

// names are all names of calls.
func names() []string {
	var all []string
	for _, f := range forms {
		all = append(append(all, f.name()), f.also...)
	}
	return all
}

// shown are the calls as they are written.
func shown() []string {
	var all []string
	for _, f := range forms {
		all = append(all, f.want)
	}
	return all
}

// Names of the arguments that are places.
var (
	from = []string{"start_box", "point", "start_point", "start"}
	to   = []string{"end_box", "end_point", "end"}
)

func at(a *dialect.Args) screen.Point { return a.Point(from...) }

// way is a finger's from one place to another.
func way(a *dialect.Args) actions.Action {
	return actions.Slide{From: at(a), To: a.Point(to...)}
}

// readType reads a text; a line break at its end submits it, and alone presses Enter.
func readType(a *dialect.Args, _ string) actions.Action {
	written := a.Raw("content")
	typed := strings.TrimRight(written, "\n")
	if typed == "" && written != "" {
		return actions.HotKey{Key: actions.KeyEnter}
	}
	return actions.Type{Text: typed, Submit: typed != written}
}

// readScroll reads the side whose content comes into view, or a way as the first UI-TARS writes it.
func readScroll(a *dialect.Args, _ string) actions.Action {
	if a.Text("direction") == "" && a.Has(to...) {
		return way(a)
	}
	s := actions.Scroll{At: screen.Point{X: 0.5, Y: 0.5},
		Direction: actions.Direction(strings.ToLower(a.Text("direction")))}
	if a.Has(from...) {
		s.At = at(a)
	}
	return s
}

// readQuestion reads what the model asks; a call without words asks what its thought says, and
// leaves the phone to the user.
func readQuestion(a *dialect.Args, thought string) actions.Action {
	asked := a.Text("content", "question", "text")
	return actions.Info{Question: cmp.Or(asked, thought), ByHand: asked == ""}
}
