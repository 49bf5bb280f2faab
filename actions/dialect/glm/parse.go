package glm

import (
	"regexp"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
)

const anyForm = `Action: {"action_type": ...}`

// Parse reads a note, a reason and the one action.
func (g *glm) Parse(r actions.Reply, s dialect.Situation) (actions.Decision, error) {
	front, body := split(r)
	if !begins(body) {
		return actions.Decision{}, dialect.Unread(r, body, anyForm)
	}
	body = label.ReplaceAllString(body, "")
	if strings.HasPrefix(body, "{{") {
		body = body[1:]
	}
	args, behind, err := loose.ReadObject(boxed.ReplaceAllString(body, "$1"))
	if err != nil {
		return actions.Decision{}, dialect.Refuse("the action could not be read: "+err.Error(),
			anyForm)
	}
	thought, memory, reason := parts(front)
	n := dialect.ReadNamed(args, forms.Has)
	if n.Twice != "" && n.Arguments.Doubled() == "" {
		return actions.Decision{}, dialect.Refuse(text.Quote(n.Twice, dialect.MaxShown)+
			" is there twice", anyForm)
	}
	a, err := forms.Decode(n.Name, g.Args(n.Arguments, reason, &s),
		"one of "+strings.Join(forms.Names(), ", "))
	if err != nil {
		return actions.Decision{}, err
	}
	if dialect.Another(args, behind, dialect.Keyed(further), loose.ReadObject) {
		return actions.Decision{}, dialect.Several(anyForm)
	}
	return actions.Decision{Action: a, Thought: thought, Explain: reason, Summary: memory}, nil
}

// Wrote reports whether a reply has, behind its thought, JSON with an action_type.
func Wrote(r actions.Reply) bool {
	_, body := split(r)
	return begins(body)
}

var (
	further = regexp.MustCompile(`\baction_type["']?\s*[:：]`)

	// boxed is a place between the tokens of one.
	boxed = regexp.MustCompile(`<\|begin_of_box\|>\s*(\[[\d\s.,\[\]]*\])\s*<\|end_of_box\|>`)

	label = regexp.MustCompile("(?i)^(?:[ \t*#]*action[ \t*]*[:：][\\s*]*)?" + wrapped)
	start = regexp.MustCompile(label.String() + object)
	// inLine is an action behind words.
	inLine = regexp.MustCompile("(?i)(?:\\baction\\**[ \t]*[:：][\\s*]*" + wrapped +
		`|<\|begin_of_box\|>\s*|<answer>\s*)` + object)
)

const (
	wrapped = "(?:(?:<\\|begin_of_box\\|>|<answer>|```[a-z]*|[`\"\\[])\\s*)*"
	// object has its action_type anywhere in front of a nested object, which may be the action.
	object = `(?:[{｛]\s*(?:[^{}｛｝]*[,，]\s*)?["']?action["']?\s*[:：]\s*)?` +
		`[{｛]+\s*(?:[^{}｛｝]*[,，]\s*)?["']?action_type\b`
)

func begins(s string) bool { return start.MatchString(s) }

func split(r actions.Reply) (front, body string) { return dialect.SplitLine(r, begins, inLine) }

// labelled is a thought, a note and a reason, each of which may be missing.
var labelled = regexp.MustCompile(`(?is)^(.*?)(?:(?:^|[^\pL])[*#]*memory[ \t*]*[:：](.*?))?` +
	`(?:(?:^|\s)[*#]*reason[ \t*]*[:：](.*))?$`)

// parts splits the text in front of the action into a thought, a note and the reason.
func parts(front string) (thought, memory, reason string) {
	m := labelled.FindStringSubmatch(front)
	return strings.TrimSpace(m[1]), strings.Trim(m[2], " \t\n*"), strings.Trim(m[3], " \t\n*")
}
