package autoglm

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/lazyregexp"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/screen"
)

var joined = strings.NewReplacer(" ", "", "_", "", "-", "")

// verb is the name of an action without what models vary in it.
func verb(name string) string {
	return strings.ToLower(joined.Replace(name))
}

// action is what do is to do, which may stand without its name.
func action(args loose.Object) any {
	for _, name := range []string{"action", "type", ""} {
		if v := args.Get(name); v != nil {
			return v
		}
	}
	return nil
}

// form is how one action is written and read.
type form struct {
	written string
	read    func(*autoglm, *reading) actions.Action
}

// reading is one call while it is read.
type reading struct {
	dialect.Args
	thought string
	now     *dialect.Situation
}

const (
	element = `element=[x,y]`
	message = `message="..."`
)

// forms are the actions by their names.
var forms = map[string]form{
	"launch": {`do(action="Launch", app="name")`, func(_ *autoglm, r *reading) actions.Action {
		return actions.OpenApp{App: r.Text("app", "app_name", "text")}
	}},
	"tap": {`do(action="Tap", ` + element + `)`, (*autoglm).tap},
	"doubletap": {`do(action="Double Tap", ` + element + `)`,
		func(_ *autoglm, r *reading) actions.Action {
			return actions.DoubleClick{At: r.element()}
		}},
	"longpress": {`do(action="Long Press", ` + element + `)`,
		func(_ *autoglm, r *reading) actions.Action {
			return actions.LongPress{At: r.element(), Hold: r.Duration("duration")}
		}},
	"swipe": {`do(action="Swipe", start=[x,y], end=[x,y])`,
		func(_ *autoglm, r *reading) actions.Action {
			return actions.Slide{From: r.Point("start", "start_point"),
				To: r.Point("end", "end_point"), Took: r.Duration("duration")}
		}},
	"type":     {`do(action="Type", text="...")`, typed},
	"typename": {`do(action="Type_Name", text="...")`, typed},
	"back": {`do(action="Back")`, func(*autoglm, *reading) actions.Action {
		return actions.Back{}
	}},
	"home": {`do(action="Home")`, func(*autoglm, *reading) actions.Action {
		return actions.Home{}
	}},
	"wait": {`do(action="Wait", duration="2 seconds")`,
		func(_ *autoglm, r *reading) actions.Action {
			return actions.Wait{For: min(r.Duration("duration", "time"), actions.MaxWait)}
		}},
	"takeover": {`do(action="Take_over", ` + message + `)`,
		func(_ *autoglm, r *reading) actions.Action {
			return actions.Info{Question: r.Text("message", "text"), ByHand: true}
		}},
	"interact": {`do(action="Interact", ` + message + `)`,
		func(g *autoglm, r *reading) actions.Action {
			return actions.Info{Question: cmp.Or(r.Text("message", "text"), g.choose)}
		}},
	"note": {`do(action="Note", ` + message + `)`, func(_ *autoglm, r *reading) actions.Action {
		said := r.Text("message", "text")
		if said == "" || strings.EqualFold(said, "true") { // what is to be kept is the thought
			said, _ = dialect.Shorten(r.thought, actions.MaxText/2)
		}
		return actions.Note{Text: said}
	}},
	"callapi": {`do(action="Call_API", instruction="...")`,
		func(_ *autoglm, r *reading) actions.Action {
			return actions.Note{Text: r.Text("instruction", "message")}
		}},
	"abort": {`do(action="Abort", ` + message + `)`, func(_ *autoglm, r *reading) actions.Action {
		return actions.Abort{Reason: r.Text("message", "text")}
	}},
}

// names are those of the forms, as they are written.
const names = `one of Launch, Tap, Double Tap, Long Press, Swipe, Type, Back, Home, Wait, ` +
	`Take_over, Interact, Note, Abort, or finish(message="...")`

func (r *reading) element() screen.Point { return r.Point("element", "point", "coordinate") }

func typed(_ *autoglm, r *reading) actions.Action {
	return actions.Type{Text: r.Raw("text"), Clear: true}
}

// consents are the options of the question whether a tap may be, the first of which agrees.
var consents = map[string][]string{"en": {"Yes", "No"}, "zh": {"是", "否"}}

// agreed is an answer that lets a tap be, whether or not it is one of the options.
var agreed = lazyregexp.New(`(?i)^\s*(?:yes|y|ok|okay|是|是的|好|好的|可以|同意|确认)[\s.!。！]*$`)

// tap is a tap, or, when it comes with a message, the question that the message is: such a tap is
// one that a person has to agree to. The agreement is for that place, and for the reply right
// behind it.
func (g *autoglm) tap(r *reading) actions.Action {
	tap := actions.Click{At: r.element()}
	asked := r.Text("message")
	if asked == "" {
		return tap
	}
	asked = fmt.Sprintf("%s (%.0f%%, %.0f%%)", asked, tap.At.X*100, tap.At.Y*100)
	last := len(r.now.Exchanges) - 1
	if last < 0 || !r.now.ReplyJustIn || r.now.Exchanges[last].Question != asked {
		return actions.Info{Question: asked, Options: consents[g.Profile().Lang]}
	}
	switch e := r.now.Exchanges[last]; e.Outcome {
	case actions.Answered, actions.DefaultAnswer:
		if agreed.MatchString(e.Answer) {
			return tap
		}
	}
	r.Complain("the question about this tap was asked, and no person has agreed")
	return tap
}

// decode makes the action that the call names.
func (g *autoglm) decode(c call, thought string, s *dialect.Situation) (actions.Action, error) {
	r := &reading{Args: dialect.Args{Values: c.Args, Scale: g.Scale(s)}, thought: thought, now: s}
	if strings.EqualFold(c.Name, "finish") {
		report := cmp.Or(r.Text("message", "text"), loose.Text(c.Args.Get("")))
		if r.Has("success") && !r.Flag("success") {
			return r.Check(actions.Abort{Reason: report}, `finish(message="...")`)
		}
		return r.Check(actions.Complete{Report: report}, `finish(message="...")`)
	}
	written := loose.Text(action(c.Args))
	f, ok := forms[verb(written)]
	switch {
	case written == "":
		return nil, dialect.Refuse("do has no action", names)
	case !ok:
		return nil, dialect.Refuse("unknown action "+text.Quote(written, dialect.MaxShown), names)
	}
	return r.Check(f.read(g, r), f.written)
}
