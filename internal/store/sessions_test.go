package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
)

func TestOneSessionForEachKeyOfAClient(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	begin := func(client, key string) (store.Session, store.Run, error) {
		return s.Begin(t.Context(), store.Session{Serial: "emu-1", Device: device, Client: client,
			StartKey: key}, store.Run{Task: "set an alarm"})
	}
	x, r, err := begin("ann", "k")
	require.NoError(t, err)
	require.Equal(t, store.Queued, r.State)
	require.Equal(t, x.ID, r.SessionID)

	_, _, err = begin("ann", "k")
	var taken *store.KeyError
	require.ErrorAs(t, err, &taken)
	require.Equal(t, x.ID, taken.SessionID)

	_, _, err = begin("bob", "k")
	require.NoError(t, err, "another client's key is another key")
	for range 2 {
		_, _, err = begin("ann", "")
		require.NoError(t, err, "no key is no key")
	}

	again := open(t, dir, nil)
	found, err := again.SessionByKey(t.Context(), "ann", "k")
	require.NoError(t, err)
	require.Equal(t, x, found)
	_, err = again.SessionByKey(t.Context(), "ann", "")
	require.ErrorIs(t, err, store.ErrNotFound)
	ann := "ann"
	list, err := again.Sessions(t.Context(), store.Filter{Owners: store.Owners{ann}})
	require.NoError(t, err)
	require.Len(t, list, 3)
}

func TestTheBeginningOfAnIdIsEnough(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	for id, client := range map[string]string{"8241aaaa1111": "ann", "8241aaaa2222": "ann",
		"8241bbbb": "bob", "9999cccc": ""} {
		_, err := s.Raw().Exec(`INSERT INTO sessions
			(id, serial, device, client, created_at, updated_at)
			VALUES (?, 'emu-1', '{}', ?, 1, 1)`, id, client)
		require.NoError(t, err)
	}
	find := func(id string, client ...string) (string, error) {
		if client == nil {
			x, err := s.Find(t.Context(), id, nil)
			return x.ID, err
		}
		x, err := s.Find(t.Context(), id, client)
		return x.ID, err
	}
	for beginning, want := range map[string]string{"9999": "9999cccc", " 9999CC ": "9999cccc",
		"8241b": "8241bbbb", "8241aaaa1111": "8241aaaa1111"} {
		got, err := find(beginning)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := find("8241", "bob")
	require.NoError(t, err, "other clients' sessions do not count")
	require.Equal(t, "8241bbbb", got)
	_, err = find("8241", "ann")
	require.ErrorContains(t, err, `several sessions begin with "8241": `)
	require.ErrorContains(t, err, "8241aaaa1")
	require.ErrorContains(t, err, "8241aaaa2")
	require.NotContains(t, err.Error(), "bbbb")
	for _, none := range []string{"", "999", "8241c", "%", "____", "9999cccc0", "ccc'c\x00"} {
		_, err := find(none)
		require.ErrorIs(t, err, store.ErrNotFound, none)
	}
	_, err = find("9999", "ann")
	require.ErrorIs(t, err, store.ErrNotFound)
}

// Whoever sees the sessions of several clients pages through them as through those of one.
func TestTheSessionsOfSeveralClientsAreOneList(t *testing.T) {
	s, _, clock := clocked(t, t.TempDir())
	for i := range 9 {
		_, r, err := s.Begin(t.Context(), store.Session{Serial: "emu-1", Device: device,
			Client: []string{"ann", "bob", "carl"}[i%3]}, store.Run{Task: strconv.Itoa(i)})
		require.NoError(t, err)
		if i%2 == 0 {
			_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Cancelled})
			require.NoError(t, err)
		}
		clock.pass(time.Second)
	}
	tasks := func(f store.Filter) (all []string) {
		f.Owners = store.Owners{"bob", "ann", "nobody", "ann"}
		list, err := s.Sessions(t.Context(), f)
		require.NoError(t, err)
		for _, o := range list {
			all = append(all, o.Latest.Task)
		}
		return all
	}
	require.Equal(t, []string{"7", "6", "4", "3", "1", "0"}, tasks(store.Filter{}))
	require.Equal(t, []string{"7", "6", "4", "3"}, tasks(store.Filter{Limit: 4}))
	require.Equal(t, []string{"4", "3", "1"}, tasks(store.Filter{Limit: 3, Offset: 2}))
	require.Equal(t, []string{"0"}, tasks(store.Filter{Limit: 3, Offset: 5}))
	require.Empty(t, tasks(store.Filter{Limit: 3, Offset: 50}))
	require.Equal(t, []string{"4", "0"}, tasks(store.Filter{State: store.Cancelled, Limit: 2,
		Offset: 1}))
}

func TestOfManyWhoBeginUnderOneKeyOneDoes(t *testing.T) {
	dir := t.TempDir()
	stores := []*store.Store{open(t, dir, nil), open(t, dir, nil)}
	errs := make([]error, 20)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			_, _, errs[i] = stores[i%2].Begin(t.Context(),
				store.Session{Serial: "emu-1", Device: device,
					StartKey: "k"}, store.Run{Task: "t"})
		})
	}
	wg.Wait()
	var won int
	for _, err := range errs {
		var taken *store.KeyError
		if err == nil {
			won++
		} else {
			require.ErrorAs(t, err, &taken)
		}
	}
	require.Equal(t, 1, won)
	list, err := stores[0].Sessions(t.Context(), store.Filter{})
	require.NoError(t, err)
	require.Len(t, list, 1)
}

func TestAFolderOfTheFirstSchemaIsRead(t *testing.T) {
	dir := t.TempDir()
	first, err := os.ReadFile(filepath.Join("migrations", "0001_sessions.sql"))
	require.NoError(t, err)
	db, err := sql.Open("sqlite", filepath.Join(dir, "taploop.db"))
	require.NoError(t, err)
	for _, q := range []string{string(first), "PRAGMA user_version = 1",
		`INSERT INTO sessions (id, serial, device, created_at, updated_at)
			VALUES ('old', 'emu-1', '{}', 1, 1)`,
		`INSERT INTO runs (id, session_id, seq, task, state, course, owner, fence, created_at,
				updated_at)
			VALUES ('run', 'old', 1, 't', 'RUNNING', '{"task":"t"}', 'dead', 2, 1, 1)`,
		`INSERT INTO steps (session_id, idx, run_id, local, fence, state, verb, decision, tries,
				phone, timing, started_at)
			VALUES ('old', 1, 'run', 1, 2, 'INTENT', 'INFO',
				'{"action":{"verb":"INFO","question":"when?"}}', '[]', '{}', '{}', 1)`,
		`INSERT INTO questions (id, session_id, run_id, fence, status, body, asked_at,
				attention_until, expires_at)
			VALUES ('q', 'old', 'run', 2, 'pending', '{"kind":"info","text":"when?"}', 1, 1, 1)`} {
		_, err = db.Exec(q)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())

	s := open(t, dir, nil)

	x, err := s.Session(t.Context(), "old")
	require.NoError(t, err)
	require.Equal(t, "", x.Client, "it belongs to the local operator")
	left, err := s.Runs.Recover(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, store.WaitingReply, left[0].State, "the step asked when the program died")
	require.Equal(t, agentloop.Progress{Task: "t", Steps: 1, Questions: 1}, left[0].Progress)
}
