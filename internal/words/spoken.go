package words

import "unicode"

// Auto stands for the language of what a text is about, such as a task.
const Auto = "auto"

// Spoken returns the language that a text is in, among [Languages].
func Spoken(text string) string {
	han := false
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return Default // characters of China are written in Japan and Korea, too
		case unicode.Is(unicode.Han, r):
			han = true
		}
	}
	if han {
		return Match("zh")
	}
	return Default
}

// For returns the language that fits best, which for [Auto] is that of the text.
func For(lang, text string) string {
	if lang == Auto {
		return Spoken(text)
	}
	return Match(lang)
}
