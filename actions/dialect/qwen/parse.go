package qwen

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
)

const anyForm = `<tool_call> {"name": "mobile_use", "arguments": {"action": ...}} </tool_call>`

// Parse reads a thought, a sentence and the one call of the tool.
func (q *qwen) Parse(r actions.Reply, s dialect.Situation) (actions.Decision, error) {
	thought, body := split(r)
	args, behind, err := called(r.Calls)
	switch {
	case len(r.Calls) > 0:
		thought = strings.TrimSpace(thought + "\n" + body)
	case begins(body):
		args, behind, err = written(body)
	default:
		return actions.Decision{}, dialect.Unread(r, body, anyForm)
	}
	if err != nil {
		return actions.Decision{}, dialect.Refuse(err.Error(), anyForm)
	}
	a, err := forms.Decode(loose.Text(args.Get("action")), q.Args(args, thought, &s),
		"one of "+strings.Join(forms.Names(), ", "))
	if err != nil {
		return actions.Decision{}, err
	}
	if dialect.Another(args, behind, dialect.Keyed(further), written) {
		return actions.Decision{}, dialect.Several(anyForm)
	}
	if len(r.Calls) == 0 {
		if err := dialect.Mentioned(a, "", behind, anyForm); err != nil {
			return actions.Decision{}, err
		}
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
	further = regexp.MustCompile(`\baction["']?\s*[:：]|<function[\s=]`)

	inLine = regexp.MustCompile(`(?i)<\s*tool_call\s*>\s*(?:[{｛]|<function[\s=])`)
	front  = regexp.MustCompile("(?i)^(?:<\\s*tool_call\\s*>|###\\s*action\\s*###)" +
		"\\s*(?:```[a-z]*\\s*)?")
	tagged = regexp.MustCompile(front.String() + `[{｛]`)
	own    = regexp.MustCompile(`^` + loose.Function(tool))
	bare   = regexp.MustCompile(`^[{｛]+\s*["']?name["']?\s*[:：]\s*["']?` + tool)
)

func begins(s string) bool {
	return tagged.MatchString(s) || bare.MatchString(s) || own.MatchString(s)
}

func split(r actions.Reply) (thought, body string) { return dialect.SplitLine(r, begins, inLine) }

// called returns the arguments of the first native call, and in behind those of the others.
func called(calls []actions.Call) (args loose.Object, behind string, err error) {
	for i, c := range calls {
		if c.Name != tool {
			return nil, "", errors.New("there is no tool " + text.Quote(c.Name, dialect.MaxShown))
		}
		if i > 0 {
			behind += c.Arguments
		}
	}
	if len(calls) > 0 {
		args, err = dialect.CallArguments(calls[0])
	}
	if err != nil {
		err = fmt.Errorf("the call's arguments could not be read: %w", err)
	}
	return args, behind, err
}

// written is the arguments of the call that the body begins with. The arguments may be a text that
// holds them, or stand alone.
func written(body string) (args loose.Object, behind string, err error) {
	if own.MatchString(body) {
		call, behind, err := loose.ReadTags(body)
		return call.Args, behind, err
	}
	body = front.ReplaceAllString(body, "")
	if strings.HasPrefix(body, "{{") {
		body = body[1:]
	}
	call, behind, err := loose.ReadObject(body)
	if err != nil {
		return nil, "", fmt.Errorf("the call could not be read: %w", err)
	}
	if v, is := call.Get("arguments").(string); is {
		if _, _, err = loose.ReadObject(v); err != nil {
			return nil, behind, fmt.Errorf("the call's arguments could not be read: %w", err)
		}
	}
	if !dialect.NamesAction(call) {
		return nil, behind, errors.New("the call has no arguments")
	}
	n := dialect.ReadNamed(call, forms.Has)
	if twice := call.Doubled(); twice != "" && call.Get("action") == nil {
		return nil, behind, errors.New(text.Quote(twice, dialect.MaxShown) + " is there twice")
	}
	return append(loose.Object{{Name: "action", Value: n.Name}}, n.Arguments...), behind, nil
}

var (
	actionLine = regexp.MustCompile(`(?im)^[ \t*]*action[ \t*]*[:：][ \t*]*(.*)$`)
	opening    = regexp.MustCompile(`(?i)<\s*tool_call\s*>\s*$`)
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
	said = strings.Trim(strings.TrimSpace(opening.ReplaceAllString(thought[m[2]:m[3]], "")), `"`)
	return strings.TrimSpace(thought[:m[0]] + thought[m[1]:]), said
}
