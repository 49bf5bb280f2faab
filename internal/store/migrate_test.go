package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
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

// What former versions wrote of a question's channels is read under the names of today.
func TestAFolderOfSchemaSeventeenKeepsItsChannels(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "taploop.db"))
	require.NoError(t, err)
	scripts, err := filepath.Glob("migrations/00*.sql")
	require.NoError(t, err)
	for i, script := range scripts[:17] {
		text, err := os.ReadFile(script)
		require.NoError(t, err)
		_, err = db.Exec(string(text))
		require.NoError(t, err, "%d %s", i, script)
	}
	_, err = db.Exec(`PRAGMA user_version = 17;
		INSERT INTO questions (id, session_id, run_id, fence, status, asked_at, attention_until,
			expires_at, applied_at, body, turn) VALUES ('q', '', '', 0, 'pending', 1, 2, 3, 0,
			'{"question_id":"q","kind":"info","text":"which?","options":["a","b"],
			"doors":[{"door":"elicit","until":"2026-03-04T05:06:07Z"},{"door":"page"}],
			"pass_on":{"decline":"model:fast"},"passed":{"type":"decline","response":"not me",
			"channel":"page","at":"2026-03-04T05:06:07Z"}}', '{}');
		INSERT INTO audit (at, event, question_id, door) VALUES (1, 'passed_on', 'q', 'page')`)
	require.NoError(t, err)
	require.NoError(t, db.Close())

	s := open(t, dir, nil)
	q, err := s.Questions.Get(t.Context(), "q")
	require.NoError(t, err)
	require.Equal(t, []inquiry.Channel{{Name: "elicit",
		Until: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}, {Name: "page"}}, q.Channels)
	require.Equal(t, map[inquiry.Type]string{inquiry.TypeDecline: "model:fast"}, q.Fallback)
	require.Equal(t, "not me", q.Deferred.Response.String())
	require.Equal(t, &inquiry.Ask{Options: []string{"a", "b"}}, q.Body)
	log, err := s.Audit.List(t.Context(), store.AuditFilter{QuestionID: "q"})
	require.NoError(t, err)
	require.Len(t, log, 1)
	require.Equal(t, store.AuditDeferred, log[0].Event)
	require.Equal(t, "page", log[0].Channel)
}
