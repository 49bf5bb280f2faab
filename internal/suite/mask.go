package suite

import (
	"cmp"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Mask hides secrets in texts.
type Mask struct{ replacer *strings.Replacer }

// Hidden stands for a secret.
const Hidden = "***"

// NewMask hides the values, also as JSON, HTML, URLs and Go's quotes have them.
func NewMask(secrets map[string]string) *Mask {
	var forms []string
	for _, value := range secrets {
		quoted, err := json.Marshal(value)
		if value == "" || err != nil {
			continue
		}
		forms = append(forms, value, html.EscapeString(value), url.QueryEscape(value),
			url.PathEscape(value), strings.Trim(string(quoted), `"`),
			strings.Trim(strconv.Quote(value), `"`), strings.Join(strings.Fields(value), " "))
		for line := range strings.Lines(value) { // a key's lines can be apart
			if line = strings.TrimSpace(line); len([]rune(line)) >= leastSecret {
				forms = append(forms, line)
			}
		}
	}
	slices.SortFunc(forms, func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	var pairs []string
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, Hidden)
	}
	return &Mask{strings.NewReplacer(pairs...)}
}

// Text is s without the secrets.
func (m *Mask) Text(s string) string { return m.replacer.Replace(s) }
