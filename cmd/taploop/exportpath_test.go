package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store"
)

func TestAPageThatCannotBeWrittenHasAHint(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(t.Context(), filepath.Join(dir, "data"), nil)
	require.NoError(t, err)
	defer db.Close()
	x, _, err := db.Begin(t.Context(), store.Session{Serial: "emu-1"},
		store.Run{Task: "look"})
	require.NoError(t, err)
	file := filepath.Join(dir, "page.html")
	require.NoError(t, exportPage(t.Context(), db, x.ID, file))
	for _, path := range []string{dir, filepath.Join(file, "below.html"), "/dev/full"} {
		err := exportPage(t.Context(), db, x.ID, path)
		require.ErrorContains(t, err, "writing the page: ", path)
		require.Contains(t, hint.Of(err), "-o", path)
	}
}
