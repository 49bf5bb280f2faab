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
	require.Contains(t, page.String(), "<dt>Tokens in / out</dt><dd>1\u2009200 / 34</dd>")
	require.NotContains(t, page.String(), "<dt>Time</dt>", "times are those of steps")
	_, shown, found := strings.Cut(page.String(), "Agents and phones")
	require.True(t, found)
	shown, _, _ = strings.Cut(shown, "</section>")
	last := -1
	for _, part := range []string{">1</span>", "Compare", "<ul>", ">1-1</span>", "searcher",
		"Search", "<ul>", ">1-1-1</span>", "<ul>", first.ID, "emu-1", "Look &lt;b&gt;here", "</ul>",
		"</ul>", ">1-2</span>", "pay", "Failed", "&lt;i&gt;", "<pre", "&lt;/pre&gt;declined",
		"</ul>", "emu-2"} {
		at := strings.Index(shown[last+1:], part)
		require.GreaterOrEqual(t, at, 0, "%s in %s", part, shown)
		last += 1 + at
	}
	require.NotContains(t, page.String(), "No step was taken")
	dir := t.TempDir()
	require.NoError(t, export.Gelab(t.Context(), dir, db, top.ID))
	trace, err := os.ReadFile(filepath.Join(dir, "traces", top.ID+".jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(trace), `"agents":[{"id":"1","words":"Compare",`+
		`"below":[{"id":"1-1","name":"searcher","words":"Search",`+
		`"below":[{"id":"1-1-1","below":[{"id":"`+first.ID)
	require.Contains(t, string(trace), `"outcome":"Failed","result":"</pre>declined"`)
	require.FileExists(t, filepath.Join(dir, "traces", first.ID+".jsonl"))
	page.Reset()
	require.NoError(t, export.HTML(t.Context(), &page, db, first.ID))
	require.Contains(t, page.String(), "begun by <span class=\"mono\">"+top.ID)
}
