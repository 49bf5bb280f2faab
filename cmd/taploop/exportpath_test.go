package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/session"
)

func TestAPageThatCannotBeWrittenHasAHint(t *testing.T) {
	dir := t.TempDir()
	store, err := session.Open(t.Context(), filepath.Join(dir, "data"), nil)
	require.NoError(t, err)
	defer store.Close()
	x, _, err := store.Begin(t.Context(), session.Session{Serial: "emu-1"},
		session.Run{Task: "look"})
	require.NoError(t, err)
	file := filepath.Join(dir, "page.html")
	require.NoError(t, exportPage(t.Context(), store, x.ID, file))
	for _, path := range []string{dir, filepath.Join(file, "below.html"), "/dev/full"} {
		err := exportPage(t.Context(), store, x.ID, path)
		require.ErrorContains(t, err, "writing the page: ", path)
		require.Contains(t, hint.Of(err), "-o", path)
	}
}
