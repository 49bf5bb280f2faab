package device

import (
	"regexp"
	"strings"
)

// field is something that Android's services print: it is found by its word and read by its form.
// Dumps are long, and a regular expression alone would look at each of their characters.
type field struct {
	word string
	line bool // it begins its line behind blanks, otherwise it begins a word
	form *regexp.Regexp
}

// atLine is a field at the beginning of a line, where no title of a window is.
func atLine(word, rest string) field {
	return field{word, true, regexp.MustCompile("^" + regexp.QuoteMeta(word) + rest)}
}

// inLine is a field anywhere.
func inLine(word, rest string) field {
	return field{word, false, regexp.MustCompile("^" + regexp.QuoteMeta(word) + rest)}
}

// next returns the indexes of the first field at or behind from in s, and of its groups, as
// regexp's FindStringSubmatchIndex does, or nil if missing.
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

// block is a part of a text that begins with a field and ends where the next one begins.
type block struct {
	groups []string // of the field
	text   string   // with the field
	rest   string   // behind it
}

// blocks returns the blocks of a text.
func (f field) blocks(s string) (list []block) {
	for m := f.next(s, 0); m != nil; {
		end, next := len(s), f.next(s, m[1])
		if next != nil {
			end = next[0]
		}
		list = append(list, block{groups(s, m), s[m[0]:end], s[m[1]:end]})
		m = next
	}
	return list
}

// groups are those of a match in s.
func groups(s string, match []int) (list []string) {
	for i := 2; i < len(match); i += 2 {
		list = append(list, s[match[i]:match[i+1]])
	}
	return list
}

// groups returns the groups of the first field in s, or nil if missing.
func (f field) groups(s string) []string { return groups(s, f.next(s, 0)) }

// first is the first group of the first one in s, or "".
func (f field) first(s string) string {
	if list := f.groups(s); list != nil {
		return list[0]
	}
	return ""
}
