package guard

import (
	"regexp"
	"strings"
)

// no is what takes a consent back when it stands before the words.
var no = regexp.MustCompile(`\b(?:not|never|no|without|don['’]?t|do not|doesn['’]?t|nothing|avoid|` +
	`instead of|unless|before you|except)\b|不|别|勿|莫|没有|无需|禁止|除非|避免`)

// clauses are where the reach of a negation ends.
var clauses = regexp.MustCompile(`[.,;:!?。,;:!?、\n]+|\b(?:but|then|and then|however)\b|但|然后|而是`)

// consents reports whether the task names what the class does, and does not say that it must not
// be done. Text in quotes is what is to be written, and names nothing.
func (c *class) consents(task string) bool {
	if c.severity != Sensitive || c.task == "" {
		return false
	}
	wanted := regexp.MustCompile(`(?:^|[^a-z])(?:` + c.task + `)(?:$|[^a-z])|` + c.taskHan)
	agrees := false
	for _, clause := range clauses.Split(quoted.ReplaceAllString(plain(task), " "), -1) {
		words := wanted.FindString(clause)
		if words == "" {
			continue
		}
		if negated(clause, words) {
			return false
		}
		agrees = true
	}
	return agrees
}

var quoted = regexp.MustCompile(`"[^"]*"|“[^”]*”|「[^」]*」|‘[^’]*’`)

// negated reports whether a text takes back the words that are in it.
func negated(text, words string) bool {
	before, _, _ := strings.Cut(text, words)
	return no.MatchString(before)
}
