// Package storetest has data folders for tests that are not about how one is made.
package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
)

const database = "taploop.db"

// newest is a database with the newest schema and nothing in it. The migrations take longer than
// most tests, so they run once for all of them.
var newest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sessiontest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(context.Background(), dir, nil)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(dir, database))
	if err == nil && len(b) == 0 {
		err = errors.New("the database is empty")
	}
	return b, err
})

// Dir is a new folder, removed after the test, that opens like an empty one, only sooner.
// Call it outside of a testing/synctest bubble.
func Dir(t testing.TB) string {
	t.Helper()
	b, err := newest()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, database), b, 0o600))
	return dir
}
