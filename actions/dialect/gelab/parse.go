package gelab

import (
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
)

// Parse reads a thought and one line of fields. A reply is one action: several lines with an action
// are refused.
func (g *gelab) Parse(r actions.Reply) (actions.Decision, error) {
	text, reasoning := clean(r.Text), clean(r.Reasoning)
	if text == "" && closingTag.MatchString(reasoning) {
		text, reasoning = reasoning, "" // the endpoint took the whole reply for reasoning
	}
	if text == "" {
		return actions.Decision{}, nothing(r)
	}
	thought, body := splitThought(text)
	found, err := readFields(body)
	if r.Cut && (err != nil || found[len(found)-1].Key != "summary") {
		return actions.Decision{}, refuse(
			"the reply was cut off at its length limit before the action was complete", shorter)
	}
	if err != nil {
		return actions.Decision{}, err
	}
	f := fields{{Key: "cot", Value: join(reasoning, thought)}}
	for _, e := range found {
		f.set(e.Key, e.Value)
	}
	a, err := decode(f)
	if err != nil {
		return actions.Decision{}, err
	}
	return actions.Decision{
		Action:  a,
		Thought: f.get("cot"),
		Explain: f.get("explain"),
		Summary: f.get("summary"),
		Fields:  f,
	}, nil
}

// shorter is what is expected after a reply that was cut off.
const shorter = "a short thought, then " + anyForm

func refuse(problem, want string) *dialect.ParseError {
	return &dialect.ParseError{Problem: problem, Want: want}
}

func nothing(r actions.Reply) *dialect.ParseError {
	switch {
	case r.Cut:
		return refuse("the reply was cut off at its length limit while still thinking", shorter)
	case clean(r.Reasoning) != "":
		return refuse("there is only a thought and no action", anyForm)
	}
	return refuse("the reply is empty", anyForm)
}

var (
	fence = regexp.MustCompile("(?m)^[ \t]*```[A-Za-z0-9_-]*[ \t]*$")
	// control is tokens such as <|im_end|> that leaked out.
	control = regexp.MustCompile(`(?:\s*<\|[A-Za-z_]+\|>)+$`)
)

// clean takes away what is no part of the text: byte order marks, carriage returns, code fences,
// leaked tokens at the end.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.NewReplacer("\uFEFF", "", "\r\n", "\n", "\r", "\n").Replace(s)
	s = control.ReplaceAllString(strings.TrimSpace(s), "")
	return strings.TrimSpace(fence.ReplaceAllString(s, ""))
}

// Tags around a thought, misspelt ones of quantised models too.
var (
	thinkTag   = regexp.MustCompile(`(?i)<\s*/?\s*(?:thinking|think|tink|thin)\s*>`) // either
	closingTag = regexp.MustCompile(`(?i)<\s*/\s*(?:thinking|think|tink|thin)\s*>`)
)

// splitThought separates the thought from the fields. The last closing tag wins. Without one, the
// last of several tags or one behind a text is taken for it. A thought that was only opened ends
// where the last line is one of fields.
func splitThought(s string) (thought, body string) {
	tags := thinkTag.FindAllStringIndex(s, -1)
	closing := closingTag.FindAllStringIndex(s, -1)
	switch {
	case len(tags) == 0:
		return "", s
	case len(closing) > 0:
		end := closing[len(closing)-1]
		// A thought behind the fields begins a line: a tag within one is part of a value, which
		// must not be cut short.
		front := s[:tags[0][0]]
		ownLine := strings.HasSuffix(strings.TrimRight(front, " "), "\n")
		if !hasAction(s[end[1]:]) && hasAction(front) && ownLine {
			return bare(s[tags[0][0]:]), front
		}
		return bare(s[:end[0]]), s[end[1]:]
	case len(tags) > 1 || strings.TrimSpace(s[:tags[0][0]]) != "":
		end := tags[len(tags)-1]
		return bare(s[:end[0]]), s[end[1]:]
	}
	line := strings.LastIndex(s, "\n") + 1
	if !fieldLine.MatchString(s[line:]) {
		return bare(s), ""
	}
	return bare(s[:line]), s[line:]
}

// bare is a thought without its tags.
func bare(s string) string { return strings.TrimSpace(thinkTag.ReplaceAllString(s, "")) }

func join(reasoning, thought string) string {
	return strings.TrimSpace(bare(reasoning) + "\n" + thought)
}

// Patterns of fields. A key that starts a line, follows a TAB or follows the two characters \t
// starts a field.
const (
	keys = `(explain|action|point1|point2|point|value|return|direction|duration|key_process|key|` +
		`tag|secret|options|clear|submit|summary|verify|note|cot)`
	colon = `[ ]*[:：]`
)

var (
	actionLine = regexp.MustCompile(`(?i)(?:^|\t|\\t)[ ]*action` + colon)
	fieldLine  = regexp.MustCompile(`(?i)^[ ]*` + keys + colon + `.*\t[ ]*action` + colon +
		`|^[ ]*action` + colon + `.*\t`)
	lineStart  = regexp.MustCompile(`(?im)^[ ]*` + keys + colon)
	lineMarks  = regexp.MustCompile(`(?i)(?:^|[\n\t]|\\[tn])\s*` + keys + colon)
	spaceMarks = regexp.MustCompile(`(?i)(?:^|[\n\t]| {2,}|\\[tn])\s*` + keys + colon)

	// keyed splits at the first colon.
	keyed = regexp.MustCompile(`(?s)^\s*([\pL_][\pL\pN_-]{0,30})\s*[:：](.*)$`)
)

func hasAction(s string) bool { return actionLines(s) > 0 }

func actionLines(s string) int {
	n := 0
	for line := range strings.Lines(s) {
		if actionLine.MatchString(line) {
			n++
		}
	}
	return n
}

// readFields reads the fields of one action. TABs separate them; where that gives no action, line
// breaks do, the two characters \t, and at last two or more spaces.
func readFields(body string) (fields, error) {
	if n := actionLines(body); n > 1 {
		return nil, refuse("the reply has an action on more than one line",
			"exactly one action, "+anyForm)
	}
	if strings.Contains(body, "\t") {
		if f := tabbed(body); f.has("action") {
			return f, nil
		}
	}
	for _, marks := range []*regexp.Regexp{lineMarks, spaceMarks} {
		if f := marked(body, marks); f.has("action") {
			return f, nil
		}
	}
	return nil, refuse("the reply has no field action", anyForm)
}

// tabbed reads fields between TABs. Text in front of the first field is passed over, and so is a
// segment that is no field.
func tabbed(body string) fields {
	if at := lineStart.FindStringIndex(body); at != nil && !strings.Contains(body[:at[0]], "\t") {
		body = body[at[0]:]
	}
	var f fields
	for segment := range strings.SplitSeq(body, "\t") {
		m := keyed.FindStringSubmatch(segment)
		if m != nil {
			f.set(strings.ToLower(m[1]), m[2])
		}
	}
	return f
}

// marked reads fields that each start at a mark and end at the next.
func marked(body string, marks *regexp.Regexp) fields {
	var f fields
	at := marks.FindAllStringSubmatchIndex(body, -1)
	for i, m := range at {
		end := len(body)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		f.set(strings.ToLower(body[m[2]:m[3]]), body[m[1]:end])
	}
	return f
}

// fields are the reply's fields in the model's order. A key that comes again keeps its place and
// takes the new value.
type fields []actions.Field

// maxFields is how many fields are kept. No reply needs as many; what comes after them is passed
// over.
const maxFields = 64

// manyLines are the fields whose values may have several lines. Of any other, what follows the
// first line is stray text.
var manyLines = []string{
	"cot", "explain", "value", "return", "summary", "options", "verify", "note", "key_process",
}

func (f *fields) set(key, value string) {
	value = strings.TrimSpace(value)
	if !slices.Contains(manyLines, key) {
		value, _, _ = strings.Cut(value, "\n")
		value = strings.TrimSpace(value)
	}
	for i := range *f {
		if (*f)[i].Key == key {
			(*f)[i].Value = value
			return
		}
	}
	if len(*f) < maxFields {
		*f = append(*f, actions.Field{Key: key, Value: value})
	}
}

func (f fields) has(key string) bool {
	return slices.ContainsFunc(f, func(e actions.Field) bool { return e.Key == key })
}

func (f fields) get(key string) string {
	for _, e := range f {
		if e.Key == key {
			return e.Value
		}
	}
	return ""
}
