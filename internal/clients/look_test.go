package clients_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/clients"
)

// Whatever is put into a client's file is found in it: the address, and the token that the client
// sends there unless it asks a person for that.
func TestWhatAClientsFileIsToldOfAnAddressIsFoundInIt(t *testing.T) {
	home, token, looked := t.TempDir(), "", 0
	m := clients.Machine{OS: "linux", Getenv: func(name string) string {
		return map[string]string{"HOME": home, "TAPLOOP_TOKEN": token}[name]
	}}
	for _, c := range clients.All() {
		s := clients.Server{URL: "http://127.0.0.1:8702/mcp", Token: true}
		if _, err := c.Snippet(s); err != nil || !c.HasFile() {
			continue
		}
		looked++
		_, err := c.Install(m, s, false)
		require.NoError(t, err)
		for _, token = range []string{"", "taploop_abc"} {
			got, err := c.Look(m)
			require.NoError(t, err)
			require.True(t, got.Entry)
			require.Empty(t, got.Command)
			require.Equal(t, s.URL, got.URL, c.Name)
			asks := c.Name == "vscode"
			require.Equal(t, token == "" || asks, got.Unknown, c.Name)
			if !asks {
				require.Equal(t, "Bearer "+token, got.Authorization, c.Name)
			}
		}
	}
	require.Equal(t, 5, looked)
}
