// Package storetest has data folders for tests that are not about how one is made.
package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/pgtest"
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

// postgres is the environment variable with the URL of a database without sessions, of which each
// folder of the tests is given a copy. Without it the tests use SQLite.
const postgres = "TAPLOOP_TEST_POSTGRES"

// OnPostgres reports whether the tests use PostgreSQL.
func OnPostgres() bool { return os.Getenv(postgres) != "" }

// Env makes a process that is started with it use copies of the database.
func Env(url string) string { return postgres + "=" + url }

// Folder is where all is kept that a test writes to a store in the folder.
func Folder(t testing.TB, dir string) string {
	t.Helper()
	if !OnPostgres() {
		return dir
	}
	all, err := pgtest.Folder(os.Getenv(postgres))
	require.NoError(t, err)
	return all
}

// On returns the options with the database of the folder, which is the same for all who open it. It
// lasts until the end of the first test that asks for it.
func On(t testing.TB, dir string, opts *store.Options) *store.Options {
	t.Helper()
	with, fresh, err := Join(t.Context(), dir, opts)
	require.NoError(t, err)
	if fresh {
		t.Cleanup(func() { require.NoError(t, pgtest.Drop(context.Background(), with.URL)) })
	}
	return with
}

// Join is On for a process that a test has started.
func Join(
	ctx context.Context, dir string, opts *store.Options,
) (with *store.Options, fresh bool, err error) {
	with = new(store.Options)
	if opts != nil {
		*with = *opts
	}
	if OnPostgres() {
		name := fmt.Sprintf("t%x", sha256.Sum256([]byte(dir)))[:32]
		with.URL, fresh, err = pgtest.Copy(ctx, os.Getenv(postgres), name)
	}
	return with, fresh, err
}
