package serve

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
)

func TestAPhoneThatGoesIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		var mu sync.Mutex
		var states map[string]string
		var failed error
		set := func(now map[string]string, err error) {
			mu.Lock()
			defer mu.Unlock()
			states, failed = now, err
		}
		set(map[string]string{"a": "device", "b": "offline"}, nil)
		p := &presence{log: slog.New(slog.NewTextHandler(&log, nil)),
			states: func(context.Context) (map[string]string, error) {
				mu.Lock()
				defer mu.Unlock()
				return states, failed
			}}
		var lost []string
		p.lost = func(serial string) { lost = append(lost, serial) }
		ctx, cancel := context.WithCancel(t.Context())
		go p.run(ctx)
		next := func() { time.Sleep(presenceEvery); synctest.Wait() }
		next()
		require.Equal(t, map[string]int{"device": 1, "offline": 1}, p.count(nil))
		closed := map[string]bool{store.ClosedPhone + "a": true, store.ClosedPhone + "b": true}
		require.Equal(t, map[string]int{"device": 0, "cordoned": 1, "offline": 1}, p.count(closed))
		set(nil, errors.New("no server"))
		next()
		next()
		require.Empty(t, lost, "a server that does not answer says nothing about phones")
		require.Equal(t, map[string]int{"device": 0, "unknown": 2}, p.count(closed))
		require.Equal(t, 1, strings.Count(log.String(), "no phone can be used"))
		set(map[string]string{"a": "offline", "b": "device"}, nil)
		next()
		next()
		require.Equal(t, []string{"a"}, lost)
		set(map[string]string{}, nil)
		next()
		require.Equal(t, []string{"a", "b"}, lost)
		require.Equal(t, 1, strings.Count(log.String(), `msg="phone went" serial=a state=offline`))
		require.Contains(t, log.String(), `msg="phone came" serial=b state=device`)
		require.Equal(t, map[string]int{"device": 0}, p.count(nil))
		set(map[string]string{"c": "device"}, nil)
		next()
		for range serverGone/presenceEvery + 1 {
			require.NotContains(t, lost, "c", "it may be started again")
			set(nil, errors.New("no server"))
			next()
		}
		require.Equal(t, []string{"a", "b", "c"}, lost)
		cancel()
	})
}

func TestAStoreThatHangsMakesAServerUnready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		var drains bool
		h := &health{draining: func() bool { return drains },
			store:    func(ctx context.Context) error { asked.Add(1); <-ctx.Done(); return nil },
			pictures: func(context.Context) error { return nil },
			adb:      func(context.Context) error { return nil }}
		for range 3 {
			now := h.now(t.Context())
			require.False(t, now.OK)
			require.Equal(t, check{Says: "it does not answer", Took: 3000}, now.Checks["store"])
		}
		require.EqualValues(t, 1, asked.Load(), "who asks often does not make the store work")
		h.store = func(context.Context) error { return nil }
		time.Sleep(freshness)
		require.True(t, h.now(t.Context()).OK)
		drains = true
		require.Equal(t, "the server ends", h.now(t.Context()).Checks["draining"].Says)
		require.False(t, h.now(t.Context()).OK)
		synctest.Wait()
	})
}
