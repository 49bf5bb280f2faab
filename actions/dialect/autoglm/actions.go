package autoglm

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// action is what do is to do, which may stand without its name.
func action(args loose.Object) any {
	for _, name := range []string{"action", "type", ""} {
		if v := args.Get(name); v != nil {
			return v
		}
	}
	return nil
}

const (
	at      = "At=element"
	element = `element=[x,y])`
	message = `message="...")`
)

// forms are the actions of do. TYPE replaces the text of a field and never submits.
var forms = dialect.Forms{
	{Name: "Launch", Want: `do(action="Launch", app="name")`, Action: actions.OpenApp{},
		Args: "App=app"},
	{Name: "Tap", Want: `do(action="Tap", ` + element, Action: actions.Click{}, Args: at,
		Read: tap},
	{Name: "Double Tap", Want: `do(action="Double Tap", ` + element,
		Action: actions.DoubleClick{}, Args: at},
	{Name: "Long Press", Want: `do(action="Long Press", ` + element, Action: actions.LongPress{},
		Args: at + " Hold?=duration"},
	{Name: "Swipe", Want: `do(action="Swipe", start=[x,y], end=[x,y])`, Action: actions.Slide{},
		Args: "From=start To=end Took?=duration"},
	{Name: "Type", Also: "type_text input input_text", Want: `do(action="Type", text="...")`,
		Action: actions.Type{Clear: true}, Args: "Text=text"},
	{Name: "Type_Name", Want: `do(action="Type_Name", text="...")`,
		Action: actions.Type{Clear: true}, Args: "Text=text"},
	{Name: "Back", Want: `do(action="Back")`, Action: actions.Back{}},
	{Name: "Home", Want: `do(action="Home")`, Action: actions.Home{}},
	{Name: "Wait", Want: `do(action="Wait", duration="2 seconds")`, Action: dialect.UsualWait,
		Args: "For=duration"},
	{Name: "Take_over", Want: `do(action="Take_over", ` + message,
		Action: actions.Info{ByHand: true}, Args: "Question=message|text",
		Read: func(a *dialect.Args) actions.Action {
			asked := cmp.Or(a.Text("message", "text"), a.Thought)
			return actions.Info{Question: asked, ByHand: true}
		}},
	{Name: "Interact", Want: `do(action="Interact", ` + message, Action: actions.Info{},
		Args: "Question=message", Read: func(a *dialect.Args) actions.Action {
			return actions.Info{Question: cmp.Or(a.Text("message", "text"),
				questionsIn(a.Lang).Choose)}
		}},
	{Name: "Note", Want: `do(action="Note", ` + message, Action: actions.Note{},
		Args: "Text=message", Read: note},
	{Name: "Call_API", Want: `do(action="Call_API", instruction="...")`, Action: actions.Note{},
		Args: "Text=instruction|message"},
	{Name: "Abort", Want: `do(action="Abort", ` + message, Action: actions.Abort{},
		Args: "Reason=message|text"},
}

// finish is the other call that there is.
var finish = dialect.Form{Name: "finish", Want: `finish(message="...")`, Action: actions.Complete{},
	Args: "Report=message|text", Read: dialect.ReadEnd}

// names are those of the forms that the prompt explains.
const names = `one of Launch, Tap, Double Tap, Long Press, Swipe, Type, Back, Home, Wait, ` +
	`Take_over, Interact, Note, Abort, or finish(message="...")`

// note keeps the message, or else the thought.
func note(a *dialect.Args) actions.Action {
	said := a.Text("message", "text")
	if said == "" || strings.EqualFold(said, "true") {
		said, _ = dialect.Shorten(a.Thought, actions.MaxText/2)
	}
	return actions.Note{Text: said}
}

// questions are the texts of what the family's actions ask, in a language.
type questions struct {
	Choose   string    // of Interact
	Consents [2]string // whether a tap may be, the first of which agrees
}

var questionsIn = words.Of[questions]("autoglm")

// agreed is an answer that lets a tap be, whether or not it is one of the options.
var agreed = text.Lazily(`(?i)^\s*(?:yes|y|ok|okay|是|是的|好|好的|可以|同意|确认)[\s.!。！]*$`)

// tap is a tap, or, when it comes with a message, the question that the message is: such a tap is
// one that a person has to agree to. The agreement is for that place, and for the reply right
// behind it.
func tap(a *dialect.Args) actions.Action {
	tap := actions.Click{At: a.Point(a.Names("At")...)}
	asked := a.Text("message")
	if asked == "" {
		return tap
	}
	asked = fmt.Sprintf("%s (%.0f%%, %.0f%%)", asked, tap.At.X*100, tap.At.Y*100)
	last := len(a.Now.Exchanges) - 1
	if last < 0 || !a.Now.ReplyJustIn || a.Now.Exchanges[last].Question != asked {
		return actions.Info{Question: asked, Options: questionsIn(a.Lang).Consents[:]}
	}
	switch e := a.Now.Exchanges[last]; e.Outcome {
	case actions.Answered, actions.DefaultAnswer:
		if agreed().MatchString(e.Answer) {
			return tap
		}
	}
	a.Complain("the question about this tap was asked, and no person has agreed")
	return tap
}
