package store_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
	"github.com/taploop/taploop/internal/token"
)

// furnished is a store with something in each of its tables, some of which no text of PostgreSQL can
// hold, and a run with a secret answer that it has not used.
func furnished(t *testing.T, dir string) (*store.Store, inquiry.Question) {
	t.Helper()
	s := open(t, dir, nil)
	ctx := t.Context()
	var secret inquiry.Question
	b := inquiry.NewBroker(s.Questions, nil)
	for i := range 12 {
		r := started(t, s)
		j := s.Journal(r)
		for n := 1; n <= 3; n++ {
			st := step(t, n, actions.Type{Text: "a\x00b \U0010FFFD"})
			st.Refusal = "\xff\xfe \x00 \U0010FFFD00"
			require.NoError(t, j.Intent(ctx, st))
			require.NoError(t, j.Done(ctx, st, agentloop.Progress{Steps: n}))
		}
		_, err := s.Runs.Say(ctx, r.ID, agentloop.Message{Mode: "note", Text: "hi\x00"}, "k\x00",
			store.AuditEntry{By: "ann"})
		require.NoError(t, err)
		secret = ask(t, b, r, inquiry.Question{Text: "code?", Secret: true, Client: "c\x00",
			Key: "key\x00" + string(rune('a'+i)), Step: 3})
		_, err = b.Resolve(ctx, secret.ID, inquiry.Reply{Response: "4711", Channel: "page"})
		require.NoError(t, err)
		require.NoError(t, s.Leases.Take(ctx, r.ID, r.ID))
		to := []store.State{store.Paused, store.Completed, store.WaitingReply}[i%3]
		_, err = s.Runs.Transition(ctx, r.ID, store.Change{To: to})
		require.NoError(t, err)
	}
	require.NoError(t, s.Grants.Give(ctx, guard.Grant{Scope: guard.ForSession, Name: "x",
		From: time.Now(), Until: time.Now().Add(time.Hour)}, store.AuditEntry{}))
	_, _, err := token.In(s.Kept).Create(token.Limits{}, "anna", true)
	require.NoError(t, err)
	require.NoError(t, s.Phones.SetFormerKeyboard(ctx, "A", "first"))
	_, err = s.Phones.NamePhone(ctx, "X", "m")
	require.NoError(t, err)
	require.NoError(t, s.Judged.Remember(ctx, "app", map[string]string{`"\{,` + "\x00": "pays"}))
	for _, statement := range []string{
		`INSERT INTO entries SELECT id, 1, '{"a":"\u0000"}', 1 FROM sessions`,
		`INSERT INTO answers (id, likeness, client, scope, session_id, app, body)
			VALUES ('a', 'l', '', 'app', '', 'x', '{}')`,
		`INSERT INTO schedules VALUES ('s', '@daily', 'UTC', 't', '', '', 1, 'low', 90)`,
		`INSERT INTO ticks (schedule, at, state) VALUES ('s', 1, 'started')`,
		`INSERT INTO audit_pruned VALUES (1)`,
		`INSERT INTO closed VALUES ('phone emu-1', 1)`,
	} {
		_, err := s.Raw().Exec(statement)
		require.NoError(t, err, statement)
	}
	_, err = s.Raw().Exec("UPDATE steps SET elements = ? WHERE idx = 2", []byte{})
	require.NoError(t, err)
	_, err = s.Raw().Exec(`INSERT INTO secrets (question_id, run_id, sealed, given_at)
		SELECT 'q', id, ?, 1 FROM runs LIMIT 1`, []byte{0, 255})
	require.NoError(t, err)
	return s, secret
}

func TestEachTableIsCopied(t *testing.T) {
	s, _ := furnished(t, t.TempDir())
	query := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
	if storetest.OnPostgres() {
		query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
	}
	rows, err := s.Raw().Query(query)
	require.NoError(t, err)
	defer rows.Close()
	copied := store.Tables()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		switch name {
		case "probes", "goose_db_version", "workers":
			continue // of the database itself, and of who uses it now
		}
		require.Contains(t, copied, name, "add it to copy.go")
	}
	require.NoError(t, rows.Err())
	for _, name := range copied {
		var n int
		require.NoError(t, s.Raw().QueryRow("SELECT count(*) FROM "+name).Scan(&n))
		require.NotZero(t, n, "%s is tried with something in it", name)
	}
}

// A copy has everything that the store had, and goes on where it was interrupted.
func TestAStoreIsCopiedWhole(t *testing.T) {
	from, secret := furnished(t, t.TempDir())
	to := open(t, t.TempDir(), nil)
	for _, at := range []string{"sessions", "steps", "audit", "usage", "pictures"} {
		ctx, cancel := context.WithCancel(t.Context())
		err := from.Copy(ctx, to, func(what string, _ int) {
			if what == at {
				cancel()
			}
		})
		require.ErrorIs(t, err, context.Canceled, at)
	}
	require.NoError(t, from.Copy(t.Context(), to, nil))
	require.NoError(t, from.Copy(t.Context(), to, nil), "once more")
	requireSame(t, from, to)
	require.NoError(t, to.Check(t.Context()))

	q, err := to.Questions.Apply(t.Context(), secret.ID, secret.Fence, time.Now())
	require.NoError(t, err)
	require.Equal(t, "4711", q.Resolution.Response.Reveal(), "under the same key")
	require.Equal(t, from.Sign("a", "b"), to.Sign("a", "b"))
	started(t, to) // new rows come behind the copied ones
	require.NoError(t, to.Audit.Append(t.Context(), store.AuditEntry{Event: store.AuditSaid}))
	err = from.Copy(t.Context(), to, nil)
	require.ErrorContains(t, err, "rows that are not from this one")
	require.Equal(t, "copy to an empty one", hint.Of(err))
}

// A machine has the pictures that it took: a copy of a store that several share lacks the others,
// and says so.
func TestACopyWithoutSomePicturesSaysSo(t *testing.T) {
	dir := t.TempDir()
	from, _ := furnished(t, dir)
	frames, err := filepath.Glob(filepath.Join(dir, "frames", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, frames)
	for _, of := range frames {
		require.NoError(t, os.RemoveAll(of))
	}
	to := open(t, t.TempDir(), nil)
	for range 2 {
		err := from.Copy(t.Context(), to, nil)
		require.ErrorContains(t, err, "all else is copied: ")
		require.ErrorContains(t, err, " pictures are not in the data folder")
		requireSame(t, from, to)
	}
}

// A folder that was used with PostgreSQL has pictures and no database of its own.
func TestACopyIsMadeBesideThePicturesOfAnotherStore(t *testing.T) {
	dir := t.TempDir()
	pictures := filepath.Join(dir, "frames", "abc")
	require.NoError(t, os.MkdirAll(pictures, 0o700))
	_, err := store.Open(t.Context(), dir, nil)
	require.ErrorIs(t, err, store.ErrDamaged)
	require.Contains(t, hint.Of(err), "taploop store copy")
	to, err := store.Open(t.Context(), dir, &store.Options{Pictured: true})
	require.NoError(t, err)
	require.NoError(t, to.Close())
	require.DirExists(t, pictures)
}

func TestNothingIsCopiedFromAFolderWithoutAStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "typo")
	_, err := store.Open(t.Context(), dir, &store.Options{Existing: true})
	require.ErrorContains(t, err, "there is no store: ")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoDirExists(t, dir)
}

// requireSame compares what the stores tell of their sessions.
func requireSame(t *testing.T, a, b *store.Store) {
	t.Helper()
	ctx := t.Context()
	ours, err := a.Sessions(ctx, store.Filter{})
	require.NoError(t, err)
	require.NotEmpty(t, ours)
	theirs, err := b.Sessions(ctx, store.Filter{})
	require.NoError(t, err)
	require.Equal(t, ours, theirs)
	for _, o := range ours {
		mine, err := a.Trajectory(ctx, o.Session.ID)
		require.NoError(t, err)
		other, err := b.Trajectory(ctx, o.Session.ID)
		require.NoError(t, err)
		mine.Asked, other.Asked = nil, nil // grows
		for _, u := range []map[string]store.Usage{mine.Usage, other.Usage} {
			for id, x := range u {
				x.Asked = 0
				u[id] = x
			}
		}
		require.Equal(t, mine, other)
	}
	require.Equal(t, audit(t, a, store.AuditFilter{}), audit(t, b, store.AuditFilter{}))
}

func TestAStoreWithARunThatIsGoingIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	from, going := open(t, dir, nil), open(t, dir, nil)
	r := started(t, going)
	to := open(t, t.TempDir(), nil)
	err := from.Copy(t.Context(), to, nil)
	var busy *store.StateError
	require.ErrorAs(t, err, &busy)
	require.Equal(t, r.ID, busy.RunID)
	require.Equal(t, "stop the servers of this store first", hint.Of(err))
}
