package dialect

import (
	"fmt"
	"strings"
	"unicode"
)

// quote is a text from elsewhere as a JSON string on one line, at most limit characters of it. What is cut is said after
// the string, in the words of note, which takes the number of characters left out. Read as JSON, the string is the text.
func quote(s string, limit int, note string) string {
	s, cut := shorten(s, limit)
	q := `"` + escape(s, true) + `"`
	if cut > 0 {
		q += fmt.Sprintf(note, cut)
	}
	return q
}

// oneLine is a text of ours that may have texts from elsewhere in it: nothing in it starts a line or a field.
func oneLine(s string, limit int, note string) string {
	s, cut := shorten(s, limit)
	q := escape(strings.TrimSpace(s), false)
	if cut > 0 {
		q += fmt.Sprintf(note, cut)
	}
	return q
}

// shorten keeps the beginning and a quarter at the end of a text that is too long, and counts what it left out.
func shorten(s string, limit int) (string, int) {
	r := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	cut := len(r) - limit
	if cut <= 0 {
		return string(r), 0
	}
	tail := limit / 4
	return string(r[:limit-tail]) + " [...] " + string(r[len(r)-tail:]), cut
}

// escape writes what could be taken for structure as JSON escapes: line breaks, tabs, invisible characters, the < of what
// looks like a tag or a model's control token and, for a quoted text, quotes and backslashes.
func escape(s string, quoted bool) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case quoted && (r == '"' || r == '\\'):
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '<' && i+1 < len(runes) && opensTag(runes[i+1]), hidden(r):
			escapeRune(&b, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func opensTag(next rune) bool {
	return unicode.IsLetter(next) || strings.ContainsRune("/|!?_\uFF5C", next)
}

// hidden reports control characters, line separators and characters that turn the direction of writing. The joiners that
// emoji are made of stay.
func hidden(r rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d':
		return false
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co):
		return true
	}
	return false
}

func escapeRune(b *strings.Builder, r rune) {
	if r > 0xffff {
		r -= 0x10000
		fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}
