package store_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// ofSQLite are the tests that are about SQLite's own files, or about its plans.
var ofSQLite = []string{
	"TestWritersAreServedInTheOrderInWhichTheyCame",
	"TestALimitDoesNotCountWhileOthersHaveTheirTurn",
	"TestAFolderOf.*", "TestADatabase.*", "TestWhatIsNoDatabaseIsRefused",
	"TestAFullDiskIsNamedAsOne", "TestALockedDatabaseIsNamedAsOne", "TestAPowerCut.*",
	"TestAStepWaitsForTheDiskOnce", "TestEachMigrationIsForBothDatabases",
	"TestNoQueryReadsAWholeTable", "TestAStatementServesAgain",
	"TestRecoverWritesNothingWhenThereIsNothingToRecover",
}

// server starts a PostgreSQL with a database that tests copy, and returns its URL.
func server(t *testing.T) (*pgtest.Server, string) {
	t.Helper()
	s := pgtest.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), s.URL("postgres"), "CREATE DATABASE empty"))
	made, err := store.Open(t.Context(), t.TempDir(), &store.Options{URL: s.URL("empty")})
	require.NoError(t, err)
	require.NoError(t, made.Close())
	require.NoError(t, pgtest.Exec(t.Context(), s.URL("empty"), "DELETE FROM keys"))
	return s, s.URL("empty")
}

// Many machines may begin with a database that has nothing in it, at the same time.
func TestAnEmptyPostgreSQLMayBeOpenedByManyAtOnce(t *testing.T) {
	if storetest.OnPostgres() {
		return
	}
	s := pgtest.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), s.URL("postgres"), "CREATE DATABASE new"))
	marks := make(chan string, 8)
	for range cap(marks) {
		go func() {
			db, err := store.Open(t.Context(), t.TempDir(), &store.Options{URL: s.URL("new")})
			if err == nil {
				marks <- string(db.Sign("a", "b"))
				err = db.Close()
			}
			if err != nil {
				marks <- err.Error()
			}
		}()
	}
	first := <-marks
	require.Len(t, first, 32)
	for range cap(marks) - 1 {
		require.Equal(t, first, <-marks, "they have one key")
	}
	require.NoError(t, pgtest.Exec(t.Context(), s.URL("new"),
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, true)"))
	_, err := store.Open(t.Context(), t.TempDir(), &store.Options{URL: s.URL("new")})
	require.ErrorIs(t, err, store.ErrNewerSchema)
	require.ErrorContains(t, err, "it has schema 1000, this one knows ")
}

// A migration has a file for each database, with the same name.
func TestEachMigrationIsForBothDatabases(t *testing.T) {
	ofPostgres, err := filepath.Glob("migrations/postgres/*.sql")
	require.NoError(t, err)
	require.Equal(t, "migrations/postgres/0020_base.sql", ofPostgres[0])
	ofSQLite, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	require.Len(t, ofPostgres, len(ofSQLite)-19, "see migrations/README.md")
	for i, name := range ofPostgres[1:] {
		require.Equal(t, filepath.Base(ofSQLite[20+i]), filepath.Base(name))
	}
}

// The tests of this package are the contract of a store: they hold on PostgreSQL, too.
func TestPostgreSQLKeepsTheContract(t *testing.T) {
	if storetest.OnPostgres() {
		return // this is it
	}
	_, url := server(t)
	cmd := exec.Command(os.Args[0], "-test.v", "-test.timeout=10m",
		"-test.skip=^("+strings.Join(ofSQLite, "|")+")$")
	cmd.Env = append(os.Environ(), storetest.Env(url))
	out, err := cmd.CombinedOutput()
	for _, part := range bytes.Split(out, []byte("\n=== RUN ")) {
		if err != nil && bytes.Contains(part, []byte("--- FAIL")) {
			t.Errorf("%s", part)
		}
	}
	require.NoError(t, err)
	require.Greater(t, bytes.Count(out, []byte("\n--- PASS: ")), 60)
}
