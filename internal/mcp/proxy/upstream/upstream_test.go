package upstream

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/wire"
)

func TestWhatIsReadAsAMessage(t *testing.T) {
	for _, line := range []string{"[null]", "[]", "[{}]", "{}", "null", `{"id":1},`, "[", `"x"`,
		`[{"id":1},null]`, `{"method":""}`} {
		_, err := Read([]byte(line))
		require.Error(t, err, line)
	}
	all, err := Read([]byte(`{"id":1,"result":{},"error":null}`))
	require.NoError(t, err)
	require.Equal(t, []*Message{{Message: wire.Message{ID: []byte("1"), Result: []byte(`{}`)}}},
		all)
	for _, id := range []string{`"1"`, "1.0", "1e0", `"1.0"`} {
		all, err = Read([]byte(`{"id":` + id + `,"result":{}}`))
		require.NoError(t, err)
		require.Equal(t, "1", string(all[0].ID), id)
	}
	for _, asks := range []string{`{"id":"1","method":"ping"}`, `{"id":"a1","result":{}}`,
		`{"id":1.5,"result":{}}`, `{"id":"NaN","result":{}}`} {
		all, err = Read([]byte(asks))
		require.NoError(t, err)
		require.Contains(t, asks, `"id":`+string(all[0].ID), "it is left as it came")
	}
	all, err = Read([]byte(`[{"id":null,"method":"notifications/x"}]`))
	require.NoError(t, err)
	require.Equal(t, []*Message{Notification("notifications/x", nil)}, all)
}
