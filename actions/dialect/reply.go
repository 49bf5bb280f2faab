package dialect

import (
	"encoding/json"
	"html"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
)

var (
	// fence is a line that only opens or closes a block of code.
	fence = regexp.MustCompile("(?m)^[ \t]*```[A-Za-z0-9_-]*[ \t]*$")
	// fenced is a text that is such a block as a whole.
	fenced = regexp.MustCompile("^\\s*```[A-Za-z0-9_-]*[ \t]*\n((?s:.*?))(?:\n[ \t]*```\\s*)?$")
	// control is tokens such as <|im_end|> that leaked out.
	control = regexp.MustCompile(`(?:\s*<\|[A-Za-z_]+\|>)+$`)
	// blank is empty lines in front and behind. Spaces behind the last words may belong to a value.
	blank = regexp.MustCompile(`^\s+|\n\s*$`)
	// reserved is the end of a tag's name that models of Seed were trained on in place of the tag.
	reserved = regexp.MustCompile(`(</?\w+)_never_used_[0-9a-f]{32}`)
)

// unixLines is made once: to make one costs more than to use it.
var unixLines = strings.NewReplacer("\uFEFF", "", "\r\n", "\n", "\r", "\n")

// Clean removes byte order marks, carriage returns, a code fence around the whole and leaked tokens
// at the end of a reply's text.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = reserved.ReplaceAllString(unixLines.Replace(s), "$1")
	s = unescaped(control.ReplaceAllString(blank.ReplaceAllString(s, ""), ""))
	return blank.ReplaceAllString(Unfenced(s), "")
}

// entities is a text whose quotes are those of HTML.
var entities = regexp.MustCompile(`^[^"']*&quot;[^"]*$`)

// unescaped is a text that was JSON or HTML as a whole, without its escapes.
func unescaped(s string) (plain string) {
	if strings.HasPrefix(s, `"`) && json.Unmarshal([]byte(s), &plain) == nil {
		return plain
	}
	if entities.MatchString(s) {
		return html.UnescapeString(s)
	}
	return s
}

// Unfenced is a text without the code fence around the whole of it. Fences within belong to a text.
func Unfenced(s string) string {
	if m := fenced.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return s
}

// think is the name of a tag around a thought, misspelt by quantised models.
const think = `(?:seed:)?(?:thinking|think|tink|thin)`

// Tags around a thought, and tokens in their place: those of Kimi, Mistral, Command and Harmony.
const (
	thinkOpen = `<\s*` + think + `\s*>|\[think\]|◁think▷|\{think\}|<\|start_thinking\|>|` +
		`<\|channel\|>analysis<\|message\|>`
	thinkEnd = `<\s*/\s*` + think + `\s*>|\[/think\]|◁/think▷|\{/think\}|<\|end_thinking\|>|` +
		`<\|end\|>|assistantfinal\b`
)

var (
	ThinkTag = regexp.MustCompile(`(?i)` + thinkOpen + `|` + thinkEnd) // either
	ThinkEnd = regexp.MustCompile(`(?i)` + thinkEnd)
)

// around is what else may stand around a thought.
var around = regexp.MustCompile(`(?i)<\|(?:begin|end)_of_box\|>|<\s*/?\s*answer\s*>`)

// Bare is a thought without its tags.
func Bare(s string) string {
	s = around.ReplaceAllString(ThinkTag.ReplaceAllString(s, ""), "")
	return strings.TrimSpace(fence.ReplaceAllString(s, ""))
}

// thoughtless is a reply's text behind its thought.
func thoughtless(s string) string {
	s = Clean(s)
	if ends := ThinkEnd.FindAllStringIndex(s, -1); len(ends) > 0 {
		s = s[ends[len(ends)-1][1]:]
	}
	return strings.TrimSpace(s)
}

// Reasoned is a thought behind what the endpoint split off as reasoning.
func Reasoned(reasoning, thought string) string {
	return strings.TrimSpace(Bare(reasoning) + "\n" + thought)
}

// Said is a reply's text and its reasoning, clean. Without a text the endpoint may have taken the
// whole reply for reasoning.
func Said(r actions.Reply) (text, reasoning string) {
	if text = Clean(r.Text); text != "" {
		return text, Clean(r.Reasoning)
	}
	return Clean(r.Reasoning), ""
}

// Split splits a reply into the thought and the body. The body starts at the first place that
// begins accepts: the beginning, behind a tag that closes a thought, or else the beginning of a
// line behind the last such tag. So neither a thought nor a typed text passes for the body, and a
// thought that is never closed has no end. Without such a place the body is the text behind the
// last thought, for an error about it.
func Split(r actions.Reply, begins func(string) bool) (thought, body string) {
	text, reasoning := Said(r)
	starts := []int{0}
	for _, tag := range ThinkEnd.FindAllStringIndex(text, -1) {
		starts = append(starts, tag[1])
	}
	last := starts[len(starts)-1]
	open := len(text)
	if tag := ThinkTag.FindStringIndex(text[last:]); tag != nil {
		open = last + tag[0]
	}
	for line := last; ; {
		next := strings.Index(text[line:], "\n")
		if next < 0 {
			break
		}
		if line += next + 1; line > open {
			break
		}
		starts = append(starts, line)
	}
	at := slices.IndexFunc(starts, func(at int) bool {
		return begins(strings.TrimLeft(text[at:], " \t\n"))
	})
	if at >= 0 {
		return Reasoned(reasoning, Bare(text[:starts[at]])), strings.TrimLeft(text[starts[at]:],
			" \t\n")
	}
	return Reasoned(reasoning, Bare(text[:last]+text[open:])), strings.TrimLeft(text[last:open],
		" \t\n")
}

// SplitLine is [Split] where the body may begin within a line, too, in which no words follow it.
func SplitLine(r actions.Reply, begins func(string) bool, inLine *regexp.Regexp) (
	thought, body string) {
	thought, body = Split(r, begins)
	if at := inLine.FindStringIndex(body); at != nil && !begins(body) &&
		!spoken.MatchString(body[at[0]:]) {
		return Reasoned(thought, Bare(body[:at[0]])), body[at[0]:]
	}
	return thought, body
}

// Refuse returns the error for a problem, with the wanted form.
func Refuse(problem, want string) *ParseError { return &ParseError{Problem: problem, Want: want} }

// Several is the complaint about a reply with different actions: the second was planned for a
// screen that the model has not seen. One that was written twice is one.
func Several(want string) *ParseError {
	return Refuse("the reply has more than one action",
		"exactly one, as the next one is decided on the screen that follows: "+want)
}

// goesOn matches a line in which words follow a call and its closing tags.
var goesOn = text.Lazily(`^(?:</[^<>\n]*>|<\|[^<>\n]*\|>|[^\pL\pN\n{｛<])*\pL`)

var hasLetter = regexp.MustCompile(`\pL`)

// Mentioned returns an error for a call that may only be mentioned, because words follow it in its
// line, as in "I must not call it yet", and words are before it or it would end the task.
func Mentioned(a actions.Action, before, behind, want string) error {
	if !Ends(a) && !hasLetter.MatchString(before) || !goesOn().MatchString(behind) {
		return nil
	}
	return Refuse("the action stands within a sentence", "it alone: "+want)
}

var (
	// spoken matches a line in which words follow a call.
	spoken = regexp.MustCompile(`^[^\n]*[)}\]>）｝][\s.,;，。；]+\pL[^\n{}<>]*(?:\n|$)`)
	// inCall is how a text ends in a call, or in fields.
	inCall = text.Lazily("(?:[)}\\]>）｝］】][\"'`*.\\s]*|\t[^\n]*)$")
	// takesBack begins a line that takes back what stands in front of it.
	takesBack = text.Lazily(`(?im)^\W*(?:(?:but|oh|hmm|and)\W+)?(?:wait(?:\W*[,.!…;—-]|,? no\b)|` +
		`actually\b|no[,.!;—-]|hold on|oops|sorry|correction|on second thought|scratch that|` +
		`not yet|never ?mind|等等|等一下|不对|其实|错了|慢着)`)
)

// unmeant returns an error for a reply that takes its action back behind it, or that is only
// reasoning and goes on behind it.
func unmeant(r actions.Reply) error {
	said := Clean(r.Text)
	switch behind := said[max(strings.LastIndexAny(said, ")}]>）｝］】"), 0):]; {
	case len(r.Calls) > 0:
	case said == "" && Clean(r.Reasoning) != "" && !inCall().MatchString(Clean(r.Reasoning)):
		return Refuse("there is only a thought and no action behind it", "one action behind it")
	case behind != said && !strings.ContainsAny(behind, "\t:："):
		return TakenBack(behind)
	}
	return nil
}

// TakenBack returns an error for words behind an action that take it back.
func TakenBack(behind string) error {
	if takesBack().MatchString(behind) {
		return Refuse("the words behind the action take it back", "the action alone")
	}
	return nil
}

// opens is where an object or a call between tags begins.
var opens = regexp.MustCompile(`[{｛]|` + loose.Function(loose.AnyName))

// Another reports whether text has, where next finds one, what is not the same as first, or that
// cannot be read.
func Another[T any](first T, text string, next func(text string) int,
	read func(text string) (one T, rest string, err error)) bool {
	for at := next(text); at >= 0; at = next(text) {
		one, rest, err := read(text[at:])
		if err != nil || !reflect.DeepEqual(one, first) {
			return true
		}
		text = rest
	}
	return false
}

// Keyed finds the next object or call between tags in a text that has the key.
func Keyed(key *regexp.Regexp) func(text string) int {
	return func(text string) int {
		if at := opens.FindStringIndex(text); at != nil && key.MatchString(text) {
			return at[0]
		}
		return -1
	}
}

// Ends reports whether an action ends the task.
func Ends(a actions.Action) bool {
	switch a.(type) {
	case actions.Complete, actions.Abort:
		return true
	}
	return false
}

// Unread is the complaint about a body that has no action in it.
func Unread(r actions.Reply, body, want string) *ParseError {
	switch {
	case Bare(body) == "" && strings.TrimSpace(r.Text+r.Reasoning) == "":
		return Refuse("the reply is empty", want)
	case Bare(body) == "":
		return Refuse("there is only a thought and no action behind it",
			"a thought that is closed, then "+want)
	}
	return Refuse("the reply has no action in it", want)
}
