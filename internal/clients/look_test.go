package clients_test

import (
	"os"
	"path/filepath"
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

// What another hand wrote into a client's file is read as the file of the host's servers is.
func TestAnEntryIsReadAsAnyClientWritesIt(t *testing.T) {
	const url = "http://127.0.0.1:8702/mcp"
	for entry, want := range map[string]clients.Settings{
		`{"serverUrl": "` + url + `"}`: {URL: url},
		`{"transport": {"url": "` + url + `", "headers": {"authorization": "Bearer x"}}}`: {URL: url,
			Authorization: "Bearer x"},
		`{"command": ["/bin/taploop", "serve"], "environment": {"A": 1}}`: {Command: "/bin/taploop"},
		`{"command": "/bin/taploop", "args": 5}`:                          {Command: "/bin/taploop"},
		`{"baseUrl": "` + url + `", "headers": {"Authorization": 7}}`:     {URL: url, Authorization: "7"},
	} {
		home := t.TempDir()
		m := clients.Machine{OS: "linux", Getenv: func(name string) string {
			return map[string]string{"HOME": home}[name]
		}}
		c, err := clients.Find("cursor")
		require.NoError(t, err)
		want.File, want.Entry = true, true
		want.Path, err = c.Path(m)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(want.Path), 0o700))
		file := []byte(`{"mcpServers": {"taploop": ` + entry + `}}`)
		require.NoError(t, os.WriteFile(want.Path, file, 0o600))
		got, err := c.Look(m)
		require.NoError(t, err)
		require.Equal(t, want, got, entry)
	}
}
