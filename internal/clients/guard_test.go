package clients

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFileThatSomebodyElseWroteToIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	require.NoError(t, os.WriteFile(path, []byte("newer"), 0o600))
	for name, was := range map[string]content{
		"written":  {there: true, text: []byte("older"), mode: 0o600},
		"appeared": {mode: 0o600},
	} {
		require.ErrorContains(t, replace(path, was, []byte("ours")), "has changed meanwhile", name)
	}
	gone := filepath.Join(filepath.Dir(path), "gone.json")
	require.ErrorContains(t, replace(gone, content{there: true, mode: 0o600}, []byte("ours")),
		"has changed meanwhile", "removed")
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "newer", string(b))
	list, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, list, 1, "nothing is left behind")
}

func TestAMergeThatChangesMoreThanTheEntryIsCaught(t *testing.T) {
	f := jsonForm{key: "mcpServers", ask: "taploop-token"}
	parsed := func() map[string]any {
		all, err := f.parse([]byte(`{"a": 1, "mcpServers": {"b": {}}, "inputs": [{"id": "x"}]}`))
		require.NoError(t, err)
		return all
	}
	for after, fine := range map[string]bool{
		`{"a": 1, "mcpServers": {"b": {}, "taploop": {}}, "inputs": [{"id": "x"}, {"id": "taploop-token"}]}`: true,
		`{"a": 2, "mcpServers": {"b": {}, "taploop": {}}, "inputs": [{"id": "x"}]}`:                          false,
		`{"mcpServers": {"b": {}, "taploop": {}}, "inputs": [{"id": "x"}]}`:                                  false,
		`{"a": 1, "mcpServers": {"taploop": {}}, "inputs": [{"id": "x"}]}`:                                   false,
		`{"a": 1, "mcpServers": {"b": {"c": 1}, "taploop": {}}, "inputs": [{"id": "x"}]}`:                    false,
		`{"a": 1, "mcpServers": {"b": {}, "taploop": {}}, "inputs": [{"id": "taploop-token"}]}`:              false,
		`{"a": 1, "mcpServers": {"b": {}, "taploop": {}`:                                                     false,
	} {
		err := f.same(parsed(), []byte(after))
		require.Equal(t, fine, err == nil, "%s: %v", after, err)
	}
}
