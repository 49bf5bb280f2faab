package dialect

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode/utf8"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/text"
)

// Template is a prompt as a Go text/template over [Variables]. {{system}}, {{user}} and
// {{assistant}} each begin a message, {{.Picture}} is where the screen stands, and {{quote .Task}}
// is a text as a JSON string.
//
// Templates of families also have a block form, which shows the form of a reply. It is repeated
// after a reply that could not be read.
type Template struct {
	tmpl *template.Template
	form string
}

func role(name string) func() string { return func() string { return mark + name + mark } }

// Limits of a template, which nothing can call off while it is executed.
const (
	maxPrompt = 4 << 20 // bytes that it may write, or make of others
	maxRounds = 100_000 // of its ranges, and uses of its templates
)

var (
	errLong    = errors.New("the prompt is longer than 4 MB")
	errEndless = fmt.Errorf("the template repeats itself more than %d times", maxRounds)
)

// bounded buffers a template's output and refuses one that is too long. A single mark is a round.
type bounded struct {
	kept   strings.Builder
	rounds int
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if string(p) == mark {
		if b.rounds++; b.rounds > maxRounds {
			return 0, errEndless
		}
		return len(p), nil
	}
	if b.kept.Len()+len(p) > maxPrompt {
		return 0, errLong
	}
	return b.kept.Write(p)
}

// String is what was written.
func (b *bounded) String() string { return b.kept.String() }

//go:embed shared.*.tmpl
var shared embed.FS

var functions = template.FuncMap{
	"system": role("system"), "user": role("user"), "assistant": role("assistant"),
	"inc":   func(i int) int { return i + 1 },
	"line":  func(r raw) Text { return Text(text.Line(string(r))) },
	"quote": func(t Text) string { return `"` + escape(string(t), true) + `"` },

	"print": short(fmt.Sprint), "println": short(fmt.Sprintln),
	"html": short(template.HTMLEscaper), "js": short(template.JSEscaper),
	"urlquery": short(template.URLQueryEscaper),
	"printf": func(format string, v ...any) (string, error) {
		return short(func(v ...any) string { return fmt.Sprintf(format, v...) })(v...)
	},
}

// short is a function whose results are no longer than a prompt: what grows them round by round
// ends.
func short(f func(...any) string) func(...any) (string, error) {
	return func(v ...any) (string, error) {
		s := f(v...)
		if len(s) > maxPrompt {
			return "", errLong
		}
		return s, nil
	}
}

// count has every round of a range, and every use of a template, begin with a mark, which is
// counted where it is written: so a range that writes nothing ends, too.
func count(n parse.Node) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, inner := range n.Nodes {
				count(inner)
			}
		}
	case *parse.IfNode:
		countBoth(&n.BranchNode)
	case *parse.WithNode:
		countBoth(&n.BranchNode)
	case *parse.RangeNode:
		countBoth(&n.BranchNode)
		tick(n.List)
	}
}

func countBoth(n *parse.BranchNode) {
	count(n.List)
	count(n.ElseList)
}

func tick(l *parse.ListNode) {
	l.Nodes = slices.Insert(l.Nodes, 0,
		parse.Node(&parse.TextNode{NodeType: parse.NodeText, Text: []byte(mark)}))
}

// ParseTemplate reads a template of a prompt in that language, zh or en. Errors name the line.
func ParseTemplate(name, text, lang string) (*Template, error) {
	switch text = strings.TrimPrefix(text, "\ufeff"); { // editors of Windows put it in front
	case !utf8.ValidString(text):
		return nil, fmt.Errorf("%s is not UTF-8: save it so", name)
	case strings.Contains(text, mark):
		return nil, fmt.Errorf("%s has a NUL in it, which is no text", name)
	}
	t := template.Must(template.New(name).Funcs(functions).ParseFS(shared, "shared."+lang+".tmpl"))
	template.Must(t.New("vocabulary").Parse(vocabulary(lang)))
	if _, err := t.Parse(text); err != nil {
		return nil, templateError(err)
	}
	if unknown := unknownNames(t); unknown != "" {
		return nil, errors.New(unknown)
	}
	for _, one := range t.Templates() {
		count(one.Root)
		tick(one.Root)
	}
	out := &Template{tmpl: t}
	if t.Lookup("form") != nil {
		var b bounded
		if err := t.ExecuteTemplate(&b, "form", nil); err != nil {
			return nil, templateError(err)
		}
		out.form = strings.TrimSpace(b.String())
	}
	return out, nil
}

// vocabulary has a line for every action, in the form of agent_action.
func vocabulary(lang string) string {
	var lines []string
	for _, a := range actions.Vocabulary() {
		does, example := actions.Explained(a.Verb(), lang)
		lines = append(lines, "- "+a.Verb()+": "+does+" "+example)
	}
	return strings.Join(lines, "\n")
}

// Source returns the family's files NAME.LANG.tmpl in that language, one after the other. It panics
// if one is missing.
func Source(files fs.FS, lang string, names ...string) string {
	var all strings.Builder
	for _, name := range names {
		b, err := fs.ReadFile(files, name+"."+lang+".tmpl")
		if err != nil {
			panic(err)
		}
		all.Write(b)
	}
	return all.String()
}

// MustTemplate reads a template of a family from these files, or from prompt if no names are given.
// It panics if it cannot be read.
func MustTemplate(files fs.FS, lang string, names ...string) *Template {
	if names == nil {
		names = []string{"prompt"}
	}
	return MustParse(strings.Join(names, "+"), Source(files, lang, names...), lang)
}

// MustParse is ParseTemplate for the templates of the families. It panics if one cannot be read.
func MustParse(name, text, lang string) *Template {
	t, err := ParseTemplate(name, text, lang)
	if err != nil {
		panic(err)
	}
	return t
}

var unknownField = regexp.MustCompile(
	`<(\S+?)>: (?:can't evaluate field (\w+) in type (?:\*?dialect\.)?(\w+)|.*)`)

// templateError is err without the words of the template package around it.
func templateError(err error) error {
	said := strings.TrimPrefix(err.Error(), "template: ")
	if m := unknownField.FindStringSubmatch(said); m != nil && m[2] != "" {
		at, _, _ := strings.Cut(said, ": executing")
		return fmt.Errorf("%s: unknown variable .%s", at, m[2])
	}
	return errors.New(text.Line(said))
}

// messages are the prompt with these variables, with pictures of the album.
func (t *Template) messages(v *Variables, a *album) ([]Message, error) {
	var b bounded
	if err := t.tmpl.Execute(&b, v); err != nil {
		return nil, templateError(err)
	}
	var all []Message
	now := Message{Role: "user"}
	end := func() {
		if len(now.Parts) > 0 {
			all = append(all, now)
		}
	}
	for i, piece := range strings.Split(b.String(), mark) {
		picture, notPicture := strconv.Atoi(piece)
		switch {
		case i%2 == 0:
			if piece = strings.TrimSpace(piece); piece != "" {
				now.Parts = append(now.Parts, Part{Text: piece})
			}
		case notPicture != nil:
			end()
			now = Message{Role: piece}
		default:
			part, err := a.part(picture)
			if err != nil {
				return nil, err
			}
			now.Parts = append(now.Parts, part)
		}
	}
	end()
	return all, nil
}
