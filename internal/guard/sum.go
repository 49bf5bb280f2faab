package guard

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Sum is the line of a page with the sum of money that this is about: its total, or else the only
// sum there is. It is "" where several compete.
func Sum(lines []string) string {
	sums, all := map[string]string{}, map[string]string{}
	for _, line := range lines {
		said := normalize(line)
		sum := sumIn([]string{said})
		if sum == "" {
			continue
		}
		all[sum] = line
		rest := totals().ReplaceAllString(strings.Replace(said, sum, "", 1), "")
		if totals().MatchString(said) && !strings.ContainsFunc(rest, unicode.IsLetter) {
			sums[sum] = line
		}
	}
	if len(sums) == 0 {
		sums = all
	}
	for _, line := range sums {
		if len(sums) == 1 {
			return line
		}
	}
	return ""
}

// countsDown reports whether the page or dialog says how much time is left, or a form counts it.
func (l *Layout) countsDown() bool {
	return slices.ContainsFunc(l.Words, func(t string) bool {
		t = normalize(t)
		return timeLeft().MatchString(t) && !onceMore().MatchString(t) ||
			(l.Dialog || l.Ends) && underMinute.MatchString(t)
	})
}

var (
	timeLeft = listed(`(?:^|[^\pL])(?:{time_left}).{0,12}?` + seconds + `|` + seconds +
		`.{0,9}(?:{time_left})`)
	onceMore    = listed(`{once_more}`)
	underMinute = regexp.MustCompile(`^00?:\p{Nd}\p{Nd}$`)
)

const seconds = `(?:\p{Nd}{1,2}[:：]\p{Nd}\p{Nd}|\p{Nd}{1,2} ?(?:s|secs?|sek\pL*|sec\pL*|seg\pL*|сек\pL*|` +
	`秒|초|วินาที|saniye|giây|detik)(?:[^\pL]|$))`
