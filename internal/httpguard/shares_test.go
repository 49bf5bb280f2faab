package httpguard_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/httpguard"
)

// grab takes as many as the client gets.
func grab(s *httpguard.Shares, client string, operator bool) (gives []func()) {
	for {
		give, ok := s.Take(client, operator)
		if !ok {
			return gives
		}
		gives = append(gives, give)
	}
}

func TestNoClientTakesWhatTheOthersNeed(t *testing.T) {
	s := httpguard.NewShares(1024)
	first := grab(s, "a", false)
	require.Len(t, first, 448, "half of what is not kept")
	for i, want := range []int{224, 112, 56, 28, 14, 7, 4, 2, 1} {
		require.Len(t, grab(s, fmt.Sprint("late ", i), false), want)
	}
	require.Empty(t, grab(s, "z", false), "only the operators' part is left")
	require.Len(t, grab(s, "boss", true), 128)
	first[0]()
	first[0]()
	require.Len(t, grab(s, "boss", true), 1, "given back once")
}

func TestWhatIsGivenBackCanBeTakenAgain(t *testing.T) {
	s := httpguard.NewShares(64)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 200 {
				for _, give := range grab(s, fmt.Sprint(i%4), i == 7) {
					give()
				}
			}
		})
	}
	all.Wait()
	require.Len(t, grab(s, "boss", true), 64)
}

func TestFewAreSharedToo(t *testing.T) {
	for most, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 2, 8: 4} {
		require.Len(t, grab(httpguard.NewShares(most), "a", false), want, most)
	}
}
