package gelab

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
)

// Parse reads a thought and one line of fields. A reply is one action, and a field comes once: what
// has more is refused, whatever is between them.
func (g *gelab) Parse(r actions.Reply, s dialect.Situation) (actions.Decision, error) {
	text, reasoning := dialect.Clean(r.Text), dialect.Clean(r.Reasoning)
	if text == "" && dialect.ThinkEnd.MatchString(reasoning) {
		text, reasoning = reasoning, "" // the endpoint took the whole reply for reasoning
	}
	thought, body := splitThought(text)
	if strings.TrimSpace(body) == "" {
		return actions.Decision{}, dialect.Unread(r, body, anyForm)
	}
	found, err := readFields(plain(dialect.Unfenced(body)))
	if err != nil {
		return actions.Decision{}, err
	}
	f := led(found, dialect.Reasoned(reasoning, thought))
	a, err := forms.Decode(cleaned(said(f, "action")), g.Args(f, "", &s),
		"one of "+strings.Join(forms.Names(), ", "))
	if err != nil {
		return actions.Decision{}, err
	}
	if front, ok := strings.CutSuffix(text, body); ok && dialect.Ends(a) &&
		rival(front, a) {
		return actions.Decision{}, dialect.Refuse(twoActions, onlyOne)
	}
	d := actions.Decision{Action: a, Thought: said(f, "cot"), Explain: said(f, "explain"),
		Summary: said(f, "summary"), Note: noted(said(f, "note"))}
	_, types := a.(actions.Type)
	for _, m := range f {
		value := loose.Text(m.Value)
		if !types {
			value = strings.TrimSpace(value)
		}
		d.Fields = append(d.Fields, actions.Field{Key: m.Name, Value: value})
	}
	return d, nil
}

// nothingNoted matches the words with which models say that they note nothing.
var nothingNoted = regexp.MustCompile(`(?i)^[\s"'(（]*(?:none|nothing|null|nil|` +
	`no|n/a|无|没有|暂无|空|-+)?[\s"')）.。]*$`)

// maxNote is how many characters of a note are kept.
const maxNote = 1000

// noted is a note, "" for none.
func noted(said string) string {
	if nothingNoted.MatchString(said) {
		return ""
	}
	return text.Cut(said, maxNote)
}

// rival reports whether a thought holds another action than the one that would end the task. A
// closing tag in a text that the model copied makes a thought of the action in front of it.
func rival(thought string, ending actions.Action) bool {
	for _, m := range anyAction().FindAllStringSubmatch(thought, -1) {
		if form := forms.Find(m[1]); form == nil || form.Name != ending.Verb() {
			return true
		}
	}
	return false
}

// Errors about a reply with several actions.
const (
	twoActions = "the reply has more than one action"
	onlyOne    = "exactly one action, " + anyForm
)

// misspelt is a tag that 8-bit weights write for either of the two around a thought.
var misspelt = regexp.MustCompile(`(?i)\S\s*(<\s*thin\s*>)`)

// splitThought separates the thought from the fields. It splits at the last closing tag, or else at
// a misspelt one behind a text. A thought that is not closed has no end, and no fields follow it.
func splitThought(s string) (thought, body string) {
	tags := dialect.ThinkTag.FindAllStringIndex(s, -1)
	closing := dialect.ThinkEnd.FindAllStringIndex(s, -1)
	if len(closing) == 0 {
		for _, m := range misspelt.FindAllStringSubmatchIndex(s, -1) {
			closing = append(closing, m[2:])
		}
	}
	if len(closing) > 0 {
		end := closing[len(closing)-1]
		// A thought behind the fields begins a line: a tag within one is part of a value, which
		// must not be cut short.
		front := s[:tags[0][0]]
		ownLine := strings.HasSuffix(strings.TrimRight(front, " "), "\n")
		if !hasAction(s[end[1]:]) && hasAction(front) && ownLine {
			return dialect.Bare(s[tags[0][0]:]), front
		}
		thought, s = dialect.Bare(s[:end[0]]), s[end[1]:]
	}
	if open := dialect.ThinkTag.FindStringIndex(s); open != nil && !hasAction(s[:open[0]]) {
		return dialect.Reasoned(thought, dialect.Bare(s)), ""
	}
	return thought, s
}

// anyKey is the name of a field: one around the action, or an argument of one.
func anyKey() string {
	all := []string{"explain", "action", "key_process", "tag", "summary", "verify", "note", "cot"}
	for i := range forms {
		for _, p := range forms[i].Params() {
			all = append(all, p.Names...)
		}
	}
	slices.SortFunc(all, func(a, b string) int { // a longer tag stands before its beginning
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	return "(" + strings.Join(slices.Compact(all), "|") + ")"
}

// Patterns of fields. A key that starts a line, follows a TAB or follows the two characters \t
// starts a field.
const colon = `[ ]*[:：]`

var (
	keys         = anyKey()
	actionMark   = regexp.MustCompile(`(?im)(?:^|\t|\\t)[ ]*action` + colon)
	lineStart    = text.Lazily(`(?im)^[ ]*` + keys + colon)
	tabLineMarks = text.Lazily(`(?i)(?:^|[\n\t])\s*` + keys + colon)
	lineMarks    = text.Lazily(`(?i)(?:^|[\n\t]|\\[tn])\s*` + keys + colon)
	spaceMarks   = text.Lazily(`(?i)(?:^|[\n\t]| {2,}|\\[tn])\s*` + keys + colon)
	tabMarks     = text.Lazily(`(?:^|\t)\s*([\pL_][\pL\pN_-]{0,30})\s*[:：]`)

	separators = []func() *regexp.Regexp{tabMarks, lineMarks, spaceMarks}

	// spaceBehind is a reply that puts a space behind each colon: it is no part of the values.
	spaceBehind = text.Lazily(`(?im)(?:^|\t)[ ]*action` + colon + ` `)

	// anyAction finds an action, whatever separates it from the text before. Behind a blank it must
	// be in capitals, because prose says "next action: click it".
	anyAction = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?:^|[^\\pL\\pN_]|\\\\[tn])(?i:action(?:_type)?)[\"'*` ]*[:：=]" +
			"[\"'*`]*((?i:" + strings.Join(forms.Known(), "|") + ")\\b|\\s*[A-Z][A-Z_]+)")
	})
)

func hasAction(s string) bool { return actionMark.MatchString(s) }

// bold is a field's key in Markdown: in bold, with the colon within or behind, or in a list.
var bold = text.Lazily(`(?im)(^|\t)[ ]*\*\*` + keys + `(?:\*\*` + colon +
	`|[:：]\*\*)|(?m:^)[ ]*[-*•][ ]+` +
	keys + colon)

var (
	// called is a place in brackets behind the name of the action.
	called = text.Lazily(`(?im)((?:^|\t)[ ]*action` + colon +
		`[ ]*[A-Z_]+)[ ]*[(（]([\d.]+[ ]*[,，][ ]*[\d.]+)[)）]`)
	// squeezed is a field behind the action or a place that no TAB and no line separates from it.
	squeezed = text.Lazily(`(?im)((?:^|\t)[ ]*(?:action|point[12]?)` + colon +
		`[^\t\n:：]*?)[ ,，;]+` + keys + colon)
)

// plain is the fields without Markdown around their keys, each behind a separator, as far as no
// text that is typed or reported comes into question.
func plain(body string) string {
	body = bold().ReplaceAllString(body, "$1$2$3:")
	separator := "\n"
	if strings.Contains(body, "\t") {
		separator = "\t"
	}
	body = called().ReplaceAllString(body, "$1"+separator+"point:$2")
	for range 2 {
		body = squeezed().ReplaceAllString(body, "$1"+separator+"$2:")
	}
	return body
}

// span is a field as it stands in a reply: where its mark begins, its value begins, and it ends.
type span struct {
	key             string
	from, value, to int
}

// readFields reads the fields of one action. They are separated by TABs. If that gives no action,
// it tries line breaks, the two characters \t, and two or more spaces, in this order.
func readFields(body string) (loose.Object, error) {
	for _, separator := range separators {
		marks := separator()
		all := spans(body, marks)
		at := slices.IndexFunc(all, func(s span) bool { return s.key == "action" })
		if at < 0 {
			continue
		}
		again := doubled(all)
		if again == "" && marks == tabMarks() {
			again = doubled(spans(body, tabLineMarks()))
		}
		switch {
		case again == "action" || !oneAction(body, all[at], all[at+1:]):
			return nil, dialect.Refuse(twoActions, onlyOne)
		case again != "":
			return nil, dialect.Refuse("the field "+again+" is there twice", "each field once, "+
				anyForm)
		}
		if key := torn(body, all); marks == tabMarks() && key != "" {
			return nil, dialect.Refuse("the text of "+key+" goes on behind a TAB",
				"TABs between fields only, "+anyForm)
		}
		return valuesOf(body, all, marks == tabMarks()), amongWords(body, all, all[at])
	}
	return nil, dialect.Refuse("the reply has no field action", anyForm)
}

// spans are the fields that each start at a mark and end at the next. Between TABs, text in front
// of the first field is passed over.
func spans(body string, marks *regexp.Regexp) []span {
	start := 0
	if marks == tabMarks() {
		tab := strings.Index(body, "\t")
		if tab < 0 {
			return nil
		}
		if at := lineStart().FindStringIndex(body); at != nil && at[0] < tab {
			start = at[0]
		}
	}
	var all []span
	for _, m := range marks.FindAllStringSubmatchIndex(body[start:], -1) {
		s := span{strings.ToLower(body[start+m[2] : start+m[3]]), start + m[0], start + m[1], 0}
		all = append(all, s)
	}
	for i := range all {
		all[i].to = len(body)
		if i+1 < len(all) {
			all[i].to = all[i+1].from
		}
	}
	return all
}

// doubled is the first key that comes again, or "".
func doubled(all []span) string {
	var keys loose.Object
	for _, s := range all {
		keys = append(keys, loose.Member{Name: s.key})
	}
	return keys.Doubled()
}

// amongWords returns an error for an end that stands within a text, and for words behind the fields
// that take them back.
func amongWords(body string, all []span, action span) error {
	last := all[len(all)-1]
	if _, behind, _ := strings.Cut(body[last.value:last.to], "\n"); !last.isText() {
		if err := dialect.TakenBack(behind); err != nil {
			return err
		}
	}
	name, _, _ := strings.Cut(strings.TrimSpace(body[action.value:action.to]), "\n")
	form, front := forms.Find(cleaned(name)), strings.TrimSpace(body[:all[0].from])
	lone := len(all) == 1 || strings.HasPrefix(body[all[0].from:], "\t")
	if lone && front != "" && form != nil && dialect.Ends(form.Action) {
		return dialect.Refuse("the action stands within a text", "it alone: "+anyForm)
	}
	return nil
}

// isText reports whether the field is typed, asked or reported.
func (s span) isText() bool {
	return s.key == "value" || s.key == "return" || s.key == "options"
}

// torn is the field whose text a TAB cuts in two, or "": what would be typed or reported is never
// half of what was written.
func torn(body string, all []span) string {
	for _, s := range all {
		_, rest, _ := strings.Cut(strings.TrimRight(body[s.value:s.to], "\n\t"), "\t")
		if s.isText() && strings.TrimSpace(rest) != "" {
			return s.key
		}
	}
	return ""
}

// oneAction reports whether nothing that looks like an action stands outside the field action and
// the texts behind it.
func oneAction(body string, action span, behind []span) bool {
	own := 0
	for _, m := range anyAction().FindAllStringSubmatchIndex(body, -1) {
		within := func(s span) bool { return m[2] >= s.from && m[2] < s.to }
		text := func(s span) bool {
			return within(s) && s.isText()
		}
		if within(action) {
			own++
		} else if !slices.ContainsFunc(behind, text) {
			return false
		}
	}
	return own <= 1
}

// maxFields is how many fields are kept, including the thought. No reply needs as many. Further
// fields are ignored.
const maxFields = 64

// manyLines are the fields whose values may have several lines. Of any other, what follows the
// first line is stray text.
var manyLines = []string{
	"cot", "explain", "value", "return", "summary", "options", "verify", "note", "key_process",
}

// valuesOf is the fields with their values. Between TABs, a segment that is no field is passed
// over.
func valuesOf(body string, all []span, tabs bool) (f loose.Object) {
	spacious := spaceBehind().MatchString(body)
	for _, s := range all[:min(len(all), maxFields-1)] {
		value := body[s.value:s.to]
		if tabs {
			value, _, _ = strings.Cut(value, "\t")
		}
		value = strings.Trim(value, "\n\t")
		if s.key != "value" { // which may be a text to type, with spaces at its ends
			value = strings.TrimSpace(value)
		} else if spacious {
			value = strings.TrimPrefix(value, " ")
		}
		if !slices.Contains(manyLines, s.key) {
			value, _, _ = strings.Cut(value, "\n")
			value = strings.TrimSpace(value)
		}
		f = append(f, loose.Member{Name: s.key, Value: value})
	}
	return f
}

// led returns the fields behind the thought. A thought among the fields replaces it.
func led(f loose.Object, thought string) loose.Object {
	first := loose.Member{Name: "cot", Value: cmp.Or(said(f, "cot"), thought)}
	return append(loose.Object{first}, slices.DeleteFunc(f, func(m loose.Member) bool {
		return m.Name == "cot"
	})...)
}

func said(f loose.Object, key string) string { return loose.Text(f.Get(key)) }

// Wrote reports whether the reply has, behind its thought, fields of which one names an action:
// others write calls and JSON behind "Action:".
func Wrote(r actions.Reply) bool {
	text, _ := dialect.Said(r)
	_, body := splitThought(text)
	body = plain(body)
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		return false
	}
	return slices.ContainsFunc(separators, func(separator func() *regexp.Regexp) bool {
		marks := separator()
		return slices.ContainsFunc(spans(body, marks), func(s span) bool {
			if s.key != "action" {
				return false
			}
			first, _, _ := strings.Cut(strings.TrimLeft(body[s.value:s.to], "\n\t "), "\n")
			first, _, _ = strings.Cut(first, "\t")
			return forms.Find(cleaned(first)) != nil
		})
	})
}
