package uitars

import (
	"cmp"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/text"
)

const (
	at     = "At=start_box|point|start_point|start"
	start  = "From=start_box|point|start_point|start"
	finish = " To=end_box"
)

// forms is the calls, those of the prompt first. The models have no form for an emptied field, for
// several answers to choose from, and for notes.
var forms = withNames(dialect.Forms{
	{Want: "click(start_box='(x1,y1)')", Action: actions.Click{},
		Args: at},
	{Want: "long_press(start_box='(x1,y1)')", Action: actions.LongPress{},
		Args: at + " Hold?=time|duration"},
	{Want: "type(content='...')", Also: "input", Action: actions.Type{}, Args: "Text=content",
		Read: readType},
	{Want: "scroll(start_box='(x1,y1)', direction='down or up or right or left')",
		Action: actions.Scroll{}, Args: at + " Direction=direction", Read: dialect.ReadScroll},
	{Want: "drag(start_box='(x1,y1)', end_box='(x2,y2)')", Also: "swipe",
		Action: actions.Slide{}, Args: start + finish},
	{Want: "open_app(app_name='...')", Also: "open launch", Action: actions.OpenApp{},
		Args: "App=app_name|content"},
	{Want: "press_home()", Action: actions.Home{}},
	{Want: "press_back()", Action: actions.Back{}},
	{Want: "wait()", Action: dialect.UsualWait, Args: "For=time"},
	{Want: "call_user(content='...')", Also: "ask_user", Action: actions.Info{},
		Args: "Question=content", Read: readQuestion},
	{Want: "finished(content='...')", Also: "finish done", Action: actions.Complete{},
		Args: "Report=content|message", Read: dialect.ReadEnd},
	{Want: "abort(content='...')", Also: "error_env fail", Action: actions.Abort{},
		Args: "Reason=content|reason"},
	{Want: "double_click(start_box='(x1,y1)')",
		Action: actions.DoubleClick{}, Args: at},
	{Want: "press_recent()", Also: "press_recents", Action: actions.Recents{}},
	{Want: "hotkey(key='enter')", Also: "press", Action: actions.HotKey{}, Args: "Key=key",
		Read: dialect.ReadKey},
	{Want: "press_enter()", Action: actions.HotKey{Key: actions.KeyEnter}},
})

// withNames takes the names of calls from how they are written.
func withNames(list dialect.Forms) dialect.Forms {
	for i := range list {
		list[i].Name, _, _ = strings.Cut(list[i].Want, "(")
	}
	return list
}

// shown are the calls as they are written.
func shown() []string {
	return text.Each(forms, func(f dialect.Form) string { return f.Want })
}

// readType reads a text. A line break at its end submits it, and alone it presses Enter.
func readType(a *dialect.Args) actions.Action {
	written := a.Raw(a.Names("Text")...)
	typed := strings.TrimRight(written, "\n")
	if typed == "" && written != "" {
		return actions.HotKey{Key: actions.KeyEnter}
	}
	return actions.Type{Text: typed, Submit: typed != written}
}

// readQuestion reads the model's question. A call without words asks what its thought says, and
// leaves the phone to the user.
func readQuestion(a *dialect.Args) actions.Action {
	asked := a.Text(a.Names("Question")...)
	return actions.Info{Question: cmp.Or(asked, a.Thought), ByHand: asked == ""}
}
