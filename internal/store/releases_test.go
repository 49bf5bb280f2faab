package store_test

import (
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// unpack makes a data folder with the database in the file.
func unpack(t *testing.T, file string) (dir string) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r, err := gzip.NewReader(f)
	require.NoError(t, err)
	script, err := io.ReadAll(r)
	require.NoError(t, err)
	dir = t.TempDir()
	execute(t, dir, string(script))
	return dir
}

func execute(t *testing.T, dir, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "taploop.db"))
	require.NoError(t, err)
	_, err = db.Exec(script)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// The databases that releases have written open with all that is in them, and a copy as it was
// before stays.
func TestFoldersOfFormerReleasesOpen(t *testing.T) {
	const first = 11
	require.Greater(t, store.Schema(), first+10)
	for schema := first; schema < store.Schema(); schema++ { // none may be left out
		file := fmt.Sprintf("testdata/releases/schema%d.sql.gz", schema)
		t.Run(filepath.Base(file), func(t *testing.T) {
			dir := unpack(t, file)
			s := open(t, dir, nil)
			requireRelease(t, s, store.WaitingReply)
			requireSchedule(t, s, schema, 1)
			require.NoError(t, s.Probe(t.Context()))
			require.NoError(t, s.Close())

			kept := filepath.Join(dir, fmt.Sprintf("taploop.db.schema%d", schema))
			execute(t, dir, "PRAGMA user_version = 1000")
			_, err := store.Open(t.Context(), dir, nil)
			require.ErrorIs(t, err, store.ErrNewerSchema)
			require.Contains(t, hint.Of(err), "taploop restore --replace '"+kept+"'")
			sum, aside, err := store.Restore(t.Context(), kept, dir, true)
			require.NoError(t, err)
			require.Equal(t, schema, sum.Schema)
			require.Equal(t, 4, sum.Steps)
			require.FileExists(t, filepath.Join(aside, "taploop.db"))
			s = open(t, dir, nil)
			requireRelease(t, s, store.Paused)
			requireSchedule(t, s, schema, 2) // and that of the restore
		})
	}
}

// requireSchedule looks for the schedule of the folders whose schema knows any, with its ticks.
func requireSchedule(t *testing.T, s *store.Store, schema, ticks int) {
	t.Helper()
	list, err := s.Schedules.List(t.Context())
	require.NoError(t, err)
	if schema < 21 {
		require.Empty(t, list)
		return
	}
	require.Len(t, list, 1)
	require.Equal(t, "read the mail", list[0].Task)
	came, err := s.Schedules.Ticks(t.Context(), "mail", 0)
	require.NoError(t, err)
	require.Len(t, came, ticks)
	require.Equal(t, store.TickStarted, came[ticks-1].State)
}

func requireRelease(t *testing.T, s *store.Store, asked store.State) {
	t.Helper()
	ctx := t.Context()
	for id, state := range map[string]store.State{"aaaa1111": asked,
		"bbbb2222": store.Completed} {
		r, err := s.LatestRun(ctx, id)
		require.NoError(t, err)
		require.Equal(t, state, r.State)
		require.Equal(t, "buy milk", r.Task)
		list, err := s.Steps(ctx, id, 0)
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.EqualValues(t, 7, list[1].Timing.Decide)
	}
	open, err := s.Questions.List(ctx, inquiry.Filter{Status: inquiry.Pending})
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, "which size?", open[0].Text)
	log, err := s.Audit.List(ctx, store.AuditFilter{})
	require.NoError(t, err)
	require.Len(t, log, 2)
	require.Equal(t, store.AuditStopped, log[1].Event)
}

func TestAnUpgradeWithoutRoomForItsCopyChangesNothing(t *testing.T) {
	dir := unpack(t, "testdata/releases/schema20.sql.gz")
	// what stands in the way of the copy stands for a disk without room
	blocked := filepath.Join(dir, "taploop.db.schema20.new", "in the way")
	require.NoError(t, os.MkdirAll(blocked, 0o700))
	_, err := store.Open(context.Background(), dir, nil)
	require.ErrorContains(t, err, "keeping a copy of schema 20")
	require.NoError(t, os.RemoveAll(filepath.Dir(blocked)))
	s := open(t, dir, nil)
	requireRelease(t, s, store.WaitingReply)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		require.False(t, strings.HasSuffix(e.Name(), ".new"), e.Name())
	}
}
