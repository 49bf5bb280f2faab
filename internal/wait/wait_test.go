package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/wait"
)

func TestAPauseTakesItsTimeUnlessItIsEnded(t *testing.T) {
	gone := errors.New("the phone is gone")
	for name, c := range map[string]struct {
		d, ended, woken time.Duration // 0 is never
		took            time.Duration
		err             error
	}{
		"the whole time":        {d: time.Hour, took: time.Hour},
		"no time":               {d: 0, took: 0},
		"less than no time":     {d: -time.Hour, took: 0},
		"the context ends":      {d: time.Hour, ended: time.Minute, took: time.Minute, err: gone},
		"the context had ended": {d: time.Hour, ended: -1, took: 0, err: gone},
		"no time, but ended":    {d: 0, ended: -1, took: 0, err: gone},
		"something happens":     {d: time.Hour, woken: time.Second, took: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				wake := make(chan struct{})
				switch {
				case c.ended < 0:
					cancel(gone)
				case c.ended > 0:
					time.AfterFunc(c.ended, func() { cancel(gone) })
				case c.woken > 0:
					time.AfterFunc(c.woken, func() { close(wake) })
				}
				start := time.Now()
				require.Equal(t, c.err, wait.Until(ctx, c.d, wake))
				require.Equal(t, c.took, time.Since(start))
				if c.woken == 0 {
					require.Equal(t, c.err, wait.For(ctx, min(c.d, 0)))
				}
				cancel(nil)
			})
		})
	}
}

func TestPausesAfterFailuresGrowAndDiffer(t *testing.T) {
	for failures, want := range map[int]time.Duration{0: 1, 1: 1, 2: 2, 3: 4, 5: 10, 99: 10} {
		want *= time.Second
		seen := map[time.Duration]bool{}
		for range 20 {
			d := wait.Backoff(time.Second, 10*time.Second, failures)
			require.InDelta(t, want, d, float64(want)/4, "%d", failures)
			seen[d] = true
		}
		require.Greater(t, len(seen), 1)
	}
}

func TestABroadcastWakesAllWhoWaitAndNobodyLater(t *testing.T) {
	var b wait.Broadcast
	b.Send()
	one, two := b.Next(), b.Next()
	require.Empty(t, closed(one, two, b.Next()))
	b.Send()
	later := b.Next()
	require.Equal(t, []int{0, 1}, closed(one, two, later))
	b.Send()
	require.Equal(t, []int{0, 1, 2}, closed(one, two, later))
}

// closed are the indexes of the channels that are closed.
func closed(all ...<-chan struct{}) (list []int) {
	for i, ch := range all {
		select {
		case <-ch:
			list = append(list, i)
		default:
		}
	}
	return list
}

func TestAMutexIsWaitedForUntilTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := wait.NewMutex()
		require.NoError(t, m.Lock(t.Context()))
		require.False(t, m.TryLock())
		late := errors.New("too late")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, late)
		defer cancel()
		require.Equal(t, late, m.Lock(ctx))
		var order []int
		for i := range 3 {
			go func() {
				_ = m.Lock(t.Context())
				order = append(order, i)
				m.Unlock()
			}()
			synctest.Wait()
		}
		m.Unlock()
		synctest.Wait()
		require.Equal(t, []int{0, 1, 2}, order)
		require.True(t, m.TryLock())
	})
}
