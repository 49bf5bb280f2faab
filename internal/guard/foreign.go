package guard

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
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

// Words of other languages that say no, and that begin the line of a sum.
var (
	noForeign    = folded(wordLists["no_foreign"])
	sumForeign   = folded(wordLists["sum_foreign"])
	slideForeign = folded(wordLists["slide_foreign"]) // how people are told to draw a finger
	// what takes a consent back, wherever in a clause it stands
	notForeign = folded(wordLists["not_foreign"])
	// how a wish ends, in the languages that have the verb last
	lastForeign = folded(`(?:くだ|下さ|ほし|お願い).*| ?줘| ?주세요|라|`)
	// the words before a verb that is to be done
	politeForeign = folded(`^ ?(?:.*\b(?:y|e|und|et|en|ed|i|ve|dan)|.* и)? ?(?:(?:por favor|` +
		`bitte|s['’]il (?:te|vous) plaît|per favore|alsjeblieft|proszę|lütfen|tolong|пожалуйста|` +
		`luego|después|dann|ensuite|puis|poi|depois|danach|потом) ?)*`)
)

// yesForeign are the words that only say yes.
func yesForeign() string { return folded(wordLists["yes_foreign"]) + "|" + inAll("yes") }

// buttonOf is how screen readers mark a button.
const buttonOf = `(?:boton (?:de|para) |botao (?:de|para) |bouton (?:de |pour )?|кнопка |` +
	`schaltflache |pulsante (?:di |per )?|knop |przycisk )`

// foreignMatcher is a class's words in other languages, ready to be looked for.
type foreignMatcher struct {
	line  *regexp.Regexp // anywhere in a line
	hints []string       // of line
	ends  *regexp.Regexp // at its beginning or end: other languages have the verb behind its object
	not   *regexp.Regexp
	// of a task, nil if there are none
	task *regexp.Regexp // at the beginning of a clause
	last *regexp.Regexp // at its end
}

var foreignMatchers = sync.OnceValue(func() map[string]*foreignMatcher {
	all := map[string]*foreignMatcher{}
	for _, c := range classes() {
		f := c.Foreign
		latin, other := labelsOf(c.Name)
		if f.Latin != "" {
			latin, other = append(latin, folded(f.Latin)), append(other, folded(f.Other))
		}
		if len(latin) == 0 {
			continue
		}
		words := `(?:` + strings.Join(append(other, `\b(?:`+strings.Join(latin, "|")+`)(?:\b|$)`),
			"|") + ")"
		s := &foreignMatcher{line: regexp.MustCompile(words), hints: hintsOf(words),
			not: regexp.MustCompile(folded(f.Not)),
			ends: regexp.MustCompile("^(?:(?:" + yesForeign() + ")[,: ]+|" + buttonOf +
				"|(?:" + inAll("now") + ") )?" + words + "|" +
				words + "$")}
		if f.Task != "" {
			s.task = regexp.MustCompile(politeForeign + "(?:" + folded(f.Task) + `)(?:$|[^\pL])`)
		}
		if f.Last != "" {
			s.last = regexp.MustCompile("(?:" + folded(f.Last) + ")(?:" + lastForeign + ")$")
		}
		all[c.Name] = s
	}
	return all
})

// matches are the words of a line that name in another language what a class does, "" for none. In
// content, only those at its beginning count.
func (s *foreignMatcher) matches(line string, anywhere, content bool) string {
	if !hinted(line, s.hints) {
		return ""
	}
	if s.not.String() != "" {
		line = s.not.ReplaceAllString(line, " ")
	}
	line = strings.TrimSpace(notLabels().ReplaceAllString(line, " "))
	switch {
	case content:
		if at := s.line.FindStringIndex(line); at == nil || at[0] > 0 {
			return ""
		}
		fallthrough
	case anywhere:
		return whole(line, s.line)
	}
	return whole(line, s.ends)
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
	wanted = s.task != nil && s.task.MatchString(clause) ||
		s.last != nil && s.last.MatchString(clause)
	if !never().MatchString(clause) {
		return wanted, false
	}
	return false, wanted || s.line.MatchString(clause)
}

// names reports whether the text names what the class does, in another language.
func (s *foreignMatcher) names(text string) bool {
	if s == nil {
		return false
	}
	return s.line.MatchString(text) || s.task != nil && s.task.MatchString(text) ||
		s.last != nil && s.last.MatchString(text)
}

var never = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(notForeign)
})
