// Package text cleans and shortens text from models, phones, servers and people before it is shown
// in a terminal, a header, a prompt, a log or an error.
//
// [Dangerous] decides which characters are removed. [Line] and [Lines] differ in how they treat
// line breaks. A [Writer] cleans all output of a program, and [JSON] escapes the characters
// instead.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/rangetable"
)

// Ellipsis marks the end of a text that was cut.
const Ellipsis = "…"

// Dangerous reports whether r could control a terminal, forge a line, change the writing direction
// or hide text. These are control characters except line breaks and tabs, line and paragraph
// separators, format characters, private-use characters, the supplementary variation selectors, and
// blank letters. The joiners U+200C and U+200D are not dangerous because some scripts and emoji
// need them.
func Dangerous(r rune) bool {
	switch {
	case ' ' <= r && r <= '~', r == '\n', r == '\t', joins(r):
		return false
	// invisible variation selectors: 240 values that can hide bytes
	case r >= 0xE0100 && r <= 0xE01EF:
		return true
	// a joiner and the Hangul fillers, which are invisible
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
		return true
	}
	return unicode.Is(unseen, r)
}

// unseen is a single table because every rune shown or stored is looked up.
var unseen = rangetable.Merge(unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co,
	unicode.Cs)

func joins(r rune) bool { return r == 0x200C || r == 0x200D }

// Control returns the first control character of s that is not in allowed. It is for text that must
// be rejected, not cleaned, because it is typed or stored unchanged.
func Control(s, allowed string) (r rune, found bool) {
	i := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune(allowed, r)
	})
	if i < 0 {
		return 0, false
	}
	r, _ = utf8.DecodeRuneInString(s[i:])
	return r, true
}

// Line returns s as one line without dangerous characters. It trims white space and replaces each
// run of it with one space. Invalid UTF-8 becomes U+FFFD. A joiner is kept only between two
// characters beyond ASCII.
func Line(s string) string { return strings.Join(strings.Fields(Lines(s)), " ") }

// Lines is like [Line], but keeps tabs, spaces and line breaks. Every kind of line break becomes
// "\n".
func Lines(s string) string {
	var c cleaner
	out := make([]byte, 0, len(s))
	for _, r := range s { // invalid UTF-8 yields U+FFFD
		out = c.add(out, r)
	}
	return string(out)
}

// cleaner removes dangerous characters from a sequence.
type cleaner struct {
	last   rune // the last character that was kept
	joiner rune // kept if the next character can be joined, 0 for none
	cr     bool // the previous character was "\r"
}

// add appends r, or its replacement, to out.
func (c *cleaner) add(out []byte, r rune) []byte {
	again := c.cr && r == '\n' // the line break was already written
	if c.cr = r == '\r'; again {
		return out
	}
	if c.joiner != 0 && joinable(r) {
		out = utf8.AppendRune(out, c.joiner)
	}
	c.joiner = 0
	switch {
	case strings.ContainsRune("\r\v\f\u0085\u2028\u2029", r):
		r = '\n'
	case joins(r) && joinable(c.last):
		c.joiner = r
		return out
	case joins(r), Dangerous(r):
		return out
	}
	c.last = r
	return utf8.AppendRune(out, r)
}

// joinable reports whether a joiner may be next to r.
func joinable(r rune) bool {
	return r > unicode.MaxASCII && !unicode.IsSpace(r) && !joins(r) && !Dangerous(r)
}

// Cut returns s, shortened to n characters. A shortened text ends with [Ellipsis].
func Cut(s string, n int) string {
	if _, left := Head(s, n); left == 0 {
		return s
	}
	if n <= 0 {
		return ""
	}
	head, _ := Head(s, n-1)
	return head + Ellipsis
}

// Head returns the first n characters of s and the number of characters left out.
func Head(s string, n int) (head string, left int) {
	if len(s) <= n {
		return s, 0
	}
	for i := range s {
		if n <= 0 {
			return s[:i], utf8.RuneCountInString(s[i:])
		}
		n--
	}
	return s, 0
}

// Gap separates the two parts that [Ends] keeps.
const Gap = " [...] "

// Ends returns s, shortened to n characters around [Gap], a quarter of them from its end, and the
// number of characters left out.
func Ends(s string, n int) (kept string, left int) {
	if _, left = Head(s, n); left == 0 {
		return s, 0
	}
	tail := len(s)
	for range n / 4 {
		_, size := utf8.DecodeLastRuneInString(s[:tail])
		tail -= size
	}
	head, _ := Head(s, n-n/4)
	return head + Gap + s[tail:], left
}

// Quote returns s, shortened to n characters, as a Go string literal. It is for messages about an
// invalid value.
func Quote(s string, n int) string { return strconv.Quote(Cut(s, n)) }

// Distinct returns how many first characters tell the ids apart, at least least.
func Distinct(ids []string, least int) int {
	n := least
	for i, a := range ids {
		for _, b := range ids[:i] {
			same := 0
			for same < min(len(a), len(b)) && a[same] == b[same] {
				same++
			}
			if a != b {
				n = max(n, same+1)
			}
		}
	}
	return n
}

// Words takes the name in a resource id apart, at all but letters and where capitals begin:
// com.app:id/btnPay_now is btn, pay, now.
func Words(id string) []string {
	id = id[strings.LastIndexAny(id, ":/")+1:]
	var b strings.Builder
	var former rune
	for _, r := range id {
		if unicode.IsUpper(r) && unicode.IsLower(former) || !unicode.IsLetter(r) {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		former = r
	}
	return strings.Fields(b.String())
}

// Edge reports whether a word or a number may end or begin at i. Scripts without spaces have no
// words.
func Edge(s string, i int) bool {
	left, _ := utf8.DecodeLastRuneInString(s[:i])
	right, _ := utf8.DecodeRuneInString(s[i:])
	spaced := func(r rune) bool {
		return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana,
			unicode.Katakana, unicode.Thai)
	}
	return !(spaced(left) && spaced(right)) && !(unicode.IsDigit(left) && unicode.IsDigit(right))
}

// Contains reports whether words stand in a text, not in the middle of others.
func Contains(s, words string) bool {
	for at := 0; words != ""; at++ {
		i := strings.Index(s[at:], words)
		if i < 0 {
			break
		}
		if at += i; Edge(s, at) && Edge(s, at+len(words)) {
			return true
		}
	}
	return false
}

// Count is a number of things in English, "1 step" or "2 steps".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Each returns f's results for the elements, or nil for none.
func Each[From, To any](all []From, f func(From) To) (out []To) {
	for _, one := range all {
		out = append(out, f(one))
	}
	return out
}
