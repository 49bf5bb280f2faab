package autoglm

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
)

const anyForm = `do(action="Tap", element=[x,y]) or another action, or finish(message="...")`

var (
	// wrapper is what may stand in front of a call.
	wrapper = regexp.MustCompile("(?i)^(?:[*#]*action[*]*[:：][*]*|<\\s*(?:answer|tool_call)\\s*>|" +
		"<\\|begin_of_box\\|>|```(?:[a-z]*\\s)?|`|\\s)+")
	// braced is a call that has the brackets of an object or of a list around it.
	braced = regexp.MustCompile(`(?is)^[{｛\[]+\s*((?:do|finish)\s*[(（].*[)）])\s*[}｝\]]`)
	// inLine is a call behind a sentence, and nothing behind it.
	inLine = text.Lazily("(?i)[.。!！:：]\\s*(do\\s*[(（].*[)）])[\\s</>a-z`]*$")
	start  = regexp.MustCompile(`(?i)^(?:do|finish)\s*[(（]`)
	// half begins as JSON and ends as a call.
	half = regexp.MustCompile(
		`^[\[{\s]*['"](?:type|action)['"]\s*:\s*['"]([\w ]+)['"](\s*,\s*\w+\s*=)`)
	// further is a call behind the first one.
	further = text.Lazily(`(?i)(?:^|[^\pL\pN_.])((?:do|finish)\s*[(（])`)
)

// begins reports whether a text begins with a call.
func begins(text string) bool {
	text = unwrapped(text)
	return start.MatchString(text) || half.MatchString(text)
}

// unwrapped is a text without what stands in front of the call that it begins with.
func unwrapped(text string) string {
	return braced.ReplaceAllString(wrapper.ReplaceAllString(text, ""), "$1")
}

// Wrote reports whether the reply has a call behind its thought.
func Wrote(r actions.Reply) bool {
	_, body := split(r)
	return begins(body)
}

// split finds the call, which may stand behind a sentence if nothing stands behind it.
func split(r actions.Reply) (thought, body string) {
	thought, body = dialect.Split(r, begins)
	if begins(body) {
		return thought, body
	}
	if at := inLine().FindStringSubmatchIndex(body); at != nil {
		return dialect.Reasoned(thought, dialect.Bare(body[:at[2]])), body[at[2]:]
	}
	return thought, body
}

// Parse implements dialect.Dialect: a thought and one call.
func (g *autoglm) Parse(r actions.Reply, s dialect.Situation) (actions.Decision, error) {
	thought, body := split(r)
	if !begins(body) {
		return actions.Decision{}, dialect.Unread(r, body, anyForm)
	}
	calls, err := read(body)
	if err != nil {
		return actions.Decision{}, err
	}
	c, err := one(calls, &s)
	if err != nil {
		return actions.Decision{}, err
	}
	a, err := g.decode(c, thought, &s)
	if err != nil {
		return actions.Decision{}, err
	}
	return actions.Decision{Action: a, Thought: thought}, nil
}

// writtenCall is a call as it was written.
type writtenCall struct {
	loose.Call
	text string // as it stands in the reply
}

// swallowed reports whether the call has another one within it, or the end of a thought: then it
// may have begun in a text that the model copied from the screen.
func (c writtenCall) swallowed() bool {
	return further().MatchString(c.text[1:]) || dialect.ThinkEnd.MatchString(c.text)
}

func (c writtenCall) ends() bool {
	form := forms.Find(loose.Text(action(c.Args)))
	return strings.EqualFold(c.Name, "finish") || form != nil && form.Name == "Abort"
}

// read is the call that the text begins with and those behind it.
func read(text string) ([]writtenCall, error) {
	text = half.ReplaceAllString(unwrapped(text), `do(action="$1"$2`)
	first, rest, err := next(text)
	if err != nil {
		return nil, dialect.Refuse("the call cannot be read: "+err.Error(), anyForm)
	}
	if tail := strings.TrimLeft(rest, " "); strings.HasPrefix(tail, `"`) ||
		strings.HasPrefix(tail, "'") {
		return nil, dialect.Refuse("it is not clear where a text in the call ends", anyForm+
			`, with \" for a quote within a text`)
	}
	all := []writtenCall{first}
	for {
		at := further().FindStringSubmatchIndex(rest)
		if at == nil {
			return all, nil
		}
		c, behind, err := next(rest[at[2]:])
		if err != nil {
			behind = rest[at[3]:]
		} else {
			all = append(all, c)
		}
		rest = behind
	}
}

func next(text string) (writtenCall, string, error) {
	c, rest, err := loose.ReadCall(text)
	if err != nil {
		return writtenCall{}, text, err
	}
	if len(c.Args) == 1 && c.Args[0].Name == "" { // do({"action": ...})
		if o, is := c.Args[0].Value.(loose.Object); is {
			c.Args = o
		}
	}
	if name := loose.Text(action(c.Args)); strings.EqualFold(name, "finish") {
		c.Name = name // do(action="finish", ...)
	}
	return writtenCall{c, strings.TrimRight(text[:len(text)-len(rest)], " \t\n")}, rest, nil
}

// one returns the intended call. A model that repeats its last call, which had no effect, and then
// gives another one means the other one. Several calls are an error in any other case.
func one(calls []writtenCall, s *dialect.Situation) (writtenCall, error) {
	if n := len(s.History); len(calls) > 1 && n > 0 {
		_, body := dialect.Split(s.History[n-1].Reply, begins)
		if before, err := read(body); begins(body) && err == nil &&
			reflect.DeepEqual(before[0].Call, calls[0].Call) {
			calls = calls[1:]
		}
	}
	for _, c := range calls[1:] {
		if !reflect.DeepEqual(c.Call, calls[0].Call) {
			return writtenCall{}, dialect.Several(anyForm)
		}
	}
	if calls[0].ends() && calls[0].swallowed() {
		return writtenCall{}, dialect.Several(anyForm)
	}
	return calls[0], nil
}

// decode makes the action that the call names.
func (g *autoglm) decode(c writtenCall, thought string, s *dialect.Situation) (
	actions.Action, error) {
	if strings.EqualFold(c.Name, "finish") {
		return finish.Decode(g.Args(c.Args, thought, s), anyForm)
	}
	name, args := loose.Text(action(c.Args)), c.Args
	if len(args) > 0 && args[0].Name == "" { // do("Tap", ...)
		args = args[1:]
	}
	return forms.Decode(name, g.Args(args, thought, s), names)
}
