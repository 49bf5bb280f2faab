package store_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

func TestWritersAreServedInTheOrderInWhichTheyCame(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		slow := func() {}
		s := open(t, dir, &store.Options{Now: func() time.Time { slow(); return time.Now() }})
		let := make(chan struct{})
		release := sync.OnceFunc(func() { close(let) })
		defer release()
		slow = func() { <-let } // the clock is read within the transaction
		write := func(ctx context.Context, by string) error {
			return s.Audit.Append(ctx, store.AuditEntry{Event: store.AuditStopped, By: by})
		}
		const writers = 200
		failed := make(chan error, writers)
		gone, leave := context.WithCancelCause(t.Context())
		for i := range writers {
			ctx := t.Context()
			if i%10 == 7 {
				ctx = gone
			}
			go func() { failed <- write(ctx, strconv.Itoa(i)) }()
			synctest.Wait()
		}
		hungUp := errors.New("the caller hung up")
		leave(hungUp)
		synctest.Wait()
		require.Len(t, failed, writers/10, "they need not wait until their turn to leave the line")
		for range writers / 10 {
			require.ErrorIs(t, <-failed, hungUp)
		}
		release()
		for range writers - writers/10 {
			require.NoError(t, <-failed)
		}

		list, err := s.Audit.List(t.Context(), store.AuditFilter{})
		require.NoError(t, err)
		var got, want []string
		for _, e := range list {
			got = append(got, e.By)
		}
		for i := range writers {
			if i%10 != 7 {
				want = append(want, strconv.Itoa(i))
			}
		}
		require.Equal(t, want, got)
	})
}

// 200 runs write at once on a slow machine. Each write takes a second, and each has ten.
func TestALimitDoesNotCountWhileOthersHaveTheirTurn(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		pause := time.Duration(0)
		s := open(t, dir, &store.Options{Now: func() time.Time {
			time.Sleep(pause) // the clock is read within the transaction
			return time.Now()
		}})
		pause = time.Second
		late := errors.New("no answer within 10s")
		write := func() error {
			ctx, cancel := wait.Limit(t.Context(), 10*time.Second, late)
			defer cancel()
			return s.Audit.Append(ctx, store.AuditEntry{Event: store.AuditStopped})
		}
		const writers = 200
		failed := make(chan error, writers)
		for range writers {
			go func() { failed <- write() }()
		}
		for range writers {
			require.NoError(t, <-failed)
		}

		pause = 11 * time.Second // a line that does not move
		go func() { failed <- write() }()
		synctest.Wait()
		require.ErrorIs(t, write(), late)
		require.NoError(t, <-failed)
	})
}

func TestADatabaseThatDoesNotAnswerIsToldOnceAfterThreeSeconds(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var took time.Duration
		told := 0
		var s *store.Store
		var known bool
		now := func() time.Time {
			time.Sleep(took)
			known = took > 0 && s.Stalled()
			return time.Now()
		}
		s = open(t, dir, &store.Options{Now: now, Stalled: func() { told++ }})
		write := func() {
			require.NoError(t, s.Audit.Append(t.Context(),
				store.AuditEntry{Event: store.AuditStopped, By: "x"}))
			synctest.Wait()
		}
		took = 2 * time.Second
		write()
		require.Zero(t, told)
		require.False(t, known)
		took = 4 * time.Second
		write()
		require.Equal(t, 1, told)
		require.True(t, known)
		require.False(t, s.Stalled(), "it got through")
		write()
		require.Equal(t, 2, told, "one got through in between")
	})
}
