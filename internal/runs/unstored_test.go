package runs_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// locked holds the database's write lock, as another program may, until the returned function is
// called.
func (w *fixture) locked() (unlock func()) {
	w.t.Helper()
	held, let, done := make(chan struct{}), make(chan struct{}), make(chan error)
	// The clock is read within the transaction.
	o, err := store.Open(context.Background(), w.dir, &store.Options{Now: func() time.Time {
		close(held)
		<-let
		return time.Now()
	}})
	require.NoError(w.t, err)
	go func() {
		done <- o.Audit.Append(context.Background(),
			store.AuditEntry{Event: store.AuditStopped})
	}()
	<-held
	return func() {
		close(let)
		require.NoError(w.t, <-done)
		require.NoError(w.t, o.Close())
	}
}

// hasty makes a store that waits for such a lock in real time, and not for long.
func (w *fixture) hasty() {
	w.again(func(*runs.Options) { w.files.Patience = time.Millisecond })
}

func TestARunWhoseEndCannotBeStoredIsPausedAsSoonAsTheStoreAnswers(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.hasty()
		id := w.start("tap tap tap").Session.ID
		time.Sleep(1500 * time.Millisecond) // one step is stored, the model thinks about the next
		began := time.Now()
		unlock := w.locked()
		time.AfterFunc(45*time.Second, unlock)

		ended := w.wait(id)

		require.Less(t, time.Since(began), 45*time.Second, "told while the store does not answer")
		require.Equal(t, store.Paused, ended.Run.State)
		require.Equal(t, agentloop.StoreUnavailable, ended.Reason)
		require.Contains(t, ended.Message, "the run has ended as STORE_UNAVAILABLE, and this could "+
			"not be stored yet: moving the run to PAUSED: another program has locked the database")
		require.Contains(t, ended.Hint, "end what has taploop.db open")
		run, err := w.store.LatestRun(w.ctx(), id)
		require.NoError(t, err)
		require.Equal(t, store.Running, run.State)
		require.Equal(t, ended.Run, w.manager.Presented(run))
		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
		require.ErrorIs(t, err, store.ErrLocked, "refused in words, not for ever")
		for _, r := range []runs.StartRequest{{Task: "tap", Serial: "A"},
			{Task: "tap", Serial: "A", Client: "another"}, {Task: "tap", Serial: "any"},
			{Task: "tap", Serial: "A", Supersede: true}, {Task: "tap", Serial: "A", Queue: true}} {
			_, err = w.manager.Start(w.ctx(), r)
			require.Equal(t, runs.StoreUnavailable, runs.CodeOf(err), "%+v: %v", r, err)
			require.Contains(t, hint.Of(err), "end what has taploop.db open")
			require.NotContains(t, err.Error(), id)
		}
		require.Len(t, w.phones.phones["A"].done(), 1, "nothing is touched that is not noted")

		time.Sleep(time.Until(began.Add(46 * time.Second)))
		run, err = w.store.LatestRun(w.ctx(), id)
		require.NoError(t, err)
		require.Equal(t, store.Paused, run.State, "nobody has asked for that")
		require.Equal(t, agentloop.StoreUnavailable, run.StopReason)
		require.Contains(t, run.Error, "journaling the intent of step 2: another program has")
		next := w.start("tap").Session.ID
		require.Equal(t, store.Completed, w.wait(next).Run.State, "the phone is free")
		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
		require.NoError(t, err)
		require.Equal(t, store.Completed, w.wait(id).Run.State)
		require.Len(t, w.phones.phones["A"].done(), 4)
	})
}

// A farm has nobody who watches each run: one that the store has stopped is taken up by whichever
// machine's store takes writes again.
func TestInAFarmARunThatTheStoreStoppedContinuesByItself(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.files.Patience = time.Millisecond
		all := newFakePhones("P")
		worker := w.machine(all, "P")
		defer worker.close()
		st, err := worker.manager.Start(w.ctx(), runs.StartRequest{Task: "tap tap tap", Serial: "P",
			KeepEnvironment: true})
		require.NoError(t, err)
		time.Sleep(1500 * time.Millisecond) // one step is stored, the model thinks about the next
		unlock := w.locked()
		time.Sleep(10 * time.Second)
		asked := func() int {
			worker.policy.mu.Lock()
			defer worker.policy.mu.Unlock()
			return len(worker.policy.seen)
		}
		before := asked()
		time.Sleep(10 * time.Second)
		require.Equal(t, before, asked(), "no model is asked in vain")
		unlock()
		st = worker.wait(st.Session.ID)
		if st.Run.State == store.Paused { // its end is yet to be stored
			time.Sleep(time.Minute)
			st = worker.wait(st.Session.ID)
		}
		require.Equal(t, store.Completed, st.Run.State, "%s", st.Message)
		require.Len(t, all.phones["P"].done(), 3, "nothing is lost or repeated")
	})
}

func TestAnEndThatIsStoredLateIsTheTrueOne(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.hasty()
		var unlock func()
		w.again(func(o *runs.Options) {
			o.Observe = func(e runs.Event) {
				if e.Kind == agentloop.Ended && unlock == nil {
					unlock = w.locked()
				}
			}
		})
		id := w.start("tap").Session.ID
		ended := w.wait(id)
		require.Equal(t, agentloop.StoreUnavailable, ended.Reason,
			"what is not stored is not promised")
		require.Contains(t, ended.Message, "ended as TASK_COMPLETED_SUCCESSFULLY")
		unlock()
		time.Sleep(time.Minute)

		st := w.wait(id)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, "done ", st.Run.Answer)
		require.Equal(t, store.Completed, w.wait(w.start("tap").Session.ID).Run.State)
		synctest.Wait() // a run's goroutine goes on a little after its end is told
		require.Zero(t, w.manager.SessionsInUse())
	})
}

func TestAnEndThatIsNeverStoredIsToldByWhoeverOpensTheStoreNext(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.hasty()
		id := w.start("tap tap tap").Session.ID
		time.Sleep(1500 * time.Millisecond)
		unlock := w.locked()
		ended := w.wait(id)
		require.Equal(t, store.Paused, ended.Run.State)
		w.close()
		unlock()

		w.begin()
		require.NoError(t, w.manager.Recover(w.ctx()))

		st := w.wait(id)
		require.Equal(t, store.Paused, st.Run.State)
		require.Equal(t, agentloop.StoreUnavailable, st.Reason)
		require.Equal(t, ended.Message, st.Message)
		require.Equal(t, ended.Hint, st.Hint)
		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
		require.NoError(t, err)
		require.Equal(t, store.Completed, w.wait(id).Run.State)
		left, err := filepath.Glob(filepath.Join(w.dir, "owners", "*.end"))
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

func TestAnEndThatClosingCannotStoreIsToldLater(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.hasty()
		id := w.start("tap tap tap").Session.ID
		time.Sleep(1500 * time.Millisecond)
		unlock := w.locked()
		w.close()
		unlock()

		w.begin()
		require.NoError(t, w.manager.Recover(w.ctx()))

		st := w.wait(id)
		require.Equal(t, agentloop.StoreUnavailable, st.Reason)
		require.Contains(t, st.Message, "ended as SERVER_RESTARTED, and this could not be stored")
	})
}

func TestAStopWhileTheEndCannotBeStored(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.hasty()
		id := w.start("tap tap").Session.ID
		time.Sleep(1500 * time.Millisecond)
		unlock := w.locked()
		w.wait(id)

		_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id})
		require.ErrorIs(t, err, store.ErrLocked)
		unlock()
		st, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id})

		require.NoError(t, err)
		require.Equal(t, store.Cancelled, st.Run.State)
		time.Sleep(time.Minute)
		require.Equal(t, store.Cancelled, w.wait(id).Run.State, "a late try changes nothing")
	})
}

func TestAnAnswerThatCannotBeStoredAtOnceIsAppliedLater(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.hasty()
		st := w.wait(w.start("ask tap").Session.ID)
		var unlock func()
		require.NoError(t, w.manager.Close())
		w.opts.Broker = inquiry.NewBroker(slow{w.store.Questions, func() {
			unlock = w.locked()
		}}, nil)
		w.manager = runs.New(&w.opts)
		_, err := w.manager.Broker().Resolve(w.ctx(), st.Question.ID,
			inquiry.Reply{Response: "red", Channel: "page"})
		require.NoError(t, err)
		time.Sleep(45 * time.Second)
		unlock()
		time.Sleep(30 * time.Second)
		synctest.Wait()

		run, err := w.store.LatestRun(w.ctx(), st.Session.ID)
		require.NoError(t, err)
		require.Equal(t, "done red", run.Answer, "nobody has asked for that")
	})
}

// hastyAnswers are there before the run waits for them; seen is called when one is read again.
type hastyAnswers struct {
	inquiry.Store
	answer func(id string)
	seen   func(q inquiry.Question)
}

func (s hastyAnswers) Insert(ctx context.Context, q inquiry.Question) error {
	err := s.Store.Insert(ctx, q)
	if err == nil {
		s.answer(q.ID)
	}
	return err
}

func (s hastyAnswers) Get(ctx context.Context, id string) (inquiry.Question, error) {
	q, err := s.Store.Get(ctx, id)
	if err == nil {
		s.seen(q)
	}
	return q, err
}

// locksOnSight makes a Manager that finds the database locked as soon as it has seen the answer to
// a question for which a run waits, and that looks for what others settle once an hour.
func (w *fixture) locksOnSight(asked func(id string)) (unlock *func()) {
	w.hasty()
	require.NoError(w.t, w.manager.Close())
	unlock = new(func())
	var once sync.Once
	seen := func(q inquiry.Question) {
		run, err := w.store.LatestRun(w.ctx(), q.SessionID)
		require.NoError(w.t, err)
		if run.State.Waiting() && !q.Open() {
			once.Do(func() { *unlock = w.locked() })
		}
	}
	w.opts.Broker = inquiry.NewBroker(hastyAnswers{w.store.Questions, asked, seen},
		&inquiry.Options{Every: time.Hour})
	w.manager = runs.New(&w.opts)
	return unlock
}

// appliedLater checks that the answer reaches its run once the database is unlocked, by itself.
func (w *fixture) appliedLater(id string, unlock *func()) {
	w.t.Helper()
	time.Sleep(45 * time.Second)
	synctest.Wait()
	require.NotNil(w.t, *unlock, "the store was locked when the answer was to be brought")
	(*unlock)()
	time.Sleep(30 * time.Second)
	synctest.Wait()
	run, err := w.store.LatestRun(w.ctx(), id)
	require.NoError(w.t, err)
	require.Equal(w.t, "done red", run.Answer, "nobody has asked for that")
}

func TestAnAnswerThatWasThereBeforeTheRunWaitedIsAppliedLater(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		unlock := w.locksOnSight(func(id string) {
			_, err := w.opts.Broker.Resolve(w.ctx(), id,
				inquiry.Reply{Response: "red", Channel: "page"})
			require.NoError(t, err)
			time.Sleep(time.Second) // it is looked at, and the run does not wait yet
		})
		w.appliedLater(w.start("ask tap").Session.ID, unlock)
	})
}

func TestAnAnswerThatAWaitHasFoundIsAppliedLater(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		unlock := w.locksOnSight(func(string) {})
		st := w.wait(w.start("ask tap").Session.ID)
		_, err := w.store.Questions.Settle(w.ctx(), st.Question.ID, inquiry.Answered,
			inquiry.Resolution{Type: inquiry.TypeAnswer, Response: inquiry.Plain("red"),
				Channel: "page", At: time.Now()})
		require.NoError(t, err, "another process settles it")
		for range 3 {
			_, err = w.manager.Wait(w.ctx(),
				runs.WaitRequest{SessionID: st.Session.ID, Budget: 2 * time.Second})
			require.NoError(t, err)
		}
		w.appliedLater(st.Session.ID, unlock)
	})
}

func TestARunThatNobodyCarriesOutIsNotWaitedForForEver(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for _, state := range []store.State{store.Queued, store.Running} {
			sess, run, err := w.store.Begin(w.ctx(),
				store.Session{Serial: "A", Device: store.Device{ID: "A"}},
				store.Run{Task: "tap", MaxSteps: 5})
			require.NoError(t, err)
			if state == store.Running {
				_, err = w.store.Runs.Transition(w.ctx(), run.ID, store.Change{To: state})
				require.NoError(t, err)
			}
			require.NoError(t, w.store.Leases.Take(w.ctx(), "A", run.ID))

			st := w.wait(sess.ID)

			require.Equal(t, store.Paused, st.Run.State)
			require.Less(t, st.Waited, time.Minute)
			require.Equal(t, store.Completed, w.wait(w.start("tap").Session.ID).Run.State)
		}
	})
}
