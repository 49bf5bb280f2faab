package guard

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// words.txt has the words.
var wordLists = words.Lists(string(packedFiles()["words.txt"]))

// normalize returns a text in the form in which texts are compared: in one width and case, without
// invisible characters and accents, without spaces between Chinese characters or spelled letters,
// and with one letter for all that look like it.
func normalize(s string) string {
	s = strings.ToLower(steering().ReplaceAllString(s, ""))
	if ascii(s) {
		return strings.Join(strings.Fields(spaced(joinSpelled(s))), " ")
	}
	fields := strings.Fields(spaced(joinSpelled(fold(s))))
	var b strings.Builder
	for i, f := range fields {
		if i > 0 {
			last, _ := utf8.DecodeLastRuneInString(fields[i-1])
			first, _ := utf8.DecodeRuneInString(f)
			if !unicode.Is(unicode.Han, last) || !unicode.Is(unicode.Han, first) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(toLatin(f))
	}
	return b.String()
}

// fold returns a text in lower case and in its plainest letters: normalized to NFKC (UAX #15),
// without accents and invisible characters.
func fold(s string) string {
	return norm.NFC.String(strings.ToLower(strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me),
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r == '\u2800':
			return -1
		}
		for _, first := range framed {
			if r >= first && r < first+26 {
				return 'a' + r - first
			}
		}
		return r
	}, norm.NFKD.String(s))))
}

// framed are the first of the alphabets in circles, in squares and of flags, which have no plainer
// form in Unicode.
var framed = []rune{'\U0001F150', '\U0001F170', '\U0001F1E6'}

// spaced has a space where a name that is written as one word has a line.
func spaced(s string) string { return strings.ReplaceAll(s, "_", " ") }

// joinSpelled joins letters that stand alone: p a y, p.a.y.
func joinSpelled(s string) string {
	for n := 0; n < 2 && spells(s); n++ { // a space between two of them is an end of the first only
		s = spelled().ReplaceAllStringFunc(s, func(t string) string {
			inner := strings.TrimFunc(t, func(r rune) bool { return !unicode.IsLetter(r) })
			_, size := utf8.DecodeRuneInString(inner)
			by, _ := utf8.DecodeRuneInString(inner[size:])
			return strings.Replace(t, inner, strings.ReplaceAll(inner, string(by), ""), 1)
		})
	}
	return s
}

// spells reports whether there may be letters that stand alone, without more than a glance.
func spells(s string) bool {
	alone := 0
	for _, word := range strings.FieldsFunc(s, func(r rune) bool {
		return strings.ContainsRune(" .-_·", r)
	}) {
		if alone++; utf8.RuneCountInString(word) > 1 {
			alone = 0
		}
		if alone > 2 {
			return true
		}
	}
	return false
}

var (
	steering = text.Lazily(`\x1b\[[0-9;?]*[A-Za-z]`) // of terminals
	spelled  = text.Lazily(`(?:^|[^\pL])\pL(?:(?: \pL){2,}|(?:[.]\pL){2,}|(?:-\pL){2,}|` +
		`(?:_\pL){2,}|(?:·\pL){2,})(?:$|[^\pL])`)
)

// Letters that look like Latin ones, in lower case, and those: Cyrillic, Greek, small capitals, and
// those of Latin alphabets that have no plainer form in Unicode.
var latinLike = strings.NewReplacer(strings.Split(list("latin_like"), "|")...)

// toLatin is a word in Latin letters when all of it looks like some.
func toLatin(word string) string {
	if l := latinLike.Replace(word); ascii(l) {
		return l
	}
	return word
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// folded is a pattern in the letters in which texts are compared.
func folded[T ~string](p T) string {
	return letters().ReplaceAllStringFunc(fold(string(p)), toLatin)
}

// listed is a pattern with names of lists in braces, in the letters in which texts are compared:
// those of words.txt, and behind a star the keys of verbs.txt. A name that is none panics.
func listed(pattern string) func() *regexp.Regexp {
	for _, braced := range lists().FindAllString(pattern, -1) {
		list(strings.Trim(braced, "{}"))
	}
	return text.LazilyOf(func() string {
		return lists().ReplaceAllStringFunc(pattern, func(braced string) string {
			name := strings.Trim(braced, "{}")
			if key, verbs := strings.CutPrefix(name, "*"); verbs {
				return inAll(key)
			}
			return folded(list(name))
		})
	})
}

var (
	letters = text.Lazily(`\pL+`)
	lists   = text.Lazily(`\{\*?[a-z_]+\}`)
)

// Bounds of the texts of a subject that are read.
const (
	maxTexts = 1000
	maxText  = 1000 // characters
	maxLater = 100
)
