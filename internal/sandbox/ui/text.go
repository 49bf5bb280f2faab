package ui

import (
	"strings"
	"unicode"
)

// wrap breaks text into lines of at most width pixels. limit > 0 cuts after that many lines with an
// ellipsis.
func wrap(s string, px int, bold bool, width, limit int) []string {
	rows := breakLines(s, px, bold, width)
	for i, row := range rows {
		rows[i] = strings.TrimRight(row, " ")
	}
	if limit > 0 && len(rows) > limit {
		rows = rows[:limit]
		rows[limit-1] = ellipsis(rows[limit-1]+"…", px, bold, width)
	}
	return rows
}

// breakLines finds the lines of a text: it breaks at newlines, behind spaces, between wide
// characters, and inside a word that is longer than a line. There is always at least one line.
func breakLines(s string, px int, bold bool, width int) (lines []string) {
	for para := range strings.SplitSeq(s, "\n") {
		runes := []rune(para)
		for first := true; first || len(runes) > 0; first = false {
			end := fit(runes, px, bold, width)
			if end < len(runes) {
				end = breakBefore(runes, end)
			}
			for end < len(runes) && runes[end] == ' ' {
				end++
			}
			lines = append(lines, string(runes[:end]))
			runes = runes[end:]
		}
	}
	return lines
}

// fit is how many of the runes, at least one, are at most width wide.
func fit(runes []rune, px int, bold bool, width int) (n int) {
	withGlyphs(px, bold, func(get func(rune) *glyph) {
		for w := 0; n < len(runes); n++ {
			w += get(runes[n]).advance
			if w > width && n > 0 && runes[n] != ' ' {
				return
			}
		}
	})
	return n
}

// breakBefore is the last place up to end at which a line may end, or else end.
func breakBefore(runes []rune, end int) int {
	for i := end; i > 0; i-- {
		if runes[i] == ' ' || runes[i-1] == ' ' || wide(runes[i]) || wide(runes[i-1]) {
			if !closing(runes[i]) {
				return i
			}
		}
	}
	return end
}

func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r < 0xff61
}

// closing reports punctuation that must not begin a line.
func closing(r rune) bool {
	return strings.ContainsRune("，。、！？；：）》」』”’,.!?;:)", r)
}

func ellipsis(s string, px int, bold bool, width int) string {
	runes := []rune(s)
	for len(runes) > 1 && Measure(string(runes), px, bold) > width {
		runes = append(runes[:len(runes)-2], '…')
	}
	return string(runes)
}

// Measure is the width of a line of text in pixels.
func Measure(s string, px int, bold bool) (w int) {
	withGlyphs(px, bold, func(get func(rune) *glyph) {
		for _, r := range s {
			w += get(r).advance
		}
	})
	return w
}

func lineHeight(px int) int { return px * 4 / 3 }
