package wire_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/wire"
)

func TestAMessageKeepsWhatItSays(t *testing.T) {
	in, err := wire.Parse([]byte(` [{"jsonrpc":"2.0","id":"a","method":"x","params":{"n":1.50}},
		{"jsonrpc":"2.0","id":1,"result":null}]`))
	require.NoError(t, err)
	require.True(t, in.Batch)
	require.Len(t, in.Messages, 2)
	require.True(t, in.Messages[0].IsRequest())
	require.True(t, in.Messages[1].IsResponse())
	out, err := in.Messages[0].Encode()
	require.NoError(t, err)
	require.Equal(t, `{"jsonrpc":"2.0","id":"a","method":"x","params":{"n":1.50}}`, string(out))
	require.NotEqual(t, wire.Key(json.RawMessage(`1`)), wire.Key(json.RawMessage(`"1"`)))
}

// What is no message is refused with an error for its sender; what is one is written again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[]`, `null`,
		`[null]`,
		`{"id":{}}`, `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`, `[{"method":1}]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := wire.Parse(data)
		if err != nil {
			var refused *wire.Error
			if !errors.As(err, &refused) || !json.Valid(refused.Encode()) {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		for _, m := range in.Messages {
			if m.Check(100) != nil {
				continue
			}
			out, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := wire.Parse(out)
			if err != nil || again.Messages[0].Check(200) != nil {
				t.Fatalf("%s became %s: %v", m.Raw, out, err)
			}
		}
	})
}
