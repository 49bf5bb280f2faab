package export_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

func TestThePageOfAgentsShowsWhoWorkedBelowWhom(t *testing.T) {
	db, err := store.Open(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	defer db.Close()
	top, run, err := db.Begin(t.Context(), store.Session{}, store.Run{Task: "Compare"})
	require.NoError(t, err)
	run, err = db.Runs.Transition(t.Context(), run.ID, store.Change{To: store.Running})
	require.NoError(t, err)
	phone := func(serial, task string) store.Session {
		x, _, err := db.Begin(t.Context(),
			store.Session{Serial: serial, Parent: top.ID}, store.Run{Task: task})
		require.NoError(t, err)
		return x
	}
	first := phone("emu-1", "Look <b>here</b>")
	phone("emu-2", "Look there")
	for _, line := range []string{`{"agent": "1", "begin": {"goal": "Compare"}}`,
		`{"agent": "1", "reply": {"calls": [{"id": "1-1", "name": "ask_searcher", "args": {}},
			{"id": "1-2", "name": "pay", "args": {"n": "<i>"}}],
			"prompt_tokens": 1200, "completion_tokens": 34}}`,
		`{"agent": "1", "result": {"call": "1-2", "text": "</pre>declined", "failed": true}}`,
		`{"agent": "1-1", "begin": {"role": "searcher", "goal": "Search"}}`,
		`{"agent": "1-1", "session": {"call": "1-1-1", "session_id": "` + first.ID + `"}}`,
		`{"agent": "7-7", "session": {"call": "7-7-1", "session_id": "none"}}`} {
		require.NoError(t, db.Entries(run).Append(t.Context(), json.RawMessage(line)))
	}

	var page strings.Builder
	require.NoError(t, export.HTML(t.Context(), &page, db, top.ID))
	require.Contains(t, page.String(), `"prompt_tokens":1200,"completion_tokens":34`)
	const agents = `"agents":[{"id":"1","words":"Compare",` +
		`"below":[{"id":"1-1","name":"searcher","words":"Search",` +
		`"below":[{"id":"1-1-1","below":[{"id":"`
	require.Contains(t, page.String(), agents+first.ID+
		`","name":"emu-1","words":"Look \u003cb\u003ehere`)
	require.Contains(t, page.String(), `"result":"\u003c/pre\u003edeclined"`)
	dir := t.TempDir()
	require.NoError(t, export.Gelab(t.Context(), dir, db, top.ID))
	trace, err := os.ReadFile(filepath.Join(dir, "traces", top.ID+".jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(trace), agents+first.ID)
	require.Contains(t, string(trace), `"outcome":"FAILED","result":"</pre>declined"`)
	require.FileExists(t, filepath.Join(dir, "traces", first.ID+".jsonl"))
	page.Reset()
	require.NoError(t, export.HTML(t.Context(), &page, db, first.ID))
	require.Contains(t, page.String(), `"parent":"`+top.ID+`"`)
}
