package guard

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/text"
)

// lines returns the lines of the element's texts and its description.
func (e *Element) lines() []string {
	if e == nil {
		return nil
	}
	list := lines(e.Text)
	for _, l := range lines(unjoined(e.Description)) {
		if !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

// unjoined has a line for each of the texts that a framework has joined by commas for a screen
// reader: several, of which one is a picture, or three and more.
func unjoined(s string) string {
	parts := strings.Split(s, ", ")
	icon := func(t string) bool { return !strings.ContainsFunc(t, unicode.IsLetter) }
	if len(parts) > 2 || len(parts) > 1 && slices.ContainsFunc(parts, icon) {
		return strings.Join(parts, "\n")
	}
	return s
}

func lines(s string) (list []string) {
	for l := range strings.Lines(s) {
		if l = undecorated(normalize(text.Cut(l, maxText))); l != "" && !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

// hasText reports whether something can be read on the element, or out of it: what only has a
// picture in letters is an icon, except for keys and what goes back, closes or opens a menu.
func (e *Element) hasText() bool {
	return e != nil && strings.ContainsFunc(e.Text+e.Description, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune(symbols, r)
	})
}

const symbols = ".,:*#+-−÷/=%⌫←‹<«↩×✕✖❌⋮⋯…☰≡?!"

// icons are pictures in letters, and what they say.
var icons = []struct{ any, says string }{{"🗑🚮⌦", "delete"}, {"✓✔✅☑👌🆗", "ok"},
	{"→➔➜➞⟶❯»", "next"}, {"➤📤📨", "send"}, {"💸", "send money"}}

// undecorated returns a plain line without a picture, a number or a bracket in front of its words.
// A picture alone is kept.
func undecorated(line string) string {
	first, _ := utf8.DecodeRuneInString(line)
	if unicode.IsLetter(first) {
		return line
	}
	if !strings.ContainsFunc(line, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r)
	}) {
		for _, i := range icons {
			if strings.ContainsAny(line, i.any) {
				return i.says
			}
		}
		return line
	}
	return decorated().ReplaceAllString(line, "")
}

var decorated = text.Lazily(`^(?:[\p{So}\p{Co}\p{Ps}\p{Pi}\p{Po}]+ ?|` +
	`[-–—+→»›>] |\(?\d{1,3}[.)\]:] )+`)

func (e *Element) id() string {
	if e == nil {
		return ""
	}
	return e.ResourceID
}
