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
	all, err = Read([]byte(`[{"id":null,"method":"notifications/x"}]`))
	require.NoError(t, err)
	require.Equal(t, []*Message{Notification("notifications/x", nil)}, all)
}
