package guard

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/text"
)

// The words that tell what kind of wish a task is, see words.txt.
var (
	conditional = listed(`{condition}`)
	asksPerson  = listed(`{asks_person}`)
	anotherTime = listed(`{another_time}`)
	ofOneself   = listed(`{of_oneself}`)
	toOther     = listed(`{to_other}`)
	polite      = listed(`{polite}`)
	courtesy    = listed(`{courtesy}`)
)

// doubtful reports whether a task, as normalize has it, is no plain wish for now: it depends on
// something, is for another time, has a person asked first, or names the act in a question or in
// what the writer means to do. What a message is to say does not count, unless it has a person
// asked.
func doubtful(task string, names func(string) bool) bool {
	task = courtesy().ReplaceAllString(task, " ")
	if asksPerson().MatchString(task) {
		return true
	}
	for _, s := range sentencesOf(task) {
		asks := strings.ContainsAny(s, "?؟") && !polite().MatchString(s)
		s = said().ReplaceAllString(s, "$1$2")
		wish := ofOneself().MatchString(s) && !toOther().MatchString(s)
		if conditional().MatchString(polite().ReplaceAllString(s, " ")) || delayed(s) ||
			(asks || wish) && names(s) {
			return true
		}
	}
	return false
}

// delayed reports whether a sentence puts its act off. A day that belongs to a thing, as in
// "tomorrow's meeting" and "the meeting of tomorrow", does not, nor does the hour of an alarm.
func delayed(sentence string) bool {
	for _, at := range anotherTime().FindAllStringIndex(sentence, -1) {
		before, after := strings.TrimSpace(sentence[:at[0]]), sentence[at[1]:]
		hour := strings.ContainsFunc(sentence[at[0]:at[1]], unicode.IsDigit) &&
			(hourly.MatchString(before) || hours.MatchString(after))
		if !hour && !ofThing().MatchString(before) && !strings.HasPrefix(after, "'s") &&
			!strings.HasPrefix(after, "’s") && strings.IndexAny(after, "的の의") != 0 {
			return true
		}
	}
	return false
}

// timed are the things that have an hour.
const timed = `\b(?:alarm\pL*|wecker|termin|meeting|event|appointment|reminder|reveil|sveglia)|` +
	`будильник|闹钟|会议|アラーム|予定|会議|알람|일정`

var (
	ofThing = text.Lazily(`\b(?:of|for|from|about|von|fur|vom|de|del|para|pour|di|per|` +
		`da|van|voor|na|z|av)$`)
	// what an hour behind it belongs to, and one before it
	hourly = regexp.MustCompile(`(?:` + timed + `)$`)
	hours  = regexp.MustCompile(`^[- ]?(?:` + timed + `)`)
	// a message's own words, behind a colon or the word for "that", which may end a condition
	said = text.Lazily(`((?:\b(?:send|text|message|mail|e-?mail|write|tell|reply|post|` +
		`comment|schreib|antwort|schick|send|sag|escrib|respond|envi|manda|di(?:le)?|` +
		`ecri|repond|envo|dis|scriv|rispond|invia|stuur|schrijf|napis|wysl)\pL*\b|` +
		`[发回]|告诉|напиши|отправь|ответь)` +
		`(?:[^:]|\d:\d)*?)(:(?: |\D|$)|(?:^|[^\pL])(?:that|saying|dass|que|che|dat|ze|что)` +
		`(?:[^\pL]|$)|说|讲)[^,，、]*`)
)

// sentencesOf takes a text apart, with the marks at the ends of its sentences.
func sentencesOf(text string) (list []string) {
	from := 0
	for at, r := range text {
		next := at + utf8.RuneLen(r)
		ends := strings.ContainsRune("。！？؟;", r) ||
			strings.ContainsRune(".!?", r) && (next == len(text) || text[next] == ' ')
		if ends {
			list = append(list, text[from:next])
			from = next
		}
	}
	return append(list, text[from:])
}
