package guard

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// class is a kind of harm: what it is called on buttons, in resource ids, in the text of a dialog
// that asks for it, in a task that wants it done and in names of tools. classes.yaml says more.
type class struct {
	Name     string   `yaml:"name"`
	Severity Severity `yaml:"severity"`
	Words    pattern  `yaml:"words"`
	Han      pattern  `yaml:"han"`
	Not      pattern  `yaml:"not"`
	IDs      pattern  `yaml:"ids"`
	Asks     pattern  `yaml:"asks"`
	Task     pattern  `yaml:"task"`
	TaskHan  pattern  `yaml:"task_han"`
	Tools    []string `yaml:"tools"`
	ToolsHan pattern  `yaml:"tools_han"`
	Foreign  foreign  `yaml:"foreign"`
	// words of names of tools that do harm beside some other words only, or not beside some
	ToolVerbs []struct {
		Word  string   `yaml:"word"`
		To    []string `yaml:"to"`
		NotTo []string `yaml:"not_to"`
	} `yaml:"tool_verbs"`
}

// pattern is a regular expression, of which the file lists the alternatives.
type pattern string

// UnmarshalYAML reads a list.
func (p *pattern) UnmarshalYAML(read func(any) error) error {
	var alternatives []string
	err := read(&alternatives)
	*p = pattern(strings.Join(alternatives, "|"))
	return err
}

// classes returns the built-in rules, the gravest first.
var classes = sync.OnceValue(func() (all []class) {
	err := yaml.UnmarshalWithOptions(packedFiles()["classes.yaml"], &all, yaml.Strict())
	if err != nil {
		panic(err)
	}
	return all
})

func classNamed(name string) *class {
	list := classes()
	return &list[slices.IndexFunc(list, func(c class) bool { return c.Name == name })]
}

// matcher is what a class's words become: one pattern for each place where they are looked for.
type matcher struct {
	*class
	anywhere, atStart, not, id, asked, toolsHan *late

	// the words of what cannot be undone, joined into one word, or nil
	joined, joinedID *late

	foreign *foreignMatcher // nil when it is known in English and Chinese only
}

// leadIn is what may stand before the words on a button.
var leadIn = "^(?:" + list("lead_in") + ")*"

// matchers are the classes, ready to be looked for.
var matchers = sync.OnceValue(func() []matcher {
	list := make([]matcher, len(classes()))
	for i := range list {
		c := &classes()[i]
		words, ids := string(c.Words), string(c.IDs)
		said := `(?:` + words + `)(?:\b|$)|` + string(c.Han)
		m := matcher{class: c, foreign: foreignMatchers()[c.Name],
			anywhere: newLate(`\b`, said, ""),
			id:       newLate(`^(?:`, ids, `)$`),
			asked:    newLate("", string(c.Asks), ""),
			toolsHan: newLate("", string(c.ToolsHan), "")}
		m.atStart = m.anywhere.as(leadIn+`(?:`, said, `)`)
		if c.Not != "" {
			m.not = newLate("", string(c.Not), "")
		}
		if c.Severity == Critical {
			m.joined = newLate(`^(?:confirm|yes|ok|tap|click)?(?:`,
				strings.ReplaceAll(words, " ", ""), `)(?:now|it|all|here|order|money|bills?)?$`)
			m.joinedID = newLate(`^(?:`, strings.ReplaceAll(ids, " ", ""), `)$`)
		}
		list[i] = m
	}
	return list
})

// asksIn are the words of a text that ask for what the class does, "" for none.
func (f *matcher) asksIn(text string) string {
	if f.foreign != nil && question(text) {
		words := cmp.Or(f.foreign.matches(text, true, false), f.foreign.within.find(text))
		if words != "" {
			return words
		}
	}
	return f.asked.find(text)
}

// question reports whether a text asks, in any language.
func question(text string) bool {
	return strings.ContainsAny(text, "?؟") || strings.Contains(text, "ますか")
}

// oneWord is the word of a line that is several which say what the class does: PayNow.
func (f *matcher) oneWord(line string) string {
	for word := range strings.FieldsSeq(line) {
		if len(word) > 5 && len(word) < 20 && f.joined.in(word) {
			return word
		}
	}
	return ""
}

// endsID reports whether the words of a resource id end with what the class does.
func (f *matcher) endsID(words []string) bool {
	for i := range words {
		if f.id.in(strings.Join(words[i:], " ")) {
			return true
		}
	}
	return false
}

// matches returns the words of a button's line that say what the class does, or "". Words of what
// cannot be undone count at any place of a short line, others at its beginning.
func (f *matcher) matches(line string, content bool) string {
	line, words := f.not.without(line), ""
	if f.Severity == Critical && !content {
		words = cmp.Or(f.anywhere.find(line), f.oneWord(line))
	} else {
		words = f.atStart.find(strings.TrimSpace(line))
	}
	if words == "" && f.foreign != nil {
		return f.foreign.matches(line, f.Severity == Critical, content)
	}
	return words
}
