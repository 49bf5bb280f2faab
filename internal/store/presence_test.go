package store_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
	"github.com/taploop/taploop/internal/wait"
)

// stunned is a store whose process is alive and says so no longer, and a run of it on a phone.
func stunned(t *testing.T, dir string) (*store.Store, store.Run) {
	s := open(t, dir, &store.Options{TTL: 30 * time.Millisecond})
	_, r, err := s.Begin(t.Context(), store.Session{Serial: "emu-1", Device: device},
		store.Run{Task: "set an alarm"})
	require.NoError(t, err)
	require.NoError(t, s.Leases.Take(t.Context(), "emu-1", r.ID))
	r, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running})
	require.NoError(t, err)
	s.Owner.Stun()
	return s, r
}

func TestAPhoneIsTakenFromAWorkerThatRenewsNoLonger(t *testing.T) {
	dir := t.TempDir()
	away, left := stunned(t, dir)
	j := away.Journal(left)
	require.NoError(t, j.Intent(t.Context(), step(t, 1, actions.Home{})))
	s := open(t, dir, &store.Options{Margin: time.Millisecond})
	r := started(t, s)
	for s.Leases.Take(t.Context(), "emu-1", r.ID) != nil {
		require.NoError(t, wait.For(t.Context(), 5*time.Millisecond))
	}
	require.ErrorIs(t, j.Intent(t.Context(), step(t, 2, actions.Home{})), store.ErrFenced,
		"it comes back too late")
	require.ErrorIs(t, away.Journal(left).Intent(t.Context(), step(t, 2, actions.Home{})),
		store.ErrFenced, "also one that has written nothing yet")
	h, held, err := s.Leases.Holder(t.Context(), "emu-1")
	require.NoError(t, err)
	require.True(t, held)
	require.Equal(t, r.ID, h.RunID)
	recovered, err := s.Runs.Recover(t.Context())
	require.NoError(t, err)
	require.Len(t, recovered, 1)
	require.Equal(t, left.ID, recovered[0].ID)
	require.Equal(t, store.Paused, recovered[0].State)
	require.Equal(t, `go to the home screen`, recovered[0].Progress.Notes[0].Action, "its outcome is not known")
}

// The fence of a lease is another than that of the run: whoever gave the phone up cannot write for
// it, though the run has no other life yet.
func TestAWriterNeedsTheLeaseOfItsPhone(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	require.NoError(t, s.Leases.Take(t.Context(), "emu-1", r.ID))
	j := s.Journal(r)
	require.NoError(t, j.Intent(t.Context(), step(t, 1, actions.Home{})))
	require.NoError(t, s.Leases.Release(t.Context(), "emu-1", r.ID))
	require.ErrorIs(t, j.Intent(t.Context(), step(t, 2, actions.Home{})), store.ErrFenced)
}

func TestAWorkerThatRenewsNoLongerMayNotWriteToPhones(t *testing.T) {
	dir := t.TempDir()
	s, r := stunned(t, dir)
	lapsed := make(chan struct{}, 9)
	s.Owner.OnLapse(func() { lapsed <- struct{}{} })
	require.True(t, s.Owner.May(nil), "it touches none")
	untouched := touching(t, s, "emu-1", r)
	for s.Owner.Left() > 0 {
		require.NoError(t, wait.For(t.Context(), time.Millisecond))
	}
	over := make(chan struct{})
	close(over)
	require.False(t, s.Owner.May(over))
	s.Owner.Lapse()
	<-lapsed

	// Nobody has taken the phone: it may go on.
	require.NoError(t, s.Owner.Wake(t.Context(), time.Hour))
	require.True(t, s.Owner.May(over))

	// Another has: it may not before the run that lost its phone has ended here.
	require.NoError(t, s.Leases.Release(t.Context(), "emu-1", r.ID))
	require.NoError(t, s.Owner.Wake(t.Context(), time.Hour))
	require.False(t, s.Owner.May(over))

	// This process has the phone again, for its next run, or for the same one.
	for _, next := range []store.Run{started(t, s), r} {
		require.NoError(t, s.Leases.Take(t.Context(), "emu-1", next.ID))
		ended := touching(t, s, "emu-1", next)
		require.NoError(t, s.Owner.Wake(t.Context(), time.Hour))
		require.False(t, s.Owner.May(over), "the run that lost it has not ended yet")
		ended()
		require.NoError(t, s.Leases.Release(t.Context(), "emu-1", next.ID))
	}
	untouched()
	require.True(t, s.Owner.May(over))
}

// touching is a life of the run, which has the phone.
func touching(t *testing.T, s *store.Store, serial string, r store.Run) (done func()) {
	done, err := s.Owner.Touching(t.Context(), serial, r.ID)
	require.NoError(t, err)
	return done
}

// Another process ends the run, or leaves it to whoever claims it, while its worker is in the
// middle of a gesture: nobody else has the phone before that worker has let go.
func TestAPhoneIsItsWorkersUntilItLetsGo(t *testing.T) {
	dir := t.TempDir()
	worker, other := open(t, dir, nil), open(t, dir, nil)
	move := func(s *store.Store, r store.Run, c store.Change) store.Run {
		r, err := s.Runs.Transition(t.Context(), r.ID, c)
		require.NoError(t, err)
		return r
	}
	for serial, leave := range map[string]func(r store.Run) (taker store.Run){
		"cancelled": func(r store.Run) store.Run {
			move(other, r, store.Change{To: store.Cancelled})
			return started(t, other)
		},
		"requeued": func(r store.Run) store.Run {
			move(other, r, store.Change{To: store.Paused})
			move(other, r, store.Change{To: store.Queued, Unowned: true})
			return move(other, r, store.Change{To: store.Queued, Claim: true})
		},
	} {
		r := started(t, worker)
		require.NoError(t, worker.Leases.Take(t.Context(), serial, r.ID))
		defer touching(t, worker, serial, r)()
		taker := leave(r)
		require.NoError(t, other.Leases.Release(t.Context(), serial, r.ID))
		err := other.Leases.Take(t.Context(), serial, taker.ID)
		var busy *store.BusyError
		require.ErrorAs(t, err, &busy, serial)
		require.Equal(t, r.ID, busy.RunID)
		require.NoError(t, other.Leases.LetGo(t.Context(), r.ID), "it is not the other's to let go")
		require.Error(t, other.Leases.Take(t.Context(), serial, taker.ID))
		require.NoError(t, worker.Leases.LetGo(t.Context(), r.ID))
		require.NoError(t, other.Leases.Take(t.Context(), serial, taker.ID), serial)
		require.ErrorIs(t, worker.Journal(r).Intent(t.Context(), step(t, 1, actions.Home{})),
			store.ErrFenced, serial)
	}
}

// A worker that lives has its phones until it lets go. One that it does not know to be its own,
// because the answer to a change was lost, it lets go at its next renewal.
func TestAPhoneThatNothingOfItsWorkerTouchesIsLetGo(t *testing.T) {
	dir := t.TempDir()
	worker, other := open(t, dir, nil), open(t, dir, nil)
	r, taker := started(t, worker), started(t, other)
	taken := func() bool {
		require.NoError(t, worker.Owner.Renew(t.Context()))
		err := other.Leases.Take(t.Context(), "emu-1", taker.ID)
		busy := (*store.BusyError)(nil)
		require.True(t, err == nil || errors.As(err, &busy), "%v", err)
		return err == nil
	}
	require.NoError(t, worker.Leases.Take(t.Context(), "emu-1", r.ID))
	require.False(t, taken(), "its run is about to begin")
	untouched := touching(t, worker, "emu-1", r)
	_, err := other.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Cancelled})
	require.NoError(t, err)
	require.False(t, taken(), "it may be in the middle of a gesture")
	untouched()
	require.True(t, taken())
}

// The machines' clocks are minutes apart, and are set while a worker has its phone: nobody takes it
// from a worker that renews, and somebody does from one that does not.
func TestNoClockOfAMachineSaysWhoHasAPhone(t *testing.T) {
	for name, apart := range map[string]time.Duration{"forth": time.Hour, "back": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			var set atomic.Int64
			clock := func(own time.Duration) func() time.Time {
				return func() time.Time { return time.Now().Add(own + time.Duration(set.Load())) }
			}
			dir := t.TempDir()
			worker := open(t, dir, &store.Options{TTL: time.Minute, Now: clock(0)})
			other := open(t, dir, &store.Options{Margin: time.Millisecond, Now: clock(apart)})
			r, taker := started(t, worker), started(t, other)
			require.NoError(t, worker.Leases.Take(t.Context(), "emu-1", r.ID))
			defer touching(t, worker, "emu-1", r)()
			worker.Owner.Stun() // the test renews
			for range 3 {
				require.Error(t, other.Leases.Take(t.Context(), "emu-1", taker.ID))
				require.NoError(t, worker.Owner.Wake(t.Context(), time.Minute))
				set.Add(int64(apart))
			}
			require.True(t, worker.Owner.May(nil))
			require.NoError(t, worker.Owner.Wake(t.Context(), 30*time.Millisecond), "the last one")
			for other.Leases.Take(t.Context(), "emu-1", taker.ID) != nil {
				require.NoError(t, wait.For(t.Context(), 5*time.Millisecond))
			}
		})
	}
}

// The deadlines of a question are by the clock of the machine that has asked it. Others, whose
// clocks may be minutes ahead, settle it by theirs only once that one is dead.
func TestAQuestionIsOverByTheClockOfWhoAsked(t *testing.T) {
	dir := t.TempDir()
	asks, err := store.Open(t.Context(), dir, storetest.On(t, dir, nil))
	require.NoError(t, err)
	other := open(t, dir, nil)
	r := started(t, asks)
	q := ask(t, inquiry.NewBroker(asks.Questions, &inquiry.Options{Attention: time.Minute,
		TTL: 5 * time.Minute}), r, inquiry.Question{OnTimeout: inquiry.GoOn})
	ahead := inquiry.NewBroker(other.Questions, nil)
	later := time.Now().Add(10 * time.Minute)
	require.NoError(t, ahead.Sweep(t.Context(), later))
	q, err = other.Questions.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, inquiry.Pending, q.Status)

	require.NoError(t, asks.Close())
	require.NoError(t, ahead.Sweep(t.Context(), later))
	q, err = other.Questions.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, inquiry.Expired, q.Status)
}

// Whoever has watched a machine that died says so to all, who need not watch it then.
func TestAMachineThatDiedIsListedAsGoneForADay(t *testing.T) {
	dir := t.TempDir()
	var set atomic.Int64
	later := func() time.Time { return time.Now().Add(time.Duration(set.Load())) }
	up := func(name string, o *store.Options) *store.Store {
		s := open(t, dir, o)
		require.NoError(t, s.Farm.Announce(t.Context(), store.Worker{Name: name, Phones: []byte("[]")}))
		return s
	}
	listed := func(s *store.Store) (names []string) {
		list, err := s.Farm.Workers(t.Context())
		require.NoError(t, err)
		for _, w := range list {
			if w.Gone {
				w.Name += " gone"
			}
			names = append(names, w.Name)
		}
		return names
	}
	away := up("berlin", &store.Options{TTL: 30 * time.Millisecond})
	s := up("kitchen", &store.Options{Margin: time.Millisecond, Now: later})
	require.Equal(t, []string{"berlin", "kitchen"}, listed(s))
	away.Owner.Stun()
	require.NoError(t, away.Owner.Wake(t.Context(), 30*time.Millisecond)) // if it was idle already
	dies := func() {
		for listed(s)[0] != "berlin gone" {
			require.NoError(t, wait.For(t.Context(), 5*time.Millisecond))
		}
		require.Equal(t, []string{"berlin gone", "kitchen"}, listed(s), "it stays so")
	}
	dies()
	require.Equal(t, []string{"berlin gone", "kitchen"}, listed(open(t, dir, nil)), "to a newcomer")
	require.NoError(t, away.Owner.Wake(t.Context(), time.Hour))
	require.Equal(t, []string{"berlin", "kitchen"}, listed(s), "it was only away")
	require.Equal(t, []string{"berlin", "kitchen"}, listed(open(t, dir, nil)))

	closes := func(what string) {
		_, err := s.Farm.SetClosed(t.Context(), what, true,
			store.AuditEntry{Event: store.AuditDrained})
		require.NoError(t, err)
	}
	closed := func() map[string]bool {
		all, err := s.Farm.Closed(t.Context())
		require.NoError(t, err)
		return all
	}
	closes(store.ClosedPhone + "emu-1")
	closes(store.ClosedWorker + away.Owner.ID)
	require.NoError(t, away.Owner.Wake(t.Context(), 30*time.Millisecond), "for the last time")
	dies()
	require.True(t, closed()[store.ClosedWorker+away.Owner.ID], "it is listed as drained")
	set.Add(int64(25 * time.Hour))
	require.Equal(t, []string{"kitchen"}, listed(s))
	require.Equal(t, map[string]bool{store.ClosedPhone + "emu-1": true}, closed())
	set.Add(-int64(25 * time.Hour))
	require.Equal(t, []string{"kitchen"}, listed(s), "it is forgotten")

	dead := up("paris", &store.Options{TTL: 30 * time.Millisecond})
	dead.Owner.Stun()
	require.NoError(t, dead.Owner.Wake(t.Context(), 30*time.Millisecond))
	for len(listed(s)) != 2 || listed(s)[1] != "paris gone" {
		require.NoError(t, wait.For(t.Context(), 5*time.Millisecond))
	}
	anew, err := store.Open(t.Context(), dir, storetest.On(t, dir, nil))
	require.NoError(t, err)
	require.NoError(t, anew.Farm.Announce(t.Context(), store.Worker{Name: "paris"}))
	require.Equal(t, []string{"kitchen", "paris"}, listed(s), "it is there again, under its name")
	closes(store.ClosedWorker + anew.Owner.ID)
	require.NoError(t, anew.Close())
	require.Equal(t, []string{"kitchen"}, listed(s), "this one has gone by itself")
	require.Equal(t, map[string]bool{store.ClosedPhone + "emu-1": true}, closed())
}

func TestAnIdleMachineWritesNoRenewals(t *testing.T) {
	s := open(t, t.TempDir(), &store.Options{TTL: time.Millisecond})
	r := started(t, s)
	_, err := s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Completed})
	require.NoError(t, err)
	for n := 1; n > 0 && s.Alone(); {
		require.NoError(t, wait.For(t.Context(), time.Millisecond))
		require.NoError(t, s.Raw().QueryRow("SELECT count(*) FROM leases").Scan(&n))
	}
}
