package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
)

// A tick has one row, which is claimed once and told once, whoever stored it.
func TestATickIsClaimedOnceAndToldOnce(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	ctx := t.Context()
	require.NoError(t, s.Schedules.Add(ctx, store.Schedule{Name: "s", Spec: "@daily", Task: "x"}))
	at := time.Now().UTC().Truncate(time.Hour)
	note := func(at time.Time, state store.TickState) bool {
		mine, err := s.Schedules.Note(ctx, store.Tick{Schedule: "s", At: at, State: state})
		require.NoError(t, err)
		return mine
	}
	require.True(t, note(at, store.TickMissed))
	require.False(t, note(at, store.TickMissed))
	require.True(t, note(at, store.TickClaimed), "its time came after all")
	require.False(t, note(at, store.TickClaimed))
	require.False(t, note(at, store.TickMissed))
	require.True(t, note(at.Add(-time.Hour), store.TickMissed))
	require.True(t, note(at.Add(-2*time.Hour), store.TickFailed))
	untold := func() (n int) {
		list, err := s.Schedules.Untold(ctx, at.Add(-90*time.Minute))
		require.NoError(t, err)
		return len(list)
	}
	require.Zero(t, untold(), "whoever stored it lives, and tells")
	require.NoError(t, s.Close())

	s = open(t, dir, nil)
	require.Equal(t, 1, untold())
	left, err := s.Schedules.Left(ctx)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, at, left[0].At)
	require.NoError(t, s.Schedules.Told(ctx, "s", at.Add(-time.Hour), at))
	require.Zero(t, untold())
}

// What came before a restore is settled once, and then the restore is over.
func TestATickThatWasRestoredIsSettledOnce(t *testing.T) {
	s, ctx := open(t, t.TempDir(), nil), t.Context()
	require.NoError(t, s.Schedules.Add(ctx, store.Schedule{Name: "s", Spec: "@daily", Task: "x"}))
	at := time.Now().UTC().Truncate(time.Hour)
	for _, c := range []struct {
		at    time.Time
		state store.TickState
		mine  bool
	}{
		{at, store.TickRestored, true}, {at.Add(time.Hour), store.TickRestored, true},
		{at, store.TickMissed, true}, {at, store.TickMissed, false},
	} {
		mine, err := s.Schedules.Note(ctx, store.Tick{Schedule: "s", At: c.at, State: c.state})
		require.NoError(t, err)
		require.Equal(t, c.mine, mine, c)
	}
	require.NoError(t, s.Schedules.Passed(ctx, "s"))
	list, err := s.Schedules.Ticks(ctx, "s", 0)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, store.TickMissed, list[0].State)
}

// A run that still waits for its phone has not started, whatever its tick says.
func TestALastTickTellsARunThatWaits(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	require.NoError(t, s.Schedules.Add(t.Context(),
		store.Schedule{Name: "s", Spec: "@daily", Task: "x"}))
	tick := store.Tick{Schedule: "s", At: time.Now().UTC().Truncate(time.Hour),
		State: store.TickClaimed}
	_, err := s.Schedules.Note(t.Context(), tick)
	require.NoError(t, err)
	tick.State, tick.SessionID = store.TickStarted, r.SessionID
	require.NoError(t, s.Schedules.Settle(t.Context(), tick))
	for state, want := range map[store.State]store.TickState{
		store.Queued: store.TickQueued, store.Running: store.TickStarted} {
		moved(t, s, r, store.Change{To: state, Reason: agentloop.StillRunning})
		last, err := s.Schedules.Last(t.Context(), "s")
		require.NoError(t, err)
		require.Equal(t, want, last.State, state)
	}
}
