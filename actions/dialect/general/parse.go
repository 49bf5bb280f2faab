package general

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
)

const anyForm = `{"thought": "...", "action": {"type": "tap", "x": ..., "y": ...}}`

// writtenAction is an action as it was written.
type writtenAction struct {
	name      string
	arguments loose.Object
	thought   string
	text      string // as it stands in the reply, where it is no native call
	unread    string // why its arguments could not be read
	twice     string // the name of what its object has more than once
}

func (c writtenAction) ends() bool {
	f := forms.Find(c.name)
	return f != nil && dialect.Ends(f.Action)
}

// same reports whether the calls are one, which was written twice.
func (c writtenAction) same(as writtenAction) bool {
	return c.name == as.name && c.unread == as.unread &&
		reflect.DeepEqual(c.arguments, as.arguments)
}

func begins(text string) bool {
	text = strings.TrimLeft(text, "[ \t\n")
	if !strings.HasPrefix(text, "{") {
		return false
	}
	o, _, err := loose.ReadObject(text)
	return err != nil || len(actionsOf(o)) > 0
}

// actionsOf are the actions of an object: the ones it lists, or the one that it names.
func actionsOf(o loose.Object) []loose.Object {
	if all := listed(o); len(all) > 0 {
		return all
	}
	if one, is := dialect.ActionIn(o, forms.Has); is {
		return []loose.Object{one}
	}
	if one, is := dialect.ByVerb(o, forms.Has); is {
		return []loose.Object{one}
	}
	return nil
}

// listed are the actions in a list of an object's.
func listed(o loose.Object) (all []loose.Object) {
	for _, key := range []string{"actions", "action", "tool_calls", "tool_uses"} {
		list, _ := o.Get(key).([]any)
		for _, v := range list {
			one, _ := v.(loose.Object)
			if a, is := dialect.ActionIn(one, forms.Has); is {
				all = append(all, append(slices.Clip(a), dialect.Doubts(o)...))
			}
		}
	}
	return all
}

// Wrote reports whether the reply has a JSON object with an action behind its thought.
func Wrote(r actions.Reply) bool {
	_, body := dialect.Split(r, begins)
	return slices.ContainsFunc(objects(body), func(c writtenAction) bool {
		others := strings.Contains(c.text, "action_type") &&
			(strings.Contains(c.text, "box_2d") || !forms.Has(c.name))
		return !others
	})
}

// WroteTools reports whether the reply has native tool calls.
func WroteTools(r actions.Reply) bool { return len(r.Calls) > 0 }

// Parse implements dialect.Dialect: native tool calls, or a thought and a JSON object.
func (g *general) Parse(r actions.Reply, s dialect.Situation) (actions.Decision, error) {
	thought, body := dialect.Split(r, begins)
	calls, want := objects(body), anyForm
	if g.native {
		thought, calls = dialect.Reasoned(r.Reasoning, dialect.Bare(r.Text)), native(r.Calls)
		want = "a call of one tool, such as tap"
	}
	if len(calls) == 0 {
		return actions.Decision{}, dialect.Unread(r, body, want)
	}
	if why := calls[0].unread; why != "" {
		return actions.Decision{}, dialect.Refuse("the arguments of "+
			text.Quote(calls[0].name, dialect.MaxShown)+" could not be read: "+why, want)
	}
	if twice := calls[0].twice; twice != "" {
		return actions.Decision{}, dialect.Refuse(text.Quote(twice, dialect.MaxShown)+
			" is there twice", "each once: "+want)
	}
	for _, c := range calls {
		if c.ends() && c.swallowed() || !c.same(calls[0]) {
			return actions.Decision{}, dialect.Several(want)
		}
	}
	d, err := g.decode(calls[0], &s)
	if err == nil && !g.native {
		err = mentioned(d.Action, body, calls[0].text)
	}
	if err != nil {
		return actions.Decision{}, err
	}
	d.Thought = dialect.Reasoned(thought, calls[0].thought)
	return d, nil
}

// leadsTo is how the words in front of an object in its line end, where the object is meant.
var leadsTo = text.Lazily(`(?:^|[^\pL\pN,，\s"'“”‘’])["'“”‘’]*[ \t]*$|\w$`)

// mentioned is the complaint about an action that is a part of a sentence.
func mentioned(a actions.Action, body, object string) error {
	before, _, _ := strings.Cut(body, object)
	before = before[strings.LastIndex(before, "\n")+1:]
	behind := body[strings.LastIndex(body, object)+len(object):]
	if !leadsTo().MatchString(before) {
		behind = "it is spoken of"
	}
	return dialect.Mentioned(a, before, behind, anyForm)
}

// native are the tool calls.
func native(calls []actions.Call) []writtenAction {
	var all []writtenAction
	for _, c := range calls {
		arguments := strings.TrimSpace(c.Arguments)
		read := writtenAction{name: c.Name}
		if f := forms.Find(c.Name); arguments == "" && f != nil && f.Action == dialect.UsualWait {
			read.unread = "they are missing" // and may have been cut off
		}
		if arguments != "" && arguments != "null" { // else there are none
			o, err := dialect.CallArguments(c)
			own := listed(o)
			if read.arguments = o; err != nil {
				read.unread = err.Error()
			} else if set := !forms.Has(c.Name) && dialect.IsSet(c.Name); set &&
				dialect.NamesAction(o) {
				read = flat(o)
			} else if set && len(own) > 0 {
				for _, one := range own[1:] {
					all = append(all, flat(one))
				}
				read = flat(own[0])
			}
		}
		all = append(all, read)
	}
	return all
}

// objects are the actions of a text: its balanced objects with an action in them. A broken object
// that has an action ends them: a later action alone is not acted on.
func objects(text string) []writtenAction {
	var all []writtenAction
	for range maxObjects {
		at := strings.IndexAny(text, "{｛")
		if at < 0 {
			return all
		}
		o, rest, err := loose.ReadObject(text[at:])
		if err != nil {
			_, size := utf8.DecodeRuneInString(text[at:])
			rest = text[at+size:]
			end := strings.IndexAny(rest, "{｛")
			if end < 0 || key.MatchString(rest[:end]) {
				return all
			}
		} else {
			for _, one := range actionsOf(o) {
				c := flat(one)
				c.text = strings.TrimRight(text[at:len(text)-len(rest)], " \t\n")
				all = append(all, c)
			}
		}
		text = rest
	}
	return all
}

// maxObjects bounds how many braces of a reply are looked at.
const maxObjects = 50

// key is the name of what an action is in.
var key = regexp.MustCompile(`(?:action|type)["']?\s*[:：=]`)

var again = regexp.MustCompile(`["']?action["']?\s*[:：=]\s*["'{]`)

// swallowed reports whether the object has another action within it, or the end of a thought: then
// it may have begun in a text that the model copied from the screen.
func (c writtenAction) swallowed() bool {
	return len(again.FindAllString(c.text, -1)) > 1 || dialect.ThinkEnd.MatchString(c.text)
}

// flat returns the action of an object.
func flat(o loose.Object) writtenAction {
	n := dialect.ReadNamed(o, forms.Has)
	return writtenAction{name: n.Name, arguments: n.Arguments, thought: n.Thought, twice: n.Twice}
}

// decode makes the action of that name with these arguments, and says on which element.
func (g *general) decode(c writtenAction, s *dialect.Situation) (d actions.Decision, err error) {
	in := g.Args(c.arguments, "", s)
	d.Action, err = forms.Decode(c.name, in, "one of "+strings.Join(forms.Names(), ", "))
	d.Explain = in.Named
	return d, err
}
