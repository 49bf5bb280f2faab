package schema

import "strings"

// Words are the descriptions of a type's keys.
type Words map[string]words

type words struct {
	text    string
	outline bool // what is in it is described elsewhere
}

// ParseWords reads lines "key: description". A key with ~ at its end is shown in outline; one with
// + adds to what shared says of it, and one that is only in shared is as there.
func ParseWords(lines string, shared Words) Words {
	w := Words{}
	for key, d := range shared {
		w[key] = d
	}
	for line := range strings.Lines(lines) {
		key, text, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found {
			continue
		}
		name, outline := strings.CutSuffix(key, "~")
		if base, adds := strings.CutSuffix(name, "+"); adds {
			name, text = base, strings.TrimSpace(shared[base].text+" "+text)
		}
		w[name] = words{text, outline}
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
