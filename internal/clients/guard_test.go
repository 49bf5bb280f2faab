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
