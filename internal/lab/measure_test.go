package lab_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/lab"
)

// The figures are those of R's prop.test(x, n, correct=FALSE), which is Wilson's interval.
func TestTheIntervalIsWilsons(t *testing.T) {
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{
		{0, 0, 0, 1}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {5, 10, 0.2366, 0.7634},
		{1, 1, 0.2065, 1}, {81, 263, 0.2553, 0.3662},
	} {
		got := lab.NewRate(c.hits, c.n)
		require.InDelta(t, c.low, got.Low, 5e-5, c)
		require.InDelta(t, c.high, got.High, 5e-5, c)
	}
}

func TestTheIntervalHoldsTheShareAndGrowsNarrower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10_000).Draw(t, "n")
		hits := rapid.IntRange(0, n).Draw(t, "hits")
		r := lab.NewRate(hits, n)
		require.Equal(t, float64(hits)/float64(n), r.Share)
		require.True(t, 0 <= r.Low && r.Low <= r.Share+1e-12 && r.Share <= r.High+1e-12 &&
			r.High <= 1)
		more := lab.NewRate(4*hits, 4*n)
		require.Less(t, more.High-more.Low, r.High-r.Low)
	})
}

func TestQuantilesAreBetweenNeighbours(t *testing.T) {
	values := []float64{9, 1, 5}
	require.Equal(t, 5.0, lab.Median(values))
	require.Equal(t, []float64{9, 1, 5}, values)
	require.Equal(t, 3.0, lab.Median([]float64{1, 5}))
	require.Equal(t, 9.0, lab.Quantile(values, 1))
	require.Equal(t, 1.0, lab.Quantile(values, 0))
	require.InDelta(t, 8.2, lab.Quantile(values, 0.9), 1e-9)
	require.Zero(t, lab.Median(nil))
}
