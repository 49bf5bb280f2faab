package guard

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/text"
)

// foreign has the words for a class in languages other than English and Chinese: the words of
// buttons, in Latin and other letters, the other meanings of such words, and the words of a task
// that wants the act, at the beginning or the end of a clause.
type foreign struct {
	Latin pattern `yaml:"latin"`
	Other pattern `yaml:"other"`
	Not   pattern `yaml:"not"`
	Task  pattern `yaml:"task"`
	Last  pattern `yaml:"last"`
}

var (
	// how a wish ends, in the languages that have the verb last
	lastForeign = folded(`(?:くだ|下さ|ほし|お願い).*| ?줘| ?주세요|라|`)
	// the words before a verb that is to be done
	politeForeign = folded(`^ ?(?:.*\b(?:y|e|und|et|en|ed|i|ve|dan)|.* и)? ?(?:(?:por favor|` +
		`bitte|s['’]il (?:te|vous) plaît|per favore|alsjeblieft|proszę|lütfen|tolong|пожалуйста|` +
		`luego|después|dann|ensuite|puis|poi|depois|danach|потом) ?)*`)
)

// buttonOf is how screen readers mark a button.
const buttonOf = `(?:boton (?:de|para) |botao (?:de|para) |bouton (?:de |pour )?|кнопка |` +
	`schaltflache |pulsante (?:di |per )?|knop |przycisk )`

// foreignMatcher is a class's words in other languages, ready to be looked for.
type foreignMatcher struct {
	line, ends *late // anywhere in a line, and where other languages have verbs: first or last
	not        *late // nil if there are none
	// at the beginning of a clause of a task, at its end, and anywhere, nil if there are none
	task, last, within *late
}

// late is an expression that is compiled when a text has a hint of it: most are long, and most
// texts have none.
type late struct {
	hints []string
	re    func() *regexp.Regexp
}

// newLate is the expression before + words + after.
func newLate(before, words, after string) *late {
	return (&late{hints: hintsOf(words)}).as(before, words, after)
}

// as is an expression with the same hints.
func (l *late) as(before, words, after string) *late {
	return &late{l.hints, text.LazilyOf(func() string { return before + words + after })}
}

func (l *late) in(text string) bool {
	return l != nil && hinted(text, l.hints) && l.re().MatchString(text)
}

// find is the first match, "" without one.
func (l *late) find(text string) string {
	if l == nil || !hinted(text, l.hints) {
		return ""
	}
	return l.re().FindString(text)
}

// without has a blank in the place of each match.
func (l *late) without(text string) string {
	if l == nil || !hinted(text, l.hints) {
		return text
	}
	return l.re().ReplaceAllString(text, " ")
}

var foreignMatchers = sync.OnceValue(func() map[string]*foreignMatcher {
	all := map[string]*foreignMatcher{}
	for _, c := range classes() {
		f := c.Foreign
		latin, other := labelsOf(c.Name)
		if f.Latin != "" {
			latin = append(latin, folded(f.Latin))
		}
		if f.Other != "" {
			other = append(other, folded(f.Other))
		}
		if len(latin) == 0 {
			continue
		}
		words := `(?:` + strings.Join(append(other, `\b(?:`+strings.Join(latin, "|")+`)(?:\b|$)`),
			"|") + ")"
		s := &foreignMatcher{line: newLate("", words, "")}
		s.ends = &late{s.line.hints, text.LazilyOf(func() string {
			return "^(?:(?:" + inAll("yes") + ")[,: ]+|" + buttonOf + "|(?:" + inAll("now") +
				") )?" + words + "|" + words + "$"
		})}
		if f.Not != "" {
			s.not = newLate("", folded(f.Not), "")
		}
		if f.Task != "" {
			s.task = newLate(politeForeign, "(?:"+folded(f.Task)+")", `(?:$|[^\pL])`)
			s.within = newLate(`(?:^|[^\pL])`, "(?:"+folded(f.Task)+")", `(?:$|[^\pL])`)
		}
		if f.Last != "" {
			s.last = newLate("", "(?:"+folded(f.Last)+")", "(?:"+lastForeign+")$")
		}
		all[c.Name] = s
	}
	return all
})

// matches are the words of a line that name in another language what a class does, "" for none. In
// content, only those at its beginning count.
func (s *foreignMatcher) matches(line string, anywhere, content bool) string {
	if !hinted(line, s.line.hints) {
		return ""
	}
	line = s.not.without(line)
	line = strings.TrimSpace(notLabels().ReplaceAllString(line, " "))
	switch {
	case content:
		if at := s.line.re().FindStringIndex(line); at == nil || at[0] > 0 {
			return ""
		}
		fallthrough
	case anywhere:
		return whole(line, s.line.re())
	}
	return whole(line, s.ends.re())
}

// whole is the first match that begins a word, in scripts that part words by spaces.
func whole(line string, words *regexp.Regexp) string {
	for _, at := range words.FindAllStringIndex(line, 20) {
		before, _ := utf8.DecodeLastRuneInString(line[:at[0]])
		first, _ := utf8.DecodeRuneInString(line[at[0]:])
		if at[0] == 0 || !unicode.In(first, spacedScripts...) || !unicode.IsLetter(before) {
			return line[at[0]:at[1]]
		}
	}
	return ""
}

var spacedScripts = []*unicode.RangeTable{unicode.Cyrillic, unicode.Greek, unicode.Hebrew,
	unicode.Arabic, unicode.Devanagari, unicode.Armenian, unicode.Georgian}

// wants reports whether a clause of a task wants what the class does, in another language, or
// forbids it.
func (s *foreignMatcher) wants(clause string) (wanted, forbidden bool) {
	if s == nil {
		return false, false
	}
	wanted = s.task.in(clause) || s.last.in(clause)
	if !never().MatchString(clause) {
		return wanted, false
	}
	return false, wanted || s.line.in(clause) || s.within.in(clause)
}

// names reports whether the text names what the class does, in another language.
func (s *foreignMatcher) names(text string) bool {
	return s != nil && (s.line.in(text) || s.task.in(text) || s.last.in(text))
}

// never matches what takes a consent back, wherever in a clause it stands.
var never = listed(`{not_foreign}`)
