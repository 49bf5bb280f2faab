package store

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
)

// The elements of a screen are stored twice a step, and what compresses them is large.
func TestPackingTheElementsAllocatesLittle(t *testing.T) {
	const times = 100
	list := []screen.Element{{Text: "Pay"}, {Text: "Cancel"}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		v, err := packed{&list}.Value()
		require.NoError(t, err)
		var read []screen.Element
		require.NoError(t, packed{&read}.Scan(v))
		require.Equal(t, list, read)
	}
	runtime.ReadMemStats(&after)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/times, uint64(900_000))
}
