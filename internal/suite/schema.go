package suite

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/taploop/taploop/internal/keys"
)

//go:embed keys.txt
var keyWords string

// Schema is the JSON Schema of suites, for editors.
func Schema() json.RawMessage {
	words := map[string]string{}
	for line := range strings.Lines(keyWords) {
		key, says, _ := strings.Cut(strings.TrimSpace(line), ": ")
		words[key] = says
	}
	return keys.Schema[Suite]("taploop test suite", words)
}
