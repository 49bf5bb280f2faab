package uitars

import (
	"regexp"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
)

const anyForm = "a line such as Action: click(start_box='(x1,y1)')"

// Parse reads a thought and the one call behind Action.
func (u *uitars) Parse(r actions.Reply, s dialect.Situation) (actions.Decision, error) {
	thought, body := split(r)
	if !begins(body) {
		return actions.Decision{}, dialect.Unread(r, body, anyForm)
	}
	if bareName.MatchString(body) {
		body = strings.TrimRight(body, "*` \n") + "()"
	}
	prose := !labelled.MatchString(body) && strings.TrimSpace(thought) != "" &&
		!thoughtLabel.MatchString(thought) && r.Reasoning == "" &&
		!dialect.ThinkEnd.MatchString(r.Text)
	body = actionLabel.ReplaceAllString(body, "")
	call, behind, err := read(body)
	if err != nil {
		return actions.Decision{}, dialect.Refuse("the action could not be read: "+err.Error(),
			anyForm)
	}
	thought = thoughtLabel.ReplaceAllString(thought, "")
	a, err := forms.Decode(call.Name, u.Args(call.Args, thought, &s),
		"one of "+strings.Join(shown(), ", "))
	if err != nil {
		return actions.Decision{}, err
	}
	if dialect.Ends(a) && prose { // it may only speak of the call
		return actions.Decision{}, dialect.Unread(r, body, anyForm)
	}
	if err := dialect.Mentioned(a, "", behind, anyForm); err != nil {
		return actions.Decision{}, err
	}
	if dialect.Ends(a) && swallowed(body[:len(body)-len(behind)]) ||
		dialect.Another(call, behind, next, read) {
		return actions.Decision{}, dialect.Several(anyForm)
	}
	return actions.Decision{Action: a, Thought: thought}, nil
}

func read(text string) (call loose.Call, rest string, err error) {
	if tagCall().MatchString(text) {
		call, rest, err = loose.ReadTags(text)
		for i, m := range call.Args {
			if s := loose.Text(m.Value); strings.HasSuffix(s, `\n`) { // as within quotes
				call.Args[i].Value = strings.TrimSuffix(s, `\n`) + "\n"
			}
		}
		if dialect.IsSet(call.Name) && !forms.Has(call.Name) && dialect.NamesAction(call.Args) {
			n := dialect.ReadNamed(call.Args, forms.Has)
			call = loose.Call{Name: n.Name, Args: n.Arguments}
		}
		return call, rest, err
	}
	return loose.ReadCall(text)
}

// next finds the next call.
func next(text string) int {
	if at := anotherCall().FindStringSubmatchIndex(text); at != nil {
		return max(at[2], at[4])
	}
	return -1
}

// Wrote reports whether a reply has, behind its thought, a line Action with a call, or a call of
// the family alone.
func Wrote(r actions.Reply) bool {
	_, body := split(r)
	return begins(body)
}

// split finds the call, which may stand behind the thought in its line if nothing stands behind it.
func split(r actions.Reply) (thought, body string) {
	return dialect.SplitLine(r, begins, inLine)
}

func begins(s string) bool {
	return labelled.MatchString(s) || bareName.MatchString(s) || ownCall().MatchString(s) ||
		tagCall().MatchString(s)
}

var (
	actionLabel = regexp.MustCompile("(?i)^(?:" + label + ")?" + wrapped)
	labelled    = regexp.MustCompile("(?i)^" + label + wrapped + `[\pL_.]+\s*[(（]`)
	inLine      = regexp.MustCompile(`(?i)\baction\s*[:：]\s*[\pL_]+\s*[(（][^\n]*[)）]\s*$`)
	// bareName is the name of a call that needs no arguments, without its brackets.
	bareName = regexp.MustCompile("(?i)^" + label + wrapped +
		"press_(?:back|home|recent)[\\s*`]*$")
	thoughtLabel = regexp.MustCompile(`(?im)^[\s*#]*(?:thought|思考)[ \t*]*[:：][ \t*]*`)

	anyCall = `(?i:(?:(?:pyautogui|default_api|functions)\.)?(?:` +
		strings.Join(forms.Everywhere(), "|") + `))\s*[(（]`
	tagCall     = text.Lazily(`^` + loose.Function(loose.AnyName))
	ownCall     = text.Lazily(`^` + wrapped + anyCall)
	innerCall   = text.Lazily(`[^\pL\pN_]` + anyCall)
	anotherCall = text.Lazily(`(?m)(?:^|[\s;:：,])(` + anyCall + `)|(` +
		loose.Function(loose.AnyName) + `)`)
)

// swallowed reports whether a call has another one within it, or the end of a thought: then it may
// have begun in a text that the model copied from the screen.
func swallowed(call string) bool {
	return innerCall().MatchString(call) || dialect.ThinkEnd.MatchString(call)
}

const (
	// label is the word in front of a call, which may be between tags with it.
	label = `(?:<answer>|<\|begin_of_box\|>|[\s*#])*(?:(?:next )?actions?(?: ?\d)?|动作|行动|操作)` +
		`[ \t*]*[:：](?:\s*\[)?`
	// wrapped is what may stand in front of a call.
	wrapped = "[\\s*]*(?:(?:```(?:[a-z]*\\s)?|`|<\\|begin_of_box\\|>|<answer>)\\s*)*"
)
