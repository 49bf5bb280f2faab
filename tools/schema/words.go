package schema

import (
	"maps"
	"strings"
)

// Words are the descriptions of a type's keys.
type Words map[string]string

// ParseWords reads lines "key: description". A key with + at its end adds to what shared says of
// it, and one that is only in shared is as there.
func ParseWords(lines string, shared Words) Words {
	w := maps.Clone(shared)
	if w == nil {
		w = Words{}
	}
	for line := range strings.Lines(lines) {
		key, text, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found {
			continue
		}
		if base, adds := strings.CutSuffix(key, "+"); adds {
			key, text = base, strings.TrimSpace(shared[base]+" "+text)
		}
		w[key] = text
	}
	return w
}

// Sections parts a text at its lines that begin with "# ": what follows each, by what stands there.
func Sections(text string) map[string]string {
	parts := map[string]string{}
	for _, part := range strings.Split("\n"+text, "\n# ")[1:] {
		title, rest, _ := strings.Cut(part, "\n")
		parts[strings.TrimSpace(title)] = strings.TrimSpace(rest)
	}
	return parts
}
