package inquiry_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

func TestArgumentsKeepEveryDigit(t *testing.T) {
	const raw = `{"chat":1234567890123456789,"in":[{"n":-9007199254740993}],"sum":12.5,"x":1e3}`
	var r inquiry.ActionRequest
	require.NoError(t, json.Unmarshal([]byte(`{"name":"send","args":`+raw+`}`), &r))
	require.Equal(t, inquiry.Args{"chat": json.Number("1234567890123456789"), "sum": 12.5,
		"in": []any{map[string]any{"n": json.Number("-9007199254740993")}}, "x": 1000.0}, r.Args)
	e, err := inquiry.ParseEdit(r.Edited())
	require.NoError(t, err)
	require.Equal(t, r.Args, e.Args)
	for _, bad := range []string{`[1]`, `"x"`, `{"n":1e400}`} {
		_, err := inquiry.ParseEdit(`{"name":"send","args":` + bad + `}`)
		require.Error(t, err, bad)
	}
}

// Who writes a key twice may have read the first.
func TestAnEditHasEachKeyOnce(t *testing.T) {
	for edit, twice := range map[string]string{
		`{"name":"BACK","args":{},"name":"CLICK"}`:                      "name",
		`{"name":"CLICK","args":{"at":{"x":0,"y":0},"at":{"x":1}}}`:     "at",
		`{"name":"CLICK","args":{"at":{"x":0.5,"y":0,"x":1}}}`:          "x",
		`{"name":"T","args":{"l":[{"a":1},{"a":1,"b":[],"\u0061":2}]}}`: "a",
	} {
		_, err := inquiry.ParseEdit(edit)
		require.ErrorContains(t, err, `"`+twice+`" is there twice`, edit)
	}
	e, err := inquiry.ParseEdit(`{"name":"T","args":{"a":{"a":[{"a":"a"},{"a":null}]},"A":1}}`)
	require.NoError(t, err)
	require.Len(t, e.Args, 2)
}
