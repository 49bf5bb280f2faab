package verify

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASchemaThatNothingFitsIsRefused(t *testing.T) {
	t.Parallel()
	for raw, wrong := range map[string]string{
		`{"type": "objekt"}`: `"objekt"`,
		`{"type": "object", "properties": {"n": {"type": "int"}}}`:                 `"int"`,
		`{"anyOf": [{"type": "string"}, {"items": {"type": "text"}}]}`:             `"text"`,
		`{"type": ["string", "null"]}`:                                             "",
		`{"properties": {"type": {"type": "string", "enum": ["x"]}}}`:              "",
		`{"const": {"type": "bus"}, "default": {"type": "car"}, "type": "object"}`: "",
		`{"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}}`:    "",
	} {
		_, err := ParseSchema(json.RawMessage(raw))
		if wrong == "" {
			require.NoError(t, err, raw)
			continue
		}
		require.ErrorContains(t, err, "type "+wrong+", which nothing fits", raw)
	}
}
