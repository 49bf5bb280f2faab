package words

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// phrases are what commands say in the default language, and the same in another one. %s, %q, %d
// and %v stand for parts, in their order unless they are numbered. What a phrase stands in the
// program's source as is where its words are kept; here are only its translations.
var phrases = Of[map[string]string]("phrases")

// Phrase returns in the language what the program says in the default one, and what it has no
// translation of unchanged. In a message with parts between ": " those are translated that can be.
func Phrase(lang, said string) string {
	if lang = Match(lang); lang == Default || said == "" {
		return said
	}
	return books[lang]().translate(said)
}

// books are the phrases of the languages, ready to be looked up.
var books = func() map[string]func() *book {
	all := map[string]func() *book{}
	for _, lang := range Languages() {
		all[lang] = sync.OnceValue(func() *book { return newBook(*phrases(lang)) })
	}
	return all
}()

type book struct {
	whole    map[string]string
	patterns []pattern
}

// pattern is a phrase with parts.
type pattern struct {
	said *regexp.Regexp
	to   string
	own  int // bytes that are no part
}

// part is where a phrase has a part, and its number, if it has one.
var part = regexp.MustCompile(`%(?:\[(\d)\])?[sqdv]`)

func newBook(all map[string]string) *book {
	b := &book{whole: all}
	for said, to := range all {
		at := part.FindAllStringIndex(said, -1)
		if at == nil {
			continue
		}
		expr, last := "(?s)^", 0
		for _, p := range at {
			expr += regexp.QuoteMeta(said[last:p[0]])
			switch said[p[1]-1] {
			case 'q':
				expr += `("(?:[^"\\]|\\.)*")`
			case 'd':
				expr += `(-?\d+)`
			default:
				expr += `(.+?)`
			}
			last = p[1]
		}
		expr += regexp.QuoteMeta(said[last:]) + "$"
		b.patterns = append(b.patterns, pattern{regexp.MustCompile(expr), to,
			len(part.ReplaceAllString(said, ""))})
	}
	// what says most itself fits best
	slices.SortFunc(b.patterns, func(x, y pattern) int {
		return cmp.Or(cmp.Compare(y.own, x.own), strings.Compare(x.to, y.to))
	})
	return b
}

// about is a message that ends with what it is about, quoted.
var about = regexp.MustCompile(`(?s)^(.*[^\s:])(:? "(?:[^"\\]|\\.)*")$`)

// mostSaid is how many bytes of a line are looked at, the work on which grows with their square;
// and how many lines of this length are the work on a text.
const mostSaid, mostLines = 1000, 4

// translate translates a message, and its parts in turn.
func (b *book) translate(said string) string {
	if len(said) > mostSaid {
		return b.lines(said)
	}
	if to, known := b.whole[said]; known && !part.MatchString(said) {
		return to
	}
	for _, p := range b.patterns {
		if m := p.said.FindStringSubmatch(said); m != nil {
			return b.fill(p.to, m[1:])
		}
	}
	if m := about.FindStringSubmatch(said); m != nil && !strings.Contains(m[1], ": ") {
		return b.translate(m[1]) + m[2]
	}
	if list := strings.Split(said, ", "); len(list) > 1 && b.knows(list) {
		return strings.Join(list, ", ")
	}
	if strings.Contains(said, "\n") {
		return b.lines(said)
	}
	if i := strings.LastIndex(said, " ("); i > 0 && strings.HasSuffix(said, ")") {
		if tail := said[i+2 : len(said)-1]; b.translate(tail) != tail {
			return b.translate(said[:i]) + "（" + b.translate(tail) + "）"
		}
	}
	for _, between := range []string{": ", "; "} {
		if head, tail, found := strings.Cut(said, between); found {
			return b.translate(head) + between + b.translate(tail)
		}
	}
	return said
}

// lines translates a text line by line, but for those that are too long, or too many.
func (b *book) lines(said string) string {
	list, left := strings.Split(said, "\n"), mostLines*mostSaid*mostSaid
	for i, line := range list {
		if len(line) > mostSaid {
			continue
		}
		if left -= len(line) * len(line); left >= 0 {
			list[i] = b.translate(line)
		}
	}
	return strings.Join(list, "\n")
}

// knows translates the parts of a list, and reports whether there is a translation of each that is
// not quoted.
func (b *book) knows(list []string) bool {
	for i, said := range list {
		if list[i] = b.translate(said); list[i] == said && !strings.HasPrefix(said, `"`) {
			return false
		}
	}
	return true
}

// fill puts the parts in, translated.
func (b *book) fill(to string, parts []string) string {
	next := 0
	return part.ReplaceAllStringFunc(to, func(at string) string {
		i := next
		if n := part.FindStringSubmatch(at)[1]; n != "" {
			i = int(n[0] - '1')
		}
		next++
		if i >= len(parts) {
			return at
		}
		return b.translate(parts[i])
	})
}
