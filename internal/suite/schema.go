package suite

import (
	_ "embed"
	"encoding/json"

	"github.com/taploop/taploop/internal/keys"
)

//go:embed keys.txt
var keyWords string

// Schema is the JSON Schema of suites, for editors.
func Schema() json.RawMessage { return keys.Schema[Suite]("taploop test suite", keyWords) }
