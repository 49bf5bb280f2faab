package queue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/store"
)

// leases are those of all processes, in memory.
type leases struct {
	mu    sync.Mutex
	holds map[string]store.Hold
	fails error
}

func (l *leases) Take(_ context.Context, serial, runID string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h, held := l.holds[serial]; held && h.RunID != runID {
		return &store.BusyError{Hold: h}
	}
	l.holds[serial] = store.Hold{Serial: serial, RunID: runID, SessionID: "session of " + runID}
	return l.fails
}

func (l *leases) Release(_ context.Context, serial, runID string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holds[serial].RunID == runID {
		delete(l.holds, serial)
	}
	return nil
}

func (l *leases) Holder(_ context.Context, serial string) (store.Hold, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h, held := l.holds[serial]
	return h, held, l.fails
}

// fixture is a line with the runs that got their turn, in order.
type fixture struct {
	*queue.Lines
	leases *leases

	mu          sync.Mutex
	turns, busy []string
}

func bubble(t *testing.T, f func(t *testing.T, w *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &leases{holds: map[string]store.Hold{}}
		f(t, &fixture{Lines: queue.New(l, slog.New(slog.DiscardHandler)), leases: l})
	})
}

// join lets a run wait for its turn, and tells of its end.
func (w *fixture) join(ctx context.Context, serial, run string) (*queue.Place, <-chan error) {
	p := w.Join(store.Session{ID: "session of " + run, Serial: serial}, store.Run{ID: run}, 0)
	ended := make(chan error, 1)
	go func() {
		err := w.Acquire(ctx, p, func() { w.note(&w.busy, run) })
		if err == nil {
			w.note(&w.turns, run)
		}
		ended <- err
	}()
	synctest.Wait()
	return p, ended
}

func (w *fixture) note(list *[]string, run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*list = append(*list, run)
}

func TestAPhoneGoesToTheRunsInTheOrderInWhichTheyCame(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for _, run := range []string{"r1", "r2", "r3"} {
			w.join(t.Context(), "A", run)
		}
		w.join(t.Context(), "B", "other")
		require.Equal(t, []string{"r1", "other"}, w.turns, "a phone has its own line")
		require.Equal(t, []string{"r2", "r3"}, w.busy)
		require.Equal(t, 0, w.Ahead("A", "r2"))
		require.Equal(t, 1, w.Ahead("A", "r3"))

		before := time.Now()
		w.Release(t.Context(), "A", "r1")
		synctest.Wait()
		w.Release(t.Context(), "A", "r2")
		synctest.Wait()
		require.Equal(t, []string{"r1", "other", "r2", "r3"}, w.turns)
		require.Equal(t, before, time.Now(), "who is next is woken at once")
	})
}

// A client with many runs does not keep others waiting for all of them.
func TestClientsTakeTurns(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for i, run := range []string{"a0", "a1", "a2", "a3", "b1", "c1", "b2", "a4", "c2"} {
			client := run[:1]
			p := w.Join(store.Session{ID: run, Serial: "A", Client: client}, store.Run{ID: run}, 0)
			go func() {
				assert.NoError(t, w.Acquire(t.Context(), p, func() {}))
				w.note(&w.turns, run)
			}()
			if synctest.Wait(); i == 0 {
				require.Equal(t, []string{"a0"}, w.turns, "the phone was free")
			}
		}
		for len(w.turns) < 9 {
			w.Release(t.Context(), "A", w.turns[len(w.turns)-1])
			synctest.Wait()
		}
		require.Equal(t, []string{"a0", "a1", "b1", "c1", "a2", "b2", "c2", "a3", "a4"}, w.turns)

		var goals []*queue.Place
		for range queue.Goals + 2 {
			goals = append(goals, w.Join(store.Session{Client: "a"}, store.Run{ID: "of a"}, 0))
		}
		w.Join(store.Session{Client: "b"}, store.Run{ID: "of b"}, 0)
		require.Equal(t, queue.Goals, w.Ahead("", "of b"), "before the goals that wait")
		for _, p := range goals {
			w.Leave(p)
		}
	})
}

// What a client ranks is ranked among its own runs: nobody else's waits for it any longer.
func TestARankCountsAmongTheRunsOfOneClient(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		began := time.Now()
		var places []*queue.Place
		for i, run := range []struct {
			id   string
			rank int
		}{{"a1", 0}, {"a2", -1}, {"b1", 0}, {"a3", 0}, {"a4", 1}, {"b2", 1}, {"a5", 1}, {"a6", -1}} {
			places = append(places, w.Join(store.Session{Serial: "A", Client: run.id[:1]},
				store.Run{ID: run.id, CreatedAt: began.Add(time.Duration(i) * time.Second)}, run.rank))
		}
		var line []string
		holds, err := w.Holders(t.Context(), "A")
		require.NoError(t, err)
		for _, h := range holds {
			line = append(line, h.RunID)
		}
		require.Equal(t, []string{"a4", "b2", "a5", "b1", "a1", "a3", "a2", "a6"}, line)
		for _, p := range places {
			w.Leave(p)
		}

		goals := []*queue.Place{}
		for range queue.Goals {
			goals = append(goals, w.Join(store.Session{Client: "a"}, store.Run{ID: "has a place"}, 0))
		}
		goals = append(goals, w.Join(store.Session{Client: "a"}, store.Run{ID: "low"}, -1),
			w.Join(store.Session{Client: "a"}, store.Run{ID: "high"}, 1))
		require.Equal(t, queue.Goals, w.Ahead("", "high"), "who has a place keeps it")
		require.Equal(t, queue.Goals+1, w.Ahead("", "low"))
		for _, p := range goals {
			w.Leave(p)
		}
	})
}

// A run that another worker has handed over was begun before some that wait here.
func TestAnOlderRunIsInFrontOfTheYoungerOnesOfItsClient(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		began := time.Now()
		for i, run := range []string{"a2", "b7", "a4", "a3", "a1", "b1", "c9", "a5", "a2 too"} {
			at := began.Add(time.Duration(run[1]) * time.Second)
			w.Join(store.Session{Serial: "A", Client: run[:1]}, store.Run{ID: run, CreatedAt: at}, 0)
			require.Less(t, w.Ahead("A", run), i+1)
		}
		var line []string
		all, err := w.Holders(t.Context(), "A")
		require.NoError(t, err)
		for _, h := range all {
			line = append(line, h.RunID)
		}
		require.Equal(t, []string{"a1", "b1", "c9", "a2", "b7", "a2 too", "a3", "a4", "a5"}, line)
	})
}

func TestAPhoneThatAnotherProcessGivesBackIsFound(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		require.NoError(t, w.leases.Take(t.Context(), "A", "theirs"))
		_, ended := w.join(t.Context(), "A", "r1")
		require.Equal(t, []string{"r1"}, w.busy)
		require.NoError(t, w.leases.Release(t.Context(), "A", "theirs"))
		began := time.Now()
		require.NoError(t, <-ended)
		require.LessOrEqual(t, time.Since(began), queue.Poll)
	})
}

func TestWhoLooksFirstDoesNotOvertakeWhoCameFirst(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		require.NoError(t, w.leases.Take(t.Context(), "A", "theirs"))
		w.join(t.Context(), "A", "r1")
		time.Sleep(queue.Poll * 3 / 10)
		w.join(t.Context(), "A", "r2")
		time.Sleep(queue.Poll * 8 / 10)
		require.NoError(t, w.leases.Release(t.Context(), "A", "theirs"))
		time.Sleep(queue.Poll) // r2 looks before r1 does
		synctest.Wait()
		require.Equal(t, []string{"r1"}, w.turns)
	})
}

func TestARunThatHasTakenItsPhoneDoesNotWait(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		require.NoError(t, w.leases.Take(t.Context(), "A", "r1"))
		_, first := w.join(t.Context(), "A", "r1")
		require.NoError(t, <-first)
		require.Empty(t, w.busy)
		busy, is := errors.AsType[*store.BusyError](w.leases.Take(t.Context(), "A", "r2"))
		require.True(t, is)
		require.Equal(t, "r1", busy.Hold.RunID)
	})
}

func TestAWaitEndsWithItsContextAndLeavesTheLine(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.join(t.Context(), "A", "r1")
		gone, cancel := context.WithCancelCause(t.Context())
		_, ended := w.join(gone, "A", "r2")
		w.join(t.Context(), "A", "r3")
		why := errors.New("stopped")
		cancel(why)
		require.ErrorIs(t, <-ended, why)
		require.Equal(t, 0, w.Ahead("A", "r3"))
		w.Release(t.Context(), "A", "r1")
		synctest.Wait()
		require.Equal(t, []string{"r1", "r3"}, w.turns)
	})
}

func TestAStoreThatFailsEndsTheWait(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.leases.fails = store.ErrDiskFull
		_, ended := w.join(t.Context(), "A", "r1")
		require.ErrorIs(t, <-ended, store.ErrDiskFull)
		holders, err := w.Holders(t.Context(), "A")
		require.ErrorIs(t, err, store.ErrDiskFull)
		require.Empty(t, holders)
	})
}

// There is one capacity of goals, with one line in front of it.
func TestGoalsHaveSoManyPlacesAndKeepThemUntilTheyLeave(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		var places []*queue.Place
		for i := range queue.Goals {
			_, held, err := w.Holder(t.Context(), "", "mine")
			require.NoError(t, err)
			require.False(t, held, "a place is left")
			p, _ := w.join(t.Context(), "", fmt.Sprint("g", i))
			places = append(places, p)
		}
		require.Len(t, w.turns, queue.Goals)
		h, held, err := w.Holder(t.Context(), "", "mine")
		require.NoError(t, err)
		require.True(t, held)
		require.Equal(t, "g0", h.RunID)
		_, held, err = w.Holder(t.Context(), "", "session of g3")
		require.NoError(t, err)
		require.False(t, held, "its own place counts for itself")

		w.join(t.Context(), "", "late")
		require.Equal(t, []string{"late"}, w.busy)
		w.Leave(places[2])
		synctest.Wait()
		require.Equal(t, "late", w.turns[queue.Goals])
		w.Leave(places[2])
		require.Equal(t, queue.Goals-1, w.Ahead("", "late"), "leaving twice changes nothing")
	})
}
