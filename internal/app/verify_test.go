package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
)

// Who sends a schema that is none is told how to send one.
func TestASchemaThatIsNoneIsRefusedWithWhatToDo(t *testing.T) {
	for _, raw := range []string{`[]`, `{"type":"thing"}`, `{"$ref":"#"}`, `{"$ref":"https://example.com"}`} {
		_, err := answerShape([]byte(raw))
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err), raw)
		require.ErrorContains(t, err, "answer_schema: the schema")
		require.Contains(t, hint.Of(err), "JSON Schema", raw)
	}
	of, err := answerShape([]byte(`{"type":"object"}`))
	require.NoError(t, err)
	require.NotNil(t, of)
}
