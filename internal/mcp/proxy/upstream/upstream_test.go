package upstream

import (
	"fmt"
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

func TestASecretIsHiddenHoweverItIsWritten(t *testing.T) {
	const odd = `a&b+c/d"g\é12`
	m := newMask([]string{"abcdefgh", "abcdefghijk\n", odd, "short"})
	inJSON := func(s string) string { return string(wire.Encode(s)) }
	all := ""
	for _, r := range odd {
		all += fmt.Sprintf(`\u%04x`, r)
	}
	for said, want := range map[string]string{
		"abcdefghijk abcdefgh": "[secret] [secret]",
		inJSON(odd):            `"[secret]"`,
		`{"a":1e3,"t":"x ` + all + `","u":"\n<"}`: `{"a":1e3,"t":"x [secret]","u":"\n<"}`,
		inJSON(`{"K":"` + all + `"}`):             inJSON(`{"K":"[secret]"}`),
		inJSON(`5" ` + inJSON(`{"K":`+inJSON("x"+odd)+"}")): inJSON(`5" ` +
			inJSON(`{"K":"x[secret]"}`)),
		`["\u00`: `["\u00`, `"\`: `"\`, `\"""\""`: `\"""\""`,
	} {
		require.Equal(t, want, m.text(said), said)
	}
}
