package wait_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/wait"
)

func TestDurationsMayHaveDaysAndWeeks(t *testing.T) {
	const day = 24 * time.Hour
	for s, want := range map[string]time.Duration{"30d": 30 * day, "2w": 14 * day,
		"1w2d3h4m": 9*day + 3*time.Hour + 4*time.Minute, "0.5d": 12 * time.Hour,
		"1.5d30m": 36*time.Hour + 30*time.Minute, "90s": 90 * time.Second, "-2d": -2 * day,
		"0": 0, "0d": 0, "-1d12h": -36 * time.Hour} {
		got, err := wait.ParseDuration(s)
		require.NoError(t, err, s)
		require.Equal(t, want, got, s)
	}
	for _, s := range []string{"", "d", "30", "30 d", "d30", "1h2d", "1d2", "1d-2h", "--1d", "1d+2h",
		"1e3d", "30days", "1D", "200000000d", "１d", "-", "1d "} {
		_, err := wait.ParseDuration(s)
		require.Error(t, err, s)
	}
}

// What Go reads is read as Go reads it.
func TestDurationsOfGoStayAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Min(-1<<62).Draw(t, "d"))
		got, err := wait.ParseDuration(d.String())
		require.NoError(t, err, d)
		require.Equal(t, d, got)
	})
}
