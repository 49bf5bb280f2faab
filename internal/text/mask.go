package text

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mask hides secrets in texts. The zero value hides nothing.
type Mask struct{ replacer *strings.Replacer }

// forms are how texts write values.
var forms = []func(string) string{html.EscapeString, inURL("-_.~"), inURL("-_.~$&+:=@"),
	strings.NewReplacer("%20", "+").Replace, regexp.QuoteMeta, inJSON, inQuotes, inWords,
	strings.NewReplacer(`'`, `'\''`).Replace, strings.NewReplacer(`'`, `''`).Replace}

// inURL writes a text as a part of an address, where letters, digits and these are kept.
func inURL(kept string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			if c < utf8.RuneSelf && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))) ||
				strings.IndexByte(kept, c) >= 0 {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		return b.String()
	}
}

func inJSON(s string) string {
	b, _ := json.Marshal(s) // a text can be encoded
	return strings.TrimSuffix(strings.TrimPrefix(string(b), `"`), `"`)
}

func inQuotes(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strconv.Quote(s), `"`), `"`)
}

func inWords(s string) string { return strings.Join(strings.Fields(s), " ") }

// NewMask hides values of at least so many characters, and the lines of values, behind a word: also
// as JSON, HTML, URLs, regular expressions and quoted texts write them, and one of these in
// another.
func NewMask(values []string, least int, hidden string) Mask {
	var all []string
	for _, v := range values {
		for line := range strings.Lines(v) { // a key's lines can be apart
			all = append(all, strings.TrimSpace(line))
		}
		all = append(all, strings.TrimSpace(v))
	}
	for range 2 {
		for _, v := range slices.Clone(all) {
			for _, form := range forms {
				all = append(all, form(v))
			}
		}
		slices.Sort(all)
		all = slices.Compact(all)
	}
	all = slices.DeleteFunc(all, func(v string) bool { return utf8.RuneCountInString(v) < least })
	if len(all) == 0 {
		return Mask{}
	}
	// one may begin with another: the longest goes first
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, v := range all {
		pairs = append(pairs, v, hidden)
	}
	return Mask{strings.NewReplacer(pairs...)}
}

// Text replaces the secrets in s, also within JSON strings in s, however they are escaped.
func (m Mask) Text(s string) string {
	if m.replacer == nil {
		return s
	}
	s = m.replacer.Replace(s)
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	last := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		begin, escaped := i, false
		for i++; i < len(s) && s[i] != '"'; i++ {
			if s[i] == '\\' {
				escaped = true
				i++
			}
		}
		if end := i + 1; escaped && end <= len(s) {
			if masked, ok := m.inside(s[begin:end]); ok {
				out.WriteString(s[last:begin] + masked)
				last = end
				continue
			}
		}
		i-- // what ends one text may begin the next: this is no reader of JSON
	}
	return out.String() + s[last:]
}

// Bytes is like Text.
func (m Mask) Bytes(b []byte) []byte {
	if m.replacer == nil {
		return b
	}
	return []byte(m.Text(string(b)))
}

// inside is a JSON string with the secrets in it replaced, and whether it has any.
func (m Mask) inside(quoted string) (string, bool) {
	var is string
	if json.Unmarshal([]byte(quoted), &is) != nil {
		return "", false
	}
	masked := m.Text(is)
	b, err := Marshal(masked)
	return string(b), err == nil && masked != is
}
