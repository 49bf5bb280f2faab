// Package consent words what a person is asked to consent to: what would happen, and who wants it.
//
// It is the one place for these words. The page, the terminal, forms, chats, notices and MCP show
// the same, each in its reader's language. What screens and tools say of themselves is cut to a
// line and not translated; in the midst of a sentence of the program's own it is quoted, too.
package consent

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Act is something that an agent wants to do and a person is asked about.
type Act struct {
	Verb  string `json:"verb,omitempty"`  // the action's, for example CLICK
	Label string `json:"label,omitempty"` // the words on the element that is touched
	App   string `json:"app,omitempty"`   // the package in front
	Name  string `json:"name,omitempty"`  // the app's name for people, "" if it is not known
	Says  string `json:"says,omitempty"`  // what a dialog asks in its own words
	Typed string `json:"typed,omitempty"` // text that is entered
	Facts
	// Says are the words of whoever wrote the rule that asks
	Ruled bool `json:"ruled,omitempty"`
	// why it is asked, by language
	Because map[string]string `json:"because,omitempty"`

	Server string `json:"server,omitempty"` // of a tool
	Tool   string `json:"tool,omitempty"`
	Object string `json:"object,omitempty"`  // what the tool works on
	Agent  string `json:"agent,omitempty"`   // who calls it, as far as that is known
	Goal   string `json:"goal,omitempty"`    // what it is called for, "" if that is not known
	ByHand bool   `json:"by_hand,omitempty"` // a person is to do it in the tool's place

	More []*Act `json:"more,omitempty"` // acts that are decided about with it
}

// Facts are what the screen says plainly of an act, in its words.
type Facts struct {
	Sum   string `json:"sum,omitempty"`   // the words with the only sum, or the total
	To    string `json:"to,omitempty"`    // whom or what it is about
	Text  string `json:"text,omitempty"`  // that others get to see
	Sends bool   `json:"sends,omitempty"` // it is a message
}

// Consent is an act for a person who decides about it.
type Consent struct {
	Headline string `json:"headline"`      // what would happen
	Wants    string `json:"wants"`         // what the agent does for that
	Does     string `json:"-"`             // the same without the agent, and with the app or server
	Who      string `json:"who,omitempty"` // which agent wants it, "" if it goes without saying
	Because  string `json:"because,omitempty"`
}

// texts are the words, in a language.
type texts struct {
	Verbs map[string]string // "tap", by the action's verb
	Other string            // an action without a verb of its own

	// headlines, of the known facts
	LabelIn, InApp, Bare, Question, Types string
	// of the facts
	About, Pays, Sends, SendsTo string
	// what the agent does
	Wants, Does, In, Unknown string
	// of tools
	ToolHeadline, ToolWants, ToolByHand, ToolDoes, ToolCall, By, For, MainAgent string
	// calls of tools of no server, by their names
	Own map[string]string
	// words of tools' names, none in the language that tools are named in
	Tools map[string]string
	Lists map[string]string // see Is
	// apps that are known by what they are
	Apps map[string]string
}

var textsIn = words.Of[texts]("consent")

const (
	longest  = 160 // of what a dialog asks
	maxLabel = 80
)

// Describe words the act in the language that fits best.
func (a *Act) Describe(lang string) Consent {
	c := a.describe(lang)
	c.Because = a.Because[words.Match(lang)]
	for _, more := range a.More {
		m := more.Describe(lang)
		if !strings.Contains(c.Because, m.Because) {
			c.Because += "; " + m.Because
		}
		c.Headline += "; " + m.Headline
		c.Wants += "\n" + m.Wants
		c.Does += "; " + m.Does
	}
	return c
}

// describe words the act alone.
func (a *Act) describe(lang string) Consent {
	w := textsIn(lang)
	if a.Tool != "" {
		return a.tool(w)
	}
	label, app := quote(a.Label, maxLabel), a.app(lang)
	does := cmp.Or(w.Verbs[a.Verb], w.Other)
	what, labelled := does, "" // labelled is what with a label
	switch {
	case a.Typed != "":
		what = fill(w.Does, does, quote(a.Typed, maxLabel))
	case label != "":
		what = fill(w.Does, does, label)
		labelled = what
	case slices.Contains(touching, a.Verb):
		what = fill(w.Does, does, w.Unknown)
	}
	c := Consent{Wants: fill(w.Wants, what, ""), Does: what}
	if app != "" {
		c.Does = fill(w.In, what, app)
	}
	named := false // the headline names the app
	c.Headline = a.told(w)
	switch {
	case c.Headline != "":
	case sentence(a.Label):
		c.Headline = fill(w.Question, text.Cut(text.Line(a.Label), longest), "")
	case a.Typed != "" && label+app != "":
		c.Headline = fill(w.Types, quote(a.Typed, maxLabel), cmp.Or(label, app))
		named = label == ""
	case strings.ContainsFunc(a.Label, unicode.IsLetter) && app != "": // not a price or a digit
		c.Headline, named = fill(w.LabelIn, text.Cut(text.Line(a.Label), maxLabel), app), true
	case app != "":
		c.Headline, named = fill(w.InApp, cmp.Or(labelled, does), app), true
	default:
		what := cmp.Or(quote(a.Typed, maxLabel), label)
		c.Headline = fill(w.Bare, strings.TrimSpace(does+" "+what), "")
	}
	if app != "" && !named {
		c.Wants = fill(w.In, c.Wants, app)
	}
	return c
}

// told is the headline in words of the screen, with what they say of the act, or "".
func (a *Act) told(w *texts) string {
	facts, label := a.facts(), text.Cut(text.Line(a.Label), maxLabel)
	switch {
	case a.Says != "" && (a.Ruled || Asks(a.Says) || !sentence(a.Label)):
		says := text.Cut(text.Line(a.Says), longest)
		if facts == "" || says == text.Line(a.Says) && (a.Ruled ||
			Statement(a.Says) != "" || Asks(a.Says) && a.Sum != "") {
			return says
		}
		return fill(w.About, strings.TrimRight(says, "?？؟"), facts)
	case a.Sends && a.To != "":
		return fill(w.SendsTo, quote(a.Text, maxLabel), quote(a.To, maxLabel))
	case a.Sends:
		return fill(w.Sends, quote(a.Text, maxLabel), "")
	case facts != "" && facts == a.Sum && Is("pay", a.Label):
		return fill(w.Pays, facts, "")
	case facts != "" && strings.ContainsFunc(label, unicode.IsLetter):
		return fill(w.About, label, facts)
	}
	return ""
}

// facts are what the words on an element go with, as the screen has them: a sum without letters is
// not quoted.
func (a *Act) facts() string {
	sum := quote(a.Sum, maxLabel)
	if !strings.ContainsFunc(a.Sum, unicode.IsLetter) && len(a.Sum) < maxLabel {
		sum = a.Sum
	}
	list := []string{sum, quote(a.To, maxLabel), quote(a.Text, maxLabel)}
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), " · ")
}

// touching are the actions that touch a place.
var touching = []string{"CLICK", "DOUBLE_CLICK", "LONGPRESS"}

// Text is the consent in lines, the headline first.
func (c Consent) Text() string {
	lines := []string{c.Headline}
	for _, l := range []string{c.Wants, c.Who} {
		if l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// AppNames is what people call the app of a package, by language.
func AppNames(pkg string) map[string]string { return words.Each((&Act{App: pkg}).app) }

// All is the consent in every language there is.
func (a *Act) All() map[string]Consent { return words.Each(a.Describe) }

// tool words the call of a tool.
func (a *Act) tool(w *texts) Consent {
	server := text.Cut(text.Line(a.Server), maxLabel)
	what := strings.TrimSpace(a.does(w) + " " + text.Cut(text.Line(a.Object), maxLabel))
	c := Consent{Headline: fill(w.ToolHeadline, server, what),
		Wants: fill(w.ToolWants, quote(a.Tool, maxLabel), quote(a.Server, maxLabel)),
		Does:  fill(w.ToolCall, server, what)}
	if a.Server == "" {
		c.Does = cmp.Or(fill(w.Own[a.Tool], text.Cut(text.Line(a.Object), longest), ""), what)
	}
	if a.ByHand {
		c.Headline = fill(w.ToolByHand, server, what)
	}
	who := text.Cut(text.Line(a.Agent), maxLabel)
	switch {
	case a.Goal != "":
		c.Who = fill(w.For, cmp.Or(who, w.MainAgent), quote(a.Goal, longest))
	case who != "":
		c.Who = fill(w.By, who, "")
	}
	return c
}

// kinds are the words of tools' names for what they work on, which say nothing beside a name of it.
var kinds = []string{"file", "files", "document", "text"}

// does is what a tool does by the words of its name, as far as there are words for them in the
// language, of which those of Chinese stand without spaces: "write_file" with a file writes.
func (a *Act) does(w *texts) string {
	list := text.Words(a.Tool)
	if path.Ext(a.Object) != "" || strings.Contains(a.Object, "/") {
		list = slices.DeleteFunc(slices.Clone(list), func(s string) bool {
			return slices.Contains(kinds, s)
		})
	}
	does, known := "", ""
	for i, word := range list {
		before := known
		if known = w.Tools[word]; i > 0 && (known == "" || before == "") {
			does += " "
		}
		does += cmp.Or(known, word)
	}
	if does = text.Cut(does, maxLabel); len(list) > 0 && w.Tools[list[0]] == "" {
		does = fill(w.ToolDoes, does, "")
	}
	return does
}

// objects are the arguments of tools that say what they work on, the most telling first.
var objects = []string{"path", "file_path", "filename", "file", "to", "recipient", "recipients",
	"email", "title", "subject", "name", "url", "command", "query", "message", "text", "task",
	"question", "id"}

// ObjectOf is what the call of a tool works on by its arguments, or "".
func ObjectOf(args map[string]any) string {
	for _, name := range objects {
		if s, is := args[name].(string); is && strings.TrimSpace(s) != "" {
			return s
		}
	}
	var only string
	for _, v := range args {
		if s, is := v.(string); is && s != "" {
			if only != "" {
				return ""
			}
			only = s
		}
	}
	return only
}

// app is the app's name: the one it is known by, or what its package says.
func (a *Act) app(lang string) string {
	known := cmp.Or(textsIn(lang).Apps[a.App], words.AppName(a.App, lang), a.Name)
	if known != "" {
		return text.Cut(text.Line(known), maxLabel)
	}
	return NameOf(a.App)
}

// common are the parts of packages that name no app.
var common = []string{"com", "org", "net", "android", "app", "apps", "google", "mobile", "client",
	"main", "release", "debug", "beta", "www"}

// NameOf is what a package says of its app's name: com.example.coffee_shop is "Coffee shop".
func NameOf(pkg string) string {
	parts := strings.Split(pkg, ".")
	for _, part := range slices.Backward(parts) {
		list := text.Words(part)
		list = slices.DeleteFunc(list, func(s string) bool { return slices.Contains(common, s) })
		if len(list) == 0 || len(parts) > 1 && part == parts[0] {
			continue
		}
		name := strings.Join(list, " ")
		first, size := utf8.DecodeRuneInString(name)
		return text.Cut(string(unicode.ToUpper(first))+name[size:], maxLabel)
	}
	return text.Cut(text.Line(pkg), maxLabel)
}

// sentence reports whether a label says by itself what would happen, as "Pay $25.00 to Anna" does.
func sentence(label string) bool {
	label = text.Line(label)
	n := len(strings.Fields(label))
	han := 0
	for _, r := range label {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	return n > 1 && n <= 12 && strings.ContainsFunc(label, unicode.IsLetter) || han > 3 && han <= 30
}

// Asks reports whether a text is a question, as dialogs ask them.
func Asks(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && utf8.RuneCountInString(s) <= longest &&
		(strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟"))
}

// Statement is the first sentence of a text that has one, with its end, or "".
func Statement(s string) string {
	s = text.Line(s)
	for i, r := range s {
		end := i + utf8.RuneLen(r)
		whole := r == '。' || r == '！' || r == '।' || r == '۔' ||
			(r == '.' || r == '!') && (end == len(s) || s[end] == ' ')
		if whole && utf8.RuneCountInString(s[:end]) > 11 {
			return s[:end]
		}
	}
	return ""
}

// Answers reports whether a label only agrees, as "OK" does, so that what would happen is in the
// question on its screen.
func Answers(label string) bool { return Is("agree", label) }

// Is reports whether a list of words on screens has the label: agree, pay, payees (which stand
// before a name), or the fields of a message that are recipients or subjects.
func Is(list, label string) bool {
	label = strings.ToLower(strings.Trim(text.Line(label), " .!,:。！，："))
	return slices.ContainsFunc(words.Languages(), func(lang string) bool {
		known := strings.Split(strings.ReplaceAll(textsIn(lang).Lists[list], "| ", "|"), "|")
		return slices.Contains(known, label)
	})
}

// quote puts what others say into quotes that nothing in it can end.
func quote(s string, most int) string {
	s = strings.NewReplacer("“", "\"", "”", "\"").Replace(text.Cut(text.Line(s), most))
	if s == "" {
		return ""
	}
	return "“" + s + "”"
}

// fill puts two texts into the places of a third.
func fill(s, one, two string) string {
	return strings.TrimSpace(strings.NewReplacer("{1}", one, "{2}", two).Replace(s))
}
