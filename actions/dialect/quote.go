package dialect

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/text"
)

// quote is a text from elsewhere as a JSON string on one line, at most limit characters of it. What
// is cut is said after the string, in the words of note, which takes the number of characters left
// out. Read as JSON, the string is the text.
func quote(s string, limit int, note string) string {
	s, cut := Shorten(s, limit)
	return `"` + escape(s, true) + `"` + leftOut(note, cut)
}

// oneLine returns a text of the program, which may contain texts from elsewhere, in such a form
// that nothing in it starts a line or a field.
func oneLine(s string, limit int, note string) string {
	s, cut := Shorten(s, limit)
	return escape(strings.TrimSpace(s), false) + leftOut(note, cut)
}

func leftOut(note string, cut int) string {
	if cut == 0 {
		return ""
	}
	return fmt.Sprintf(note, cut)
}

// Shorten keeps the beginning and a quarter at the end of a text that is too long, and counts what
// it left out.
func Shorten(s string, limit int) (string, int) {
	return text.Ends(strings.ToValidUTF8(s, "\uFFFD"), limit)
}

// escape writes what could be taken for structure as JSON escapes: line breaks, tabs, dangerous
// characters, the < of what looks like a tag or a model's control token and, for a quoted text,
// quotes and backslashes.
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
		case r == '<' && i+1 < len(runes) && opensTag(runes[i+1]), text.Dangerous(r):
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

func escapeRune(b *strings.Builder, r rune) {
	if r > 0xffff {
		r -= 0x10000
		fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}
