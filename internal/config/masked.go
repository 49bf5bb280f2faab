package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/taploop/taploop/internal/text"
)

// keyInDiff matches what stands behind the name of a key or a password in a line.
var keyInDiff = regexp.MustCompile(
	`(?m)(\b(?:api_key|secret|password|token)["']? *: *)(?:[^\s"'][^\n]*|["'][^"'\n][^\n]*)`)

// Diff is the change as a unified diff. Keys and passwords of the file are masked, including values
// that span lines.
func (e *Edit) Diff() string {
	diff := text.Diff(e.Path, e.Path, string(e.Before), string(e.After))
	var all any
	_ = yaml.Unmarshal(e.Before, &all) // which NewEdit could read
	for _, word := range secretsIn(all, false) {
		diff = strings.ReplaceAll(diff, word, "[secret]")
	}
	return text.Addresses(keyInDiff.ReplaceAllString(diff, "${1}[secret]"))
}

// secretsIn lists the words of the values below names of secrets.
func secretsIn(v any, secret bool) (words []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, below := range v {
			words = append(words, secretsIn(below, keyInDiff.MatchString(name+": x"))...)
		}
	case []any:
		for _, below := range v {
			words = append(words, secretsIn(below, secret)...)
		}
	case string:
		if secret {
			words = slices.DeleteFunc(strings.Fields(v), func(w string) bool { return len(w) < 4 })
		}
	}
	return words
}
