package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
	"github.com/taploop/taploop/internal/token"
	"github.com/taploop/taploop/internal/wait"
)

// ofSQLite are the tests that are about SQLite's own files, or about its plans.
var ofSQLite = []string{
	"TestWritersAreServedInTheOrderInWhichTheyCame",
	"TestALimitDoesNotCountWhileOthersHaveTheirTurn",
	"TestAFolderOf.*", "TestFoldersOf.*", "TestAnUpgrade.*", "TestABackup.*", "TestARestore.*",
	"TestADatabase.*", "TestWhatIsNoDatabaseIsRefused",
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

func TestPostgreSQL(t *testing.T) {
	if storetest.OnPostgres() {
		return // the tests run under this one
	}
	s, empty := server(t)
	t.Run("keeps the contract", func(t *testing.T) { keepsTheContract(t, empty) })
	t.Run("is moved to and from", func(t *testing.T) {
		url, _, err := pgtest.Copy(t.Context(), empty, "moved")
		require.NoError(t, err)
		isMovedToAndFrom(t, url)
	})
	t.Run("goes down and comes up", func(t *testing.T) {
		url, _, err := pgtest.Copy(t.Context(), empty, "down")
		require.NoError(t, err)
		goesDownAndComesUp(t, s, url)
	})
	t.Run("keeps the tokens of all who share it", func(t *testing.T) {
		url, _, err := pgtest.Copy(t.Context(), empty, "tokens")
		require.NoError(t, err)
		keepsTokens(t, on(t, url), on(t, url))
	})
	t.Run("goes silent", func(t *testing.T) {
		url, _, err := pgtest.Copy(t.Context(), empty, "silent")
		require.NoError(t, err)
		dir, err := pgtest.Folder(url)
		require.NoError(t, err)
		goesSilent(t, dir, "silent")
	})
	t.Run("stays away", func(t *testing.T) {
		url, _, err := pgtest.Copy(t.Context(), empty, "away")
		require.NoError(t, err)
		staysAway(t, s, url)
	})
	t.Run("takes locks from who stands still", func(t *testing.T) {
		url, _, err := pgtest.Copy(t.Context(), empty, "still")
		require.NoError(t, err)
		takesLocks(t, url)
	})
	t.Run("is asked seldom", func(t *testing.T) {
		url, _, err := pgtest.Copy(t.Context(), empty, "seldom")
		require.NoError(t, err)
		dir, err := pgtest.Folder(url)
		require.NoError(t, err)
		asksSeldom(t, dir, "seldom")
	})
	for name, after := range map[string]bool{"before": false, "after": true} {
		t.Run("loses the connection "+name+" a commit", func(t *testing.T) {
			url, _, err := pgtest.Copy(t.Context(), empty, name)
			require.NoError(t, err)
			dir, err := pgtest.Folder(url)
			require.NoError(t, err)
			commitsOnce(t, dir, name, after)
		})
	}
}

// staysAway has many ask at once while the server is down: those who wait behind others for one of
// the few connections wait no longer than the first.
func staysAway(t *testing.T, s *pgtest.Server, url string) {
	const patience, askers = time.Second, 40
	db, err := store.Open(t.Context(), t.TempDir(), &store.Options{URL: url, Patience: patience})
	require.NoError(t, err)
	s.Kill(t)
	ctx, stop := context.WithTimeout(t.Context(), askers/8*patience)
	defer stop()
	failed := make([]error, askers)
	var asking sync.WaitGroup
	for i := range failed {
		asking.Go(func() { _, failed[i] = db.Sessions(ctx, store.Filter{}) })
	}
	asking.Wait()
	s.Up(t)
	for _, err := range failed {
		require.ErrorIs(t, err, store.ErrSilent)
	}
	_, err = db.Sessions(t.Context(), store.Filter{})
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// takesLocks has a machine stop in the middle of a transaction: another waits for its locks as long
// as for its leases, and it fails when it comes back.
func takesLocks(t *testing.T, url string) {
	still, err := store.Open(t.Context(), t.TempDir(), &store.Options{URL: url,
		TTL: 100 * time.Millisecond})
	require.NoError(t, err)
	other := on(t, url)
	r := started(t, other)
	open, err := still.Raw().BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = open.Exec("UPDATE runs SET attended = attended + 1 WHERE id = ?", r.ID)
	require.NoError(t, err)
	require.NoError(t, other.Farm.Attend(t.Context(), r.SessionID))
	require.Error(t, open.Commit())
	require.NoError(t, still.Farm.Attend(t.Context(), r.SessionID), "it goes on")
	require.NoError(t, still.Close())
	got, err := other.Runs.Get(t.Context(), r.ID)
	require.NoError(t, err)
	require.Equal(t, r.Attended+2, got.Attended)
}

// keepsTokens has two machines make, revoke and use tokens, some of them side by side.
func keepsTokens(t *testing.T, a, b *store.Store) {
	here, there := token.In(a.Kept), token.In(b.Kept)
	synced := make(chan struct{}, 1)
	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() { there.Watch(ctx, func() { wait.Wake(synced) }) })
	defer watching.Wait()
	defer stop()
	secret, info, err := here.Create(token.Limits{}, "anna", true, "bot")
	require.NoError(t, err)
	got, err := there.Check(secret)
	require.NoError(t, err)
	require.Equal(t, info, got)
	_, _, err = there.Create(token.Limits{}, "anna", false)
	require.ErrorContains(t, err, `there is a token named "anna"`)

	var making sync.WaitGroup
	for i := range 8 {
		making.Go(func() {
			_, _, err := []*token.Store{here, there}[i%2].Create(token.Limits{}, fmt.Sprint("t", i), false)
			assert.NoError(t, err)
		})
	}
	making.Wait()
	list, err := there.List()
	require.NoError(t, err)
	require.Len(t, list, 9, "none is lost")

	at := time.Now().UTC().Truncate(time.Second)
	require.NoError(t, there.NoteUsed(map[string]time.Time{info.ID: at}))
	require.Equal(t, at, here.LastUsed()[info.ID])

	select {
	case <-synced:
	default:
	}
	_, err = here.Revoke("anna")
	require.NoError(t, err)
	<-synced
	_, err = there.Check(secret)
	require.ErrorIs(t, err, token.ErrNone)
}

// on is a store in the database of the URL.
func on(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), &store.Options{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// losesNoOutcome has the database crash right after an outcome was stored: the phone and its worker
// go on, so what they have done has to be known.
func losesNoOutcome(t *testing.T, s *pgtest.Server, db *store.Store) {
	r := started(t, db)
	j, st := db.Journal(r), step(t, 1, actions.Home{})
	require.NoError(t, j.Intent(t.Context(), st))
	require.NoError(t, j.Done(t.Context(), st, agentloop.Progress{Steps: 1}))
	s.Kill(t)
	s.Up(t)
	list, err := db.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, store.Done, list[0].State)
}

// isMovedToAndFrom copies a store of SQLite to PostgreSQL and from there to SQLite.
func isMovedToAndFrom(t *testing.T, url string) {
	first, _ := furnished(t, t.TempDir())
	secret, _, err := token.In(first.Kept).Create(token.Limits{}, "bert", true)
	require.NoError(t, err)
	second := on(t, url)
	require.NoError(t, first.Copy(t.Context(), second, nil))
	requireSame(t, first, second)
	require.NoError(t, second.Check(t.Context()))
	err = on(t, url).Check(t.Context())
	require.ErrorContains(t, err, "pictures are not in the data folder")
	require.Contains(t, hint.Of(err), "each machine has the pictures")
	third := open(t, t.TempDir(), nil)
	require.NoError(t, second.Copy(t.Context(), third, nil))
	requireSame(t, first, third)
	require.NoError(t, third.Check(t.Context()))
	info, err := token.In(third.Kept).Check(secret)
	require.NoError(t, err)
	require.Equal(t, "bert", info.Name)
	started(t, second)
	started(t, third)
}

// goesDownAndComesUp kills the server again and again while steps are journaled: each that was
// written once is there once, and no writer notices.
func goesDownAndComesUp(t *testing.T, s *pgtest.Server, url string) {
	db := on(t, url)
	const writers, steps = 4, 60
	var wg sync.WaitGroup
	var all [writers]store.Run
	failed := make([]error, writers)
	done := make(chan struct{}, 3*writers*steps)
	for i := range all {
		all[i] = started(t, db)
		wg.Go(func() {
			j := db.Journal(all[i])
			for n := 1; n <= steps && failed[i] == nil; n++ {
				st := step(t, n, actions.Home{})
				failed[i] = errors.Join(j.Intent(t.Context(), st),
					j.Done(t.Context(), st, agentloop.Progress{Steps: n}))
				done <- struct{}{}
			}
			for range steps { // one that failed lets the test end
				done <- struct{}{}
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	var read error
	reader := make(chan struct{})
	go func() {
		defer close(reader)
		for ctx.Err() == nil && read == nil {
			_, read = db.Sessions(t.Context(), store.Filter{})
		}
	}()
	for range 4 {
		for range writers * steps / 6 {
			<-done
		}
		s.Kill(t)
		s.Up(t)
	}
	wg.Wait()
	stop()
	<-reader
	require.NoError(t, read)
	losesNoOutcome(t, s, db)
	for i, r := range all {
		require.NoError(t, failed[i])
		list, err := db.Steps(t.Context(), r.SessionID, 0)
		require.NoError(t, err)
		require.Len(t, list, steps)
		require.Equal(t, steps, usage(t, db, r.SessionID)[r.ID].Steps)
	}
}

// keepsTheContract runs the tests of this package on PostgreSQL: they are the contract of a store.
func keepsTheContract(t *testing.T, url string) {
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

// What travels to another machine is encrypted, whatever the URL leaves to the driver.
func TestTheConnectionToAnotherMachineIsNeverInClear(t *testing.T) {
	if storetest.OnPostgres() {
		return
	}
	for url, clear := range map[string]bool{
		"postgres://u:hunter2@db.example/x":                                    true, // "prefer"
		"postgres://u:hunter2@db.example/x?sslmode=disable":                    true,
		"postgres://u:hunter2@db.example/x?sslmode=allow":                      true,
		"postgres://u:hunter2@192.0.2.1/x?sslmode=prefer":                      true,
		"postgres://u:hunter2@localhost,db.example/x?sslmode=disable":          true,
		"postgres://u:hunter2@localhost.example.com/x?sslmode=disable":         true,
		"postgres://u:hunter2@127.0.0.1:1/x?sslmode=disable":                   false,
		"postgres://u:hunter2@127.0.0.1:1/x":                                   false,
		"postgres://u:hunter2@[::1]:1/x?sslmode=disable":                       false,
		"postgres://u:hunter2@/x?host=/nowhere":                                false,
		"postgres://u:hunter2@127.0.0.1:1/x?sslmode=require&connect_timeout=1": false,
	} {
		_, err := store.Open(t.Context(), t.TempDir(), &store.Options{URL: url})
		require.Error(t, err, url)
		require.NotContains(t, err.Error(), "hunter2")
		require.NotEmpty(t, hint.Of(err), url)
		if clear {
			require.ErrorContains(t, err, "may be in clear", url)
		} else {
			require.ErrorContains(t, err, "failed to connect", url)
		}
	}
	for _, url := range []string{"mysql://x", "postgres://u:hunter2@h:port/x", "x"} {
		_, err := store.Open(t.Context(), t.TempDir(), &store.Options{URL: url})
		require.Error(t, err, url)
		require.NotContains(t, err.Error(), "hunter2")
		require.NotEmpty(t, hint.Of(err), url)
	}
}
