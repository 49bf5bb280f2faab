package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
)

// A folder of the version before steps were added up opens with all that is in it.
func TestAFolderOfSchemaSevenOpens(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "taploop.db")
	db, err := sql.Open("sqlite", old)
	require.NoError(t, err)
	scripts, err := filepath.Glob("migrations/000[1-7]_*.sql")
	require.NoError(t, err)
	require.Len(t, scripts, 7)
	for _, script := range append(scripts, "testdata/schema7.sql") {
		text, err := os.ReadFile(script)
		require.NoError(t, err)
		_, err = db.Exec(string(text))
		require.NoError(t, err, script)
	}
	require.NoError(t, db.Close())
	frames := filepath.Join(dir, "frames", "abc")
	require.NoError(t, os.MkdirAll(frames, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(frames, "1.2.jpeg"), []byte("a JPEG"), 0o600))

	s := open(t, dir, nil)
	steps, err := s.Steps(t.Context(), "abc", 0)
	require.NoError(t, err)
	require.Equal(t, agentloop.Timing{Settle: 1, Look: 2, Decide: 3, Ask: 4, Touch: 5},
		steps[0].Timing)
	spent := usage(t, s, "abc")
	require.Equal(t, store.Usage{Steps: 2, Calls: 3, PromptTokens: 30, CompletionTokens: 12,
		Timing: agentloop.Timing{Settle: 11, Look: 22, Decide: 33, Ask: 4, Touch: 55}},
		spent["r1"])
	require.Zero(t, spent["r2"])
	found, err := s.Sessions(t.Context(), store.Filter{State: store.Paused})
	require.NoError(t, err)
	require.Len(t, found, 1, "as its latest run")
	require.Equal(t, "r2", found[0].Latest.ID)
	b, err := s.Frame(t.Context(), "abc.1.2")
	require.NoError(t, err)
	require.Equal(t, "a JPEG", string(b), "which was synced, and has no sum")
	_, err = s.Frame(t.Context(), "abc.2.2")
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NotErrorIs(t, err, store.ErrFrameLost, "it may have been deleted")

	r, err := s.Runs.Transition(t.Context(), "r2", store.Change{To: store.Running})
	require.NoError(t, err)
	st := agentloop.Step{Index: 3, StartedAt: time.Now(), Timing: agentloop.Timing{Touch: 7}}
	require.NoError(t, s.Journal(r).Done(t.Context(), st, agentloop.Progress{}))
	require.Equal(t, store.Usage{Steps: 1, Timing: agentloop.Timing{Touch: 7}},
		usage(t, s, "abc")["r2"])
}
