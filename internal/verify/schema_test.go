package verify

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/shape"
)

func TestAnAnswerIsTheJSONThatWasWritten(t *testing.T) {
	schema, err := shape.Parse([]byte(`{"type":"object","properties":{"n":{"type":"number"}}}`))
	require.NoError(t, err)
	for report, want := range map[string]string{
		`{"n": 12345678901234567890123}`:                `{"n":12345678901234567890123}`,
		"Here it is:\n```json\n{\"n\": 1.50}\n```":      `{"n":1.50}`,
		"```JSON\n{\"t\": \"<a> & b\"}\n```\nAnd more.": `{"t":"<a> & b"}`,
	} {
		got, err := fit(report, schema)
		require.NoError(t, err, report)
		require.Equal(t, want, string(got))
	}
	_, err = fit(`{"n": "1"}`, schema)
	require.ErrorContains(t, err, "does not fit its schema")
	_, err = fit("seven", schema)
	require.ErrorContains(t, err, "is no JSON")
	schema, err = shape.Parse([]byte(`{"type":"string","maxLength":9}`))
	require.NoError(t, err)
	got, err := fit("It is on.", schema)
	require.NoError(t, err)
	require.Equal(t, `"It is on."`, string(got))
	_, err = fit("It is on again.", schema)
	require.ErrorContains(t, err, "is no JSON")
}
