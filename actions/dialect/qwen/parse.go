package qwen

import (
	"regexp"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
)

const anyForm = `<tool_call> {"name": "mobile_use", "arguments": {"action": ...}} </tool_call>`

// Parse reads a thought, a sentence and the first call of the tool. Further calls were planned for
// screens that the model has not seen, and are passed over; an end of the task has to be alone.
func (q *qwen) Parse(r actions.Reply, s dialect.Situation) (actions.Decision, error) {
	thought, body := split(r)
	args, behind, problem := called(r.Calls)
	switch {
	case len(r.Calls) > 0:
		thought = strings.TrimSpace(thought + "\n" + body)
	case begins(body):
		args, behind, problem = written(body)
	default:
		return actions.Decision{}, dialect.Unread(r, body, anyForm)
	}
	switch {
	case r.Cut && (problem != "" || behind == "" && !whole.MatchString(body)):
		return actions.Decision{}, dialect.Unread(r, body, anyForm)
	case problem != "":
		return actions.Decision{}, dialect.Refuse(problem, anyForm)
	}
	in := dialect.Args{Values: args, Scale: q.Scale(&s)}
	a, err := decode(&in)
	if err != nil {
		return actions.Decision{}, err
	}
	if dialect.Ends(a) && strings.Contains(behind, `"action"`) {
		return actions.Decision{}, dialect.Refuse("the reply ends the task and has another action",
			"exactly one action, "+anyForm)
	}
	thought, said := sentence(thought, behind)
	return actions.Decision{Action: a, Thought: thought, Explain: said}, nil
}

// Wrote reports whether a reply calls the tool, by itself or between the tags.
func Wrote(r actions.Reply) bool {
	if len(r.Calls) > 0 {
		return r.Calls[0].Name == tool
	}
	_, body := split(r)
	return begins(body)
}

const tool = "mobile_use"

var (
	inLine = regexp.MustCompile(`(?i)<\s*tool_call\s*>\s*[{｛]`)
	front  = regexp.MustCompile(`(?i)^(?:<\s*tool_call\s*>|###\s*action\s*###)\s*`)
	tagged = regexp.MustCompile(front.String() + `[{｛]`)
	bare   = regexp.MustCompile(`^[{｛]+\s*["']?name["']?\s*[:：]\s*["']?` + tool)
	whole  = regexp.MustCompile(`(?i)[}｝]\s*(?:<\s*/\s*tool_call\s*>\s*)?$`)
)

func begins(s string) bool { return tagged.MatchString(s) || bare.MatchString(s) }

// split separates the thought from the call, which may begin within a line.
func split(r actions.Reply) (thought, body string) {
	thought, body = dialect.Split(r, begins)
	if at := inLine.FindStringIndex(body); at != nil && !begins(body) {
		return dialect.Reasoned(thought, dialect.Bare(body[:at[0]])), body[at[0]:]
	}
	return thought, body
}

// called is the arguments of the first native call; behind are those of the others.
func called(calls []actions.Call) (args loose.Object, behind, problem string) {
	if len(calls) == 0 {
		return nil, "", ""
	}
	if name := calls[0].Name; name != tool {
		return nil, "", "there is no tool " + text.Quote(name, dialect.MaxShown)
	}
	for _, c := range calls[1:] {
		behind += c.Arguments
	}
	args, _, err := loose.ReadObject(calls[0].Arguments)
	if err != nil {
		return nil, "", "the call's arguments could not be read: " + err.Error()
	}
	return args, behind, ""
}

// written is the arguments of the call that the body begins with. The arguments may be a text that
// holds them, or stand alone.
func written(body string) (args loose.Object, behind, problem string) {
	body = front.ReplaceAllString(body, "")
	if strings.HasPrefix(body, "{{") {
		body = body[1:]
	}
	call, behind, err := loose.ReadObject(body)
	if err != nil {
		return nil, "", "the call could not be read: " + err.Error()
	}
	switch v := call.Get("arguments").(type) {
	case loose.Object:
		return v, behind, ""
	case string:
		if args, _, err = loose.ReadObject(v); err != nil {
			return nil, "", "the call's arguments could not be read: " + err.Error()
		}
		return args, behind, ""
	}
	if call.Get("action") == nil {
		return nil, "", "the call has no arguments"
	}
	return call, behind, ""
}

var (
	actionLine = regexp.MustCompile(`(?im)^[ \t*]*action[ \t*]*[:：][ \t*]*(.*)$`)
	conclusion = regexp.MustCompile(
		`(?is)^.*(?:<\s*conclusion\s*>|###\s*description\s*###)(.*?)(?:<\s*/\s*conclusion\s*>|$)`)
)

// sentence takes what the model says of the action out of the thought, or from behind the call.
func sentence(thought, behind string) (rest, said string) {
	if m := conclusion.FindStringSubmatch(behind); m != nil {
		return thought, strings.TrimSpace(m[1])
	}
	all := actionLine.FindAllStringSubmatchIndex(thought, -1)
	if len(all) == 0 {
		return thought, ""
	}
	m := all[len(all)-1]
	said = strings.Trim(strings.TrimSpace(thought[m[2]:m[3]]), `"`)
	return strings.TrimSpace(thought[:m[0]] + thought[m[1]:]), said
}

// decode makes the action that the arguments name.
func decode(in *dialect.Args) (actions.Action, error) {
	name := in.Text("action")
	f, known := forms[strings.ToLower(name)]
	switch {
	case name == "":
		return nil, dialect.Refuse("the argument action is missing", anyForm)
	case !known:
		return nil, dialect.Refuse("unknown action "+text.Quote(name, dialect.MaxShown), "one of "+
			names)
	}
	return in.Check(f.read(in), f.want)
}
