package suite

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/keys"
)

var placeholder = regexp.MustCompile(`\{\{\s*([\p{L}_][\p{L}\p{N}_.-]*)\s*\}\}|\{\{`)

// values are what placeholders stand for.
type values struct {
	known   map[string]string
	secrets map[string]string
}

// with is v with the values of a row.
func (v values) with(row keys.Map) values {
	known := maps.Clone(v.known)
	for _, p := range row {
		known[p.Key] = p.Value
	}
	return values{known, v.secrets}
}

// fill replaces the placeholders of a text. quote is applied to every value.
func (v values) fill(s string, quote func(string) string) (string, error) {
	all := map[string]string{}
	maps.Copy(all, v.secrets)
	maps.Copy(all, v.known)
	var wrong error
	out := placeholder.ReplaceAllStringFunc(s, func(m string) string {
		name := placeholder.FindStringSubmatch(m)[1]
		if value, known := all[name]; known {
			return quote(value)
		}
		wrong = fmt.Errorf("{{%s}} is neither a variable, a column of with nor a secret "+
			"(there are %s)", name,
			cmp.Or(strings.Join(slices.Sorted(maps.Keys(all)), ", "), "none"))
		if name == "" {
			wrong = errors.New("{{ begins a placeholder such as {{name}}, and here is none")
		}
		return m
	})
	return out, wrong
}
