package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// What another process left behind is known wherever the question is read, and only while it is
// open.
func TestAnOpenQuestionSaysThatWhatRanItHasEnded(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	here, other := open(t, dir, nil), open(t, dir, nil)
	x, run, err := other.Begin(ctx, store.Session{Serial: "emu-1"}, store.Run{Task: "Buy shoes"})
	require.NoError(t, err)
	run, err = other.Runs.Transition(ctx, run.ID, store.Change{To: store.Running})
	require.NoError(t, err)
	broker := inquiry.NewBroker(other.Questions, nil)
	q, err := broker.Open(ctx, inquiry.Question{Text: "May it pay?", SessionID: x.ID, RunID: run.ID,
		Fence: run.Fence})
	require.NoError(t, err)
	free, err := broker.Open(ctx, inquiry.Question{Text: "Which size?", Client: "ann"})
	require.NoError(t, err)
	_, err = other.Runs.Transition(ctx, run.ID, store.Change{To: store.WaitingReply, Question: q.ID})
	require.NoError(t, err)
	left := func(want bool) {
		t.Helper()
		one, err := here.Questions.Get(ctx, q.ID)
		require.NoError(t, err)
		require.Equal(t, want, one.LeftBehind)
		list, err := here.Questions.List(ctx, inquiry.Filter{})
		require.NoError(t, err)
		require.Len(t, list, 2)
		for _, l := range list {
			require.Equal(t, want && l.ID == q.ID, l.LeftBehind, l.Text)
			require.False(t, l.ID == free.ID && l.LeftBehind, "it has no run")
		}
		require.Equal(t, want, slices.ContainsFunc(one.Details(), func(d inquiry.Detail) bool {
			return d.Name == "run" && strings.Contains(d.Text, "taploop continue "+x.ID)
		}))
	}
	left(false)
	require.NoError(t, other.Close())
	left(true)
	_, err = inquiry.NewBroker(here.Questions, nil).Resolve(ctx, q.ID, inquiry.Reply{Response: "yes"})
	require.NoError(t, err)
	left(false)
}
