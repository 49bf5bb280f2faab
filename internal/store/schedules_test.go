package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
