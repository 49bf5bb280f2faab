// Package text is the cleaner and cutter of words that come from models, phones, servers and
// people, before they are shown: in a terminal, a header, a prompt, a log or an error.
//
// [Dangerous] is the only decision about which characters are taken out; [Line] and [Lines] differ
// in line breaks. A [Writer] does it to all that a program prints, and [JSON] keeps such characters
// as escapes.
package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/rangetable"
)

// Ellipsis stands at the end of a text that was cut.
const Ellipsis = "…"

// Dangerous reports whether r could steer a terminal, forge a line, turn the direction of writing
// or hide what a text says: control characters (ESC too) other than line breaks and tabs, line and
// paragraph separators, format characters (bidirectional controls, zero widths, interlinear
// annotations, tags), private ones, the supplement of variation selectors, and blank letters. The
// joiners U+200C and U+200D are not among them: some scripts and emoji need them.
func Dangerous(r rune) bool {
	switch {
	case ' ' <= r && r <= '~', r == '\n', r == '\t', joins(r):
		return false
	// variation selectors that nothing shows: 240 values to hide bytes in
	case r >= 0xE0100 && r <= 0xE01EF:
		return true
	// a joiner and the Hangul fillers: seen as nothing
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
		return true
	}
	return unicode.Is(unseen, r)
}

// unseen is one table: all that is shown or stored is looked up in it, rune by rune.
var unseen = rangetable.Merge(unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co,
	unicode.Cs)

func joins(r rune) bool { return r == 0x200C || r == 0x200D }

// Control is the first control character of s that is none of those allowed: for words that are
// refused and not cleaned, since they are to be typed or kept as they are.
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

// Line is s on one line: no dangerous characters, each run of white space one space, none at the
// ends. Bytes that are no UTF-8 become U+FFFD, and a joiner stays only between two characters
// beyond ASCII.
func Line(s string) string { return strings.Join(strings.Fields(Lines(s)), " ") }

// Lines is s like [Line], but its line breaks, tabs and spaces stay; a break of any kind becomes
// "\n".
func Lines(s string) string {
	var c cleaner
	out := make([]byte, 0, len(s))
	for _, r := range s { // what is no UTF-8 comes as U+FFFD
		out = c.add(out, r)
	}
	return string(out)
}

// cleaner takes out what is dangerous, character by character.
type cleaner struct {
	last   rune // that was let through
	joiner rune // that stays if the next character can be joined; 0 is none
	cr     bool // the character before was "\r"
}

// add appends r to out, or what becomes of it.
func (c *cleaner) add(out []byte, r rune) []byte {
	again := c.cr && r == '\n' // the break was written already
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

// joinable reports whether a joiner may stand at r's side.
func joinable(r rune) bool {
	return r > unicode.MaxASCII && !unicode.IsSpace(r) && !joins(r) && !Dangerous(r)
}

// Cut is s in at most n characters: its beginning, with [Ellipsis] as the last one when something
// is missing.
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

// Head is the first n characters of s, and how many are left out.
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

// Gap stands between the two parts that [Ends] keeps.
const Gap = " [...] "

// Ends is s in at most n of its characters: its beginning, [Gap] and a quarter at its end, and how
// many are left out.
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

// Quote is s cut to n characters, in quotes and on one line, with escapes for what does not print:
// for messages about a wrong value.
func Quote(s string, n int) string { return strconv.Quote(Cut(s, n)) }

// Distinct is how many of their first characters tell the ids apart, but not fewer than least.
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
