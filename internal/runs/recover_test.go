package runs_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// beside is a second Manager on the same data folder and the same phones, as another process has
// one.
func (w *fixture) beside() *fixture {
	o := &fixture{
		t:      w.t,
		dir:    w.dir,
		phones: w.phones,
		policy: &scriptedPolicy{think: time.Second},
		opts:   w.opts,
	}
	o.opts.Observe = nil
	o.opts.NewPolicy = o.policy.make
	o.begin()
	return o
}

func TestTwoManagersContendForAPhone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		o := w.beside()
		defer o.close()
		first := w.start("tap tap tap").Session.ID
		_, err := o.manager.Start(o.ctx(), runs.StartRequest{Task: "tap"})
		var e *runs.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, runs.DeviceBusy, e.Code)
		require.Equal(t, first, e.Holder.SessionID)

		second, err := o.manager.Start(o.ctx(),
			runs.StartRequest{Task: "tap", Queue: true, KeepEnvironment: true})
		require.NoError(t, err)
		began := time.Now()
		require.Equal(t, store.Completed, o.wait(first).Run.State, "waited for across processes")
		require.Less(t, time.Since(began), 5*time.Second)
		require.Equal(t, store.Completed, w.wait(second.Session.ID).Run.State)
		require.Len(t, w.phones.phones["A"].done(), 4)
	})
}

func TestManyManagersStartAtOnceAndOneGetsThePhone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := []*fixture{w}
		for range 3 {
			o := w.beside()
			defer o.close()
			all = append(all, o)
		}
		errs := make(chan error, 20)
		for i := range 20 {
			go func() {
				_, err := all[i%4].manager.Start(w.ctx(), runs.StartRequest{Task: "forever"})
				errs <- err
			}()
		}
		won := 0
		for range 20 {
			if err := <-errs; err == nil {
				won++
			} else {
				require.Equal(t, runs.DeviceBusy, runs.CodeOf(err), "%v", err)
			}
		}
		require.Equal(t, 1, won)
		sessions, err := w.store.Sessions(w.ctx(), store.Filter{})
		require.NoError(t, err)
		require.Len(t, sessions, 1, "nothing is left of the others")
	})
}

func TestARunIsStoppedFromAnotherProcess(t *testing.T) {
	for _, mode := range []runs.StopMode{runs.Cancel, runs.Pause} {
		bubble(t, func(t *testing.T, w *fixture) {
			o := w.beside()
			defer o.close()
			id := w.start("forever").Session.ID
			time.Sleep(2500 * time.Millisecond)

			st, err := o.manager.Stop(o.ctx(), runs.StopRequest{SessionID: id, Mode: mode})
			require.NoError(t, err)
			touched := len(w.phones.phones["A"].done())
			time.Sleep(time.Minute)

			require.Len(t, w.phones.phones["A"].done(), touched, "not one more")
			now, err := w.manager.Status(w.ctx(), id)
			require.NoError(t, err)
			require.Equal(t, st.Run.State, now.Run.State)
			require.Equal(t, st.Reason, now.Reason)
			next := w.start("tap").Session.ID
			require.Equal(t, store.Completed, w.wait(next).Run.State, "the phone is free")
		})
	}
}

// noticed is a policy that tells when a request of the model is over.
type noticed struct {
	agentloop.Policy
	over chan error
}

func (n noticed) Next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	p, err := n.Policy.Next(ctx, s)
	n.over <- err
	return p, err
}

func TestAStopFromAnotherProcessDoesNotWaitForTheModel(t *testing.T) {
	for mode, want := range map[runs.StopMode]store.State{runs.Cancel: store.Cancelled,
		runs.Pause: store.Paused} {
		bubble(t, func(t *testing.T, w *fixture) {
			model := noticed{w.policy, make(chan error, 1)}
			w.policy.think = time.Hour
			w.again(func(o *runs.Options) {
				o.NewPolicy = func(runs.Settings) (agentloop.Policy, error) { return model, nil }
			})
			o := w.beside()
			defer o.close()
			thinking := w.start("tap").Session.ID
			queued, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Queue: true})
			require.NoError(t, err)
			for _, id := range []string{queued.Session.ID, thinking} {
				time.Sleep(time.Minute)
				waited := make(chan runs.Status, 1)
				go func() { waited <- w.wait(id) }()
				synctest.Wait()
				began := time.Now()

				_, err := o.manager.Stop(o.ctx(), runs.StopRequest{SessionID: id, Mode: mode})

				require.NoError(t, err)
				require.Equal(t, want, (<-waited).Run.State)
				require.LessOrEqual(t, time.Since(began), time.Second, "the call that waits")
				if id == thinking {
					require.ErrorIs(t, <-model.over, context.Canceled)
					require.LessOrEqual(t, time.Since(began), time.Second, "the model's request")
				}
			}
			synctest.Wait()
			require.Zero(t, w.phones.phones["A"].open, "the phone is left alone")
		})
	}
}

func TestALifeWhosePlaceAnotherTookDoesNotGiveThePhoneBack(t *testing.T) {
	for name, next := range map[string]func(w, o *fixture) *runs.Manager{
		"in another process": func(_, o *fixture) *runs.Manager { return o.manager },
		"in the same one":    func(w, _ *fixture) *runs.Manager { return w.manager },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				o := w.beside()
				defer o.close()
				w.policy.think = time.Hour
				id := w.start("forever").Session.ID
				time.Sleep(time.Minute)
				w.policy.mu.Lock()
				w.policy.think = time.Second
				w.policy.mu.Unlock()
				_, err := o.manager.Stop(o.ctx(),
					runs.StopRequest{SessionID: id, Mode: runs.Pause})
				require.NoError(t, err)

				_, err = next(w, o).Continue(w.ctx(),
					runs.ContinueRequest{SessionID: id, MaxSteps: 30})
				require.NoError(t, err)
				time.Sleep(5 * time.Second) // the former life has noticed by now

				_, err = w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap"})
				require.Equal(t, runs.DeviceBusy, runs.CodeOf(err))
				require.Equal(t, 1, w.phones.phones["A"].open, "the former life is over")
				st := w.wait(id)
				require.Equal(t, agentloop.MaxStepsReached, st.Reason)
				require.Len(t, w.phones.phones["A"].done(), 30)
			})
		})
	}
}

func TestAnAnswerFromAnotherProcessResumesTheRunOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		o := w.beside()
		defer o.close()
		st := w.wait(w.start("ask tap").Session.ID)

		o.reply(st.Session.ID, "red")

		require.Equal(t, "done red", w.wait(st.Session.ID).Run.Answer)
		require.Len(t, w.phones.phones["A"].done(), 1)
		require.Len(t, w.wait(st.Session.ID).Run.Progress.Exchanges, 1)
	})
}

func TestARunThatIsAboutToBeLaunchedIsLeftAlone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		sess, _, err := w.store.Begin(w.ctx(),
			store.Session{Serial: "A", Device: store.Device{ID: "A"}},
			store.Run{Task: "tap", MaxSteps: 5})
		require.NoError(t, err)

		st, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: sess.ID})
		require.NoError(t, err)
		require.Equal(t, store.Queued, st.Run.State)

		time.Sleep(time.Minute) // nobody has launched it
		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: sess.ID})
		require.NoError(t, err)
		require.Equal(t, store.Completed, w.wait(sess.ID).Run.State)
	})
}

// slow is a store of questions where something happens between accepting an answer and telling so.
type slow struct {
	inquiry.Store
	then func()
}

func (s slow) Settle(ctx context.Context, id string, to inquiry.Status,
	r inquiry.Resolution) (inquiry.Question, error) {
	q, err := s.Store.Settle(ctx, id, to, r)
	if err == nil {
		s.then()
	}
	return q, err
}

func TestAnotherProcessMayBeFasterInApplying(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		o := w.beside()
		defer o.close()
		require.NoError(t, w.manager.Close())
		var id string
		w.opts.Broker = inquiry.NewBroker(slow{w.store.Questions, func() {
			_, err := o.manager.Continue(o.ctx(), runs.ContinueRequest{SessionID: id})
			require.NoError(t, err)
		}}, nil)
		w.manager = runs.New(&w.opts)
		st := w.wait(w.start("ask tap").Session.ID)
		id = st.Session.ID

		st = w.reply(st.Session.ID, "red")

		require.Contains(t, []store.State{store.Queued, store.Running}, st.Run.State)
		require.Equal(t, o.store.Owner.ID, st.Run.Owner)
		st = w.wait(st.Session.ID)
		require.Equal(t, "done red", st.Run.Answer)
		require.Len(t, st.Run.Progress.Exchanges, 1)
	})
}

func TestManyProcessesApplyAnAnswerOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		o := w.beside()
		defer o.close()
		for range 10 {
			st := w.wait(w.start("ask").Session.ID)
			require.NoError(t,
				o.manager.Broker().Sweep(o.ctx(), time.Now())) // it knows of the question now
			var wg sync.WaitGroup
			wg.Go(func() {
				for range 20 {
					_ = o.manager.Broker().Sweep(o.ctx(), time.Now())
				}
			})
			w.reply(st.Session.ID, "red")
			wg.Wait()
			st = w.wait(st.Session.ID)
			require.Equal(t, "done red", st.Run.Answer)
			require.Len(t, st.Run.Progress.Exchanges, 1)
		}
	})
}

func TestAnotherProcessLeavesARunThatGoesOnAlone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		o := w.beside()
		defer o.close()
		id := w.start("tap tap").Session.ID
		time.Sleep(500 * time.Millisecond)

		st, err := o.manager.Continue(o.ctx(), runs.ContinueRequest{SessionID: id})
		require.NoError(t, err)
		require.Equal(t, agentloop.StillRunning, st.Reason)
		_, err = o.manager.Continue(o.ctx(), runs.ContinueRequest{SessionID: id, Task: "another"})
		require.Equal(t, runs.RunInProgress, runs.CodeOf(err))
		require.NoError(t, o.manager.Recover(o.ctx()))

		require.Equal(t, store.Completed, w.wait(id).Run.State)
	})
}

func TestARunWhoseEndCouldNotBeStoredCanBeGoneOnWith(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		sess, run, err := w.store.Begin(w.ctx(),
			store.Session{Serial: "A", Device: store.Device{ID: "A"}},
			store.Run{Task: "tap", MaxSteps: 5})
		require.NoError(t, err)
		require.NoError(t, w.store.Leases.Take(w.ctx(), "A", run.ID))
		_, err = w.store.Runs.Transition(w.ctx(), run.ID, store.Change{To: store.Running})
		require.NoError(t, err)

		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: sess.ID})
		require.NoError(t, err)

		require.Equal(t, store.Completed, w.wait(sess.ID).Run.State)
	})
}

func TestAnAnswerBetweenWaitingAndLeavingStartsTheNextLife(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		requeued := make(chan struct{})
		waiting := false
		w.again(func(o *runs.Options) {
			o.Observe = func(e runs.Event) {
				switch {
				case e.Kind != runs.StateChanged:
				case e.State == store.WaitingReply:
					waiting = true
					_, err := w.manager.Broker().
						Resolve(w.ctx(), w.questions(e.SessionID)[0].ID,
							inquiry.Reply{Response: "red", Channel: "http"})
					require.NoError(t, err)
					<-requeued
				case waiting && e.State == store.Queued:
					close(requeued)
				}
			}
		})
		id := w.start("ask tap tap").Session.ID
		time.Sleep(1500 * time.Millisecond)

		st, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})

		require.NoError(t, err)
		require.Equal(t, store.Running, st.Run.State)
		require.Equal(t, "done red", w.wait(id).Run.Answer)
	})
}

func TestAnAnswerAcceptedWhileNobodyRanIsAppliedOnRecovery(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask tap").Session.ID)
		require.NoError(t, w.manager.Close())
		_, err := w.manager.Broker().
			Resolve(w.ctx(), st.Question.ID, inquiry.Reply{Response: "blue", Channel: "http"})
		require.NoError(t, err)
		w.close()
		w.begin()
		require.Equal(t, "WAITING_REPLY STILL_RUNNING", w.now(st.Session.ID),
			"nobody is asked any more")

		require.NoError(t, w.manager.Recover(w.ctx()))
		synctest.Wait()

		require.Equal(t, "done blue", w.wait(st.Session.ID).Run.Answer)
		require.NoError(t, w.manager.Recover(w.ctx()))
		require.Len(t, w.wait(st.Session.ID).Run.Progress.Exchanges, 1)
	})
}

func TestAnAnswerAcceptedWhileNobodyRanIsAppliedByContinue(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask tap").Session.ID)
		require.NoError(t, w.manager.Close())
		_, err := w.manager.Broker().
			Resolve(w.ctx(), st.Question.ID, inquiry.Reply{ID: "r1", Response: "blue",
				Channel: "http"})
		require.NoError(t, err)
		w.close()
		w.begin()

		got, err := w.manager.Continue(
			w.ctx(),
			runs.ContinueRequest{
				SessionID: st.Session.ID,
				Reply:     &inquiry.Reply{Response: "blue", ID: "r1"},
			},
		)
		require.NoError(t, err)
		require.True(t, got.Replayed)
		require.Equal(t, "done blue", w.wait(st.Session.ID).Run.Answer)
	})
}

func TestASecretThatWasGivenWhileNoServerRanIsErased(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		q, err := w.manager.Broker().
			Open(w.ctx(), inquiry.Question{Kind: inquiry.KindInquiry, Client: "kim",
				Text:   "the code?",
				Secret: true})
		require.NoError(t, err)
		require.NoError(t, w.manager.Close())
		_, err = inquiry.NewBroker(w.store.Questions, nil).
			Resolve(w.ctx(), q.ID, inquiry.Reply{Response: "s3cr3t"})
		require.NoError(t, err)
		require.NoError(t, w.store.Close())
		w.begin()

		require.NoError(t, w.manager.Recover(w.ctx()))
		q, err = w.manager.Broker().Get(w.ctx(), q.ID)
		require.NoError(t, err)
		require.False(t, q.AppliedAt.IsZero())
		require.Empty(t, q.Resolution.Response.Reveal())
	})
}

// A short command beside a server must not take over what the server is to go on with.
func TestAnAnswerIsForTheProcessThatCarriesTheRunOut(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask tap").Session.ID)
		o := w.beside()
		require.NoError(t,
			o.manager.Broker().Sweep(o.ctx(), time.Now())) // it knows of the question
		_, err := inquiry.NewBroker(w.store.Questions, nil).
			Resolve(w.ctx(), st.Question.ID, inquiry.Reply{Response: "red"})
		require.NoError(t, err)

		require.NoError(t, o.manager.Broker().Sweep(o.ctx(), time.Now()))
		synctest.Wait()
		now, err := w.manager.Status(w.ctx(), st.Session.ID)
		require.NoError(t, err)
		// The server's own look at its questions may have come by now: the run is its in any case.
		require.Equal(t, w.store.Owner.ID, now.Run.Owner, "it is not for the other one")

		require.NoError(t, w.manager.Broker().Sweep(w.ctx(), time.Now()))
		require.Equal(t, "done red", w.wait(st.Session.ID).Run.Answer)
		o.close()

		// Once its process is gone, anybody may.
		st = w.wait(w.start("ask tap").Session.ID)
		o = w.beside()
		defer o.close()
		require.NoError(t, o.manager.Broker().Sweep(o.ctx(), time.Now()))
		w.close()
		defer w.begin() // for the end of the test
		_, err = o.manager.Broker().
			Resolve(o.ctx(), st.Question.ID, inquiry.Reply{Response: "blue"})
		require.NoError(t, err)
		require.Equal(t, "done blue", o.wait(st.Session.ID).Run.Answer)
	})
}
