package suite

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/keys"
)

var placeholder = regexp.MustCompile(`\{\{\s*([\p{L}_][\p{L}\p{N}_.-]*)\s*\}\}`)

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
	var unknown error
	out := placeholder.ReplaceAllStringFunc(s, func(m string) string {
		name := placeholder.FindStringSubmatch(m)[1]
		var all []string
		for _, m := range []map[string]string{v.known, v.secrets} {
			if value, ok := m[name]; ok {
				return quote(value)
			}
			all = append(all, slices.Sorted(maps.Keys(m))...)
		}
		unknown = fmt.Errorf("{{%s}} is neither a variable, a column of with nor a secret "+
			"(there are %s)", name, cmp.Or(strings.Join(all, ", "), "none"))
		return m
	})
	return out, unknown
}
