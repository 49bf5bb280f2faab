package main

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheHeapGrowsByItsHeadroomOrDoubles(t *testing.T) {
	for live, want := range map[uint64]int{0: 3200, 1 << 20: 3200, 8 << 20: 400, 32 << 20: 100,
		4 << 30: 100} {
		require.Equal(t, want, percentFor(live), "%d", live)
	}
}

func TestTheEnvironmentDecidesAboutTheHeap(t *testing.T) {
	before := debug.SetGCPercent(123)
	defer debug.SetGCPercent(before)
	for _, own := range []string{"GOGC", "GOMEMLIMIT"} {
		collectSeldom(func(name string) (string, bool) { return "50", name == own })
		require.Equal(t, 123, debug.SetGCPercent(123), own)
	}
}
