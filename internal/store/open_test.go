package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

func TestANewFolderMayBeOpenedByManyAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	var wg sync.WaitGroup
	errs := make(chan error, 16)
	for range cap(errs) {
		wg.Go(func() {
			s, err := joined(t.Context(), dir)
			if err == nil {
				_, _, err = s.Begin(context.Background(),
					store.Session{Serial: "emu-1", Device: device}, store.Run{Task: "t"})
				err = errors.Join(err, s.Close())
			}
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	all, err := open(t, dir, nil).Sessions(t.Context(), store.Filter{})
	require.NoError(t, err)
	require.Len(t, all, 16)
	if !storetest.OnPostgres() {
		owners, err := os.ReadDir(filepath.Join(dir, "owners"))
		require.NoError(t, err)
		require.Len(t, owners, 1, "only the open store is there")
	}
}

func TestADatabaseOfANewerProgramIsRefusedAndLeftAlone(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, open2(t, dir).Close())
	db, err := sql.Open("sqlite", filepath.Join(dir, "taploop.db"))
	require.NoError(t, err)
	_, err = db.Exec("PRAGMA user_version = 1000")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	before, err := os.ReadFile(filepath.Join(dir, "taploop.db"))
	require.NoError(t, err)

	_, err = store.Open(t.Context(), dir, nil)
	require.ErrorIs(t, err, store.ErrNewerSchema)
	require.ErrorContains(t, err, fmt.Sprintf("it has schema 1000, this one knows %d", store.Schema()))
	require.Equal(t, "use the newer taploop, or another data folder", hint.Of(err))
	after, err := os.ReadFile(filepath.Join(dir, "taploop.db"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after))
}

func TestWhatIsNoDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taploop.db"),
		bytes.Repeat([]byte("no database "), 1000), 0o600))
	_, err := store.Open(t.Context(), dir, nil)
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorContains(t, err, "file is not a database")
	require.Contains(t, hint.Of(err), "restore taploop.db from a copy")

	shut := t.TempDir()
	s, err := store.Open(t.Context(), shut, nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, os.RemoveAll(filepath.Join(shut, "taploop.db-wal")))
	require.NoError(t, os.Mkdir(filepath.Join(shut, "taploop.db-wal"), 0o700))
	_, err = store.Open(t.Context(), shut, nil)
	require.ErrorContains(t, err, "unable to open database file")
	require.Contains(t, hint.Of(err), "this user may read and write")

	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = store.Open(t.Context(), file, nil)
	require.ErrorContains(t, err, "not a directory")
	require.NotEmpty(t, hint.Of(err))
}

func TestADatabaseThatLostItsSessionsIsRefusedAsDamaged(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"empty":     func(path string) error { return os.Truncate(path, 0) },
		"not there": os.Remove,
		"without tables": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			db, err := sql.Open("sqlite", path)
			if err != nil {
				return err
			}
			_, err = db.Exec("CREATE TABLE t (x); DROP TABLE t")
			return errors.Join(err, db.Close())
		},
	} {
		for _, left := range []string{"frames", "log"} {
			if name == "without tables" && left == "log" {
				continue // which is read: it is the database's
			}
			t.Run(name+" beside "+left, func(t *testing.T) {
				dir := t.TempDir()
				s := open2(t, dir)
				db := filepath.Join(dir, "taploop.db")
				files := map[string][]byte{db + "-wal": []byte("the log")}
				if left == "frames" {
					r := started(t, s)
					require.NoError(t, s.Journal(r).Done(t.Context(), step(t, 1, actions.Home{}),
						agentloop.Progress{}))
					picture := filepath.Join(dir, "frames", r.SessionID, "1.2.jpeg")
					b, err := os.ReadFile(picture)
					require.NoError(t, err)
					files = map[string][]byte{picture: b}
				}
				require.NoError(t, s.Close())
				if left == "log" {
					require.NoError(t, os.WriteFile(db+"-wal", files[db+"-wal"], 0o600))
				}
				require.NoError(t, damage(db))

				_, err := store.Open(t.Context(), dir, nil)

				require.ErrorIs(t, err, store.ErrDamaged)
				require.ErrorContains(t, err, "taploop.db is "+name)
				require.Contains(t, hint.Of(err), "restore taploop.db from a copy")
				for path, want := range files {
					got, err := os.ReadFile(path)
					require.NoError(t, err)
					require.Equal(t, want, got, "it is left alone")
				}
				if name == "not there" {
					require.NoFileExists(t, db)
				}
			})
		}
	}
}

func TestAFullDiskIsNamedAsOne(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	require.NoError(t, s.Fill())
	big := string(make([]byte, 100_000))

	err := s.Journal(r).Intent(t.Context(), step(t, 1, actions.Type{Text: big}))
	require.ErrorIs(t, err, store.ErrDiskFull)
	require.Contains(t, hint.Of(err), "free some space")
	require.NotContains(t, hint.Of(err), "move")
	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Paused, Err: big})
	require.ErrorIs(t, err, store.ErrDiskFull)
	require.ErrorContains(t, err, "the disk is full: database or disk is full (13)")

	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Paused})
	require.NoError(t, err, "what needs no room is stored")
}

func TestALinkThatLeadsToNoFolderIsNamedAsOne(t *testing.T) {
	for _, to := range []string{"nothing", "link", "file"} {
		dir := t.TempDir()
		link := filepath.Join(dir, "link")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
		require.NoError(t, os.Symlink(filepath.Join(dir, to), link))
		for _, data := range []string{link, filepath.Join(link, "data")} {
			_, err := store.Open(t.Context(), data, &store.Options{Reading: true})
			require.Error(t, err, data)
			require.Contains(t, hint.Of(err), "a link that leads to no folder", "%v", err)
		}
	}
}

func TestALockedDatabaseIsNamedAsOne(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, &store.Options{Patience: time.Millisecond})
	r := started(t, s)
	db, err := sql.Open("sqlite", filepath.Join(dir, "taploop.db"))
	require.NoError(t, err)
	defer db.Close()
	other, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer other.Close()
	_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)

	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Paused})
	require.ErrorIs(t, err, store.ErrLocked)
	require.Contains(t, hint.Of(err), "end what has taploop.db open")
	require.NotContains(t, hint.Of(err), "move")
	_, err = store.Open(t.Context(), dir, &store.Options{Patience: time.Millisecond})
	require.NoError(t, err, "it can be read")
}

func TestASecretAnswerIsInNoFileEverInClear(t *testing.T) {
	const code = "correct-horse-482913"
	dir := t.TempDir()
	s := open2(t, dir)
	r := started(t, s)
	b := inquiry.NewBroker(s.Questions, nil)
	q, err := b.Open(t.Context(), inquiry.Question{RunID: r.ID, SessionID: r.SessionID,
		Fence: r.Fence, Text: "code?", Secret: true})
	require.NoError(t, err)
	_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: code, Channel: "http", ID: "r1"})
	require.NoError(t, err)
	requireNowhere(t, dir, code)

	require.NoError(t, s.Close())
	s = open(t, dir, nil) // as after a crash: the answer is still to be applied
	applied, err := s.Questions.Apply(t.Context(), q.ID, r.Fence, time.Now())
	require.NoError(t, err)
	require.Equal(t, code, applied.Resolution.Response.Reveal())
	requireNowhere(t, dir, code)
	again, err := s.Questions.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, inquiry.Secret(""), again.Resolution.Response)
}

func requireNowhere(t *testing.T, dir, text string) {
	t.Helper()
	n := 0
	dir = storetest.Folder(t, dir)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a file of a moment
		}
		n++
		require.False(t, bytes.Contains(b, []byte(text)), "%s holds the secret", path)
		return err
	}))
	require.Greater(t, n, 3)
}

func TestOldSessionsArePruned(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := open(t, dir, &store.Options{Now: func() time.Time { return now }})
	var runs []store.Run
	for _, to := range []store.State{store.Completed, store.Running, store.WaitingReply,
		store.Paused} {
		r := started(t, s)
		st := step(t, 1, actions.Home{})
		require.NoError(t, s.Journal(r).Done(t.Context(), st, agentloop.Progress{}))
		_, err := inquiry.NewBroker(s.Questions, nil).Open(t.Context(),
			inquiry.Question{SessionID: r.SessionID, Text: "x"})
		require.NoError(t, err)
		r, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: to})
		require.NoError(t, err)
		runs = append(runs, r)
	}
	now = now.Add(time.Hour)
	young := started(t, s)
	_, err := s.Runs.Transition(t.Context(), young.ID, store.Change{To: store.Completed})
	require.NoError(t, err)
	orphan := filepath.Join(dir, "frames", "gone")
	require.NoError(t, os.Mkdir(orphan, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(orphan, "1.1.jpeg"), nil, 0o600))

	n, err := s.Prune(t.Context(), now, store.AuditEntry{By: "carl"})
	require.NoError(t, err)
	require.Equal(t, 2, n, "the completed one and the paused one")
	require.NoDirExists(t, orphan)
	for i, r := range runs {
		_, err := s.Session(t.Context(), r.SessionID)
		qs, qerr := s.Questions.List(t.Context(), inquiry.Filter{SessionID: r.SessionID})
		require.NoError(t, qerr)
		frames := filepath.Join(dir, "frames", r.SessionID)
		if i == 1 || i == 2 {
			require.NoError(t, err)
			require.Len(t, qs, 1)
			require.DirExists(t, frames)
			continue
		}
		require.ErrorIs(t, err, store.ErrNotFound)
		require.Empty(t, qs)
		require.NoDirExists(t, frames)
		lines := audit(t, s, store.AuditFilter{SessionID: r.SessionID, Event: store.AuditPruned})
		require.Len(t, lines, 1)
		require.Equal(t, "carl", lines[0].By)
		steps, err := s.Steps(t.Context(), r.SessionID, 0)
		require.NoError(t, err)
		require.Empty(t, steps)
	}
	var state *store.StateError
	err = s.Delete(t.Context(), runs[1].SessionID, store.AuditEntry{})
	require.ErrorAs(t, err, &state)
	require.Equal(t, "stop the session first", hint.Of(err))
	require.NoError(t, s.Delete(t.Context(), young.SessionID, store.AuditEntry{}))
	require.ErrorIs(t, s.Delete(t.Context(), young.SessionID, store.AuditEntry{}), store.ErrNotFound)
}

func TestACallThatIsCancelledBeforeItBeginsWritesNothing(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Journal(r).Intent(ctx, step(t, 1, actions.Home{})), context.Canceled)
	_, err := s.Runs.Transition(ctx, r.ID, store.Change{To: store.Paused})
	require.ErrorIs(t, err, context.Canceled)
	late, stop := context.WithCancelCause(t.Context())
	stop(store.ErrSilent)
	_, err = s.Journal(r).(agentloop.Mailbox).Messages(late, 0)
	require.ErrorIs(t, err, store.ErrSilent, "what has ended it is told")
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Empty(t, steps)
}

func TestACallThatIsCancelledHalfWayIsDoneWhole(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	inside := func() {}
	s := open(t, t.TempDir(),
		&store.Options{Now: func() time.Time { inside(); return time.Now() }})
	r := started(t, s)
	inside = cancel // the clock is read within the transaction
	paused, err := s.Runs.Transition(ctx, r.ID, store.Change{To: store.Paused})
	require.NoError(t, err)
	require.ErrorIs(t, ctx.Err(), context.Canceled)
	now, err := s.Runs.Get(t.Context(), r.ID)
	require.NoError(t, err)
	require.Equal(t, paused, now)
}

func TestAMarkHoldsForItsPurposeAndItsDataFolder(t *testing.T) {
	dir := t.TempDir()
	mark := func(dir, purpose, text string) string {
		s := open2(t, dir)
		defer func() { require.NoError(t, s.Close()) }()
		return string(s.Sign(purpose, text))
	}
	m := mark(dir, "a", "text")
	require.Len(t, m, 32)
	require.Equal(t, m, mark(dir, "a", "text"), "even after a restart")
	require.NotEqual(t, m, mark(dir, "b", "text"))
	require.NotEqual(t, m, mark(dir, "a", "other"))
	require.NotEqual(t, m, mark(t.TempDir(), "a", "text"))
}
