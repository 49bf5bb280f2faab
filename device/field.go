package device

import (
	"regexp"
	"strings"

	"github.com/taploop/taploop/internal/lazyregexp"
)

// field is something that Android's services print: it is found by its word and read by its form.
// Dumps are long, and a regular expression alone would look at each of their characters.
type field struct {
	word string
	line bool // it begins its line, but for blanks; else a word
	form *lazyregexp.Regexp
}

// atLine is a field at the beginning of a line, where no title of a window is.
func atLine(word, rest string) field {
	return field{word, true, lazyregexp.New("^" + regexp.QuoteMeta(word) + rest)}
}

// inLine is a field anywhere.
func inLine(word, rest string) field {
	return field{word, false, lazyregexp.New("^" + regexp.QuoteMeta(word) + rest)}
}

// next is where the first one at or behind from is in s, and its groups, as regexp's
// FindStringSubmatchIndex has it; nil when there is none.
func (f field) next(s string, from int) []int {
	for {
		i := strings.Index(s[from:], f.word)
		if i < 0 {
			return nil
		}
		at := from + i
		if m := f.form.FindStringSubmatchIndex(s[at:]); m != nil && f.begins(s[:at]) {
			for j := range m {
				if m[j] >= 0 {
					m[j] += at
				}
			}
			return m
		}
		from = at + len(f.word)
	}
}

// begins reports whether the field may stand behind what comes before it.
func (f field) begins(before string) bool {
	if f.line {
		before = strings.TrimRight(before, " \t\r")
		return before == "" || before[len(before)-1] == '\n'
	}
	if before == "" {
		return true
	}
	c := before[len(before)-1]
	return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

func (f field) all(s string) (list [][]int) {
	for from := 0; ; {
		m := f.next(s, from)
		if m == nil {
			return list
		}
		list = append(list, m)
		from = m[1]
	}
}

// groups are those of the first one in s; nil when there is none.
func (f field) groups(s string) []string {
	m := f.next(s, 0)
	if m == nil {
		return nil
	}
	var list []string
	for i := 2; i < len(m); i += 2 {
		list = append(list, s[m[i]:m[i+1]])
	}
	return list
}

// first is the first group of the first one in s, or "".
func (f field) first(s string) string {
	if list := f.groups(s); list != nil {
		return list[0]
	}
	return ""
}
