package runs_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

func TestABusyPhoneIsRefusedWithItsHolder(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		first := w.start("forever")
		time.Sleep(5 * time.Second)
		before := w.facts()

		_, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap"})

		var e *runs.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, runs.DeviceBusy, e.Code)
		require.Equal(t, first.Session.ID, e.Holder.SessionID)
		require.Equal(t, store.Running, e.Holder.State)
		require.ErrorContains(t, err, "RUNNING and has had it for 5s")
		require.NotEmpty(t, hint.Of(err))
		require.Equal(t, before, w.facts())
	})
}

func TestQueuedRunsHaveTheirTurnInOrder(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		ids := []string{w.start("tap tap").Session.ID}
		for range 3 {
			st, err := w.manager.Start(w.ctx(),
				runs.StartRequest{Task: "tap", KeepEnvironment: true, Queue: true})
			require.NoError(t, err)
			require.Equal(t, store.Queued, st.Run.State)
			require.Equal(t, agentloop.StillRunning, st.Reason)
			ids = append(ids, st.Session.ID)
			time.Sleep(time.Millisecond)
		}
		st, err := w.manager.Status(w.ctx(), ids[3])
		require.NoError(t, err)
		require.Equal(t, 2, st.Ahead)
		require.Equal(t, 1, w.phones.phones["A"].open, "who waits for the phone leaves it alone")
		_, err = w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap"})
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err))

		var ended []time.Time
		for _, id := range ids {
			st := w.wait(id)
			require.Equal(t, store.Completed, st.Run.State)
			ended = append(ended, st.Run.EndedAt)
		}
		for i := range 3 {
			require.Equal(t, 2*time.Second, ended[i+1].Sub(ended[i]).Round(100*time.Millisecond),
				"at once")
		}
	})
}

func TestTheNextInLineHasThePhoneAsSoonAsAWaitingSessionIsStopped(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		asking := w.wait(w.start("ask").Session.ID).Session.ID
		st, err := w.manager.Start(w.ctx(),
			runs.StartRequest{Task: "tap", KeepEnvironment: true, Queue: true})
		require.NoError(t, err)
		time.Sleep(1500 * time.Millisecond)
		began := time.Now()
		_, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: asking})
		require.NoError(t, err)

		w.wait(st.Session.ID)

		require.Equal(t, 2*time.Second, time.Since(began))
	})
}

// A run that waits for a person keeps its phone: nobody in the line is in front of it.
func TestAWaitingRunIsAnsweredWhileOthersQueue(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		asking := w.wait(w.start("ask").Session.ID).Session.ID
		next, err := w.manager.Start(w.ctx(),
			runs.StartRequest{Task: "tap", KeepEnvironment: true, Queue: true})
		require.NoError(t, err)
		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: asking,
			Reply: &inquiry.Reply{Response: "42"}})
		require.NoError(t, err)
		require.Equal(t, store.Completed, w.wait(asking).Run.State)
		require.Equal(t, store.Completed, w.wait(next.Session.ID).Run.State)
	})
}

func TestTheLineIsKeptAlsoWhenAnotherProcessGivesThePhoneBack(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		o := w.beside()
		defer o.close()
		o.start("tap tap tap") // four seconds
		queue := func() string {
			st, err := w.manager.Start(w.ctx(),
				runs.StartRequest{Task: "tap", KeepEnvironment: true, Queue: true})
			require.NoError(t, err)
			return st.Session.ID
		}
		time.Sleep(500 * time.Millisecond)
		first := queue() // asks for the phone after 4.5 s
		time.Sleep(700 * time.Millisecond)
		second := queue() // would ask after 4.2 s
		time.Sleep(2850 * time.Millisecond)
		_, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap"})
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err), "nobody goes in front")
		require.ErrorContains(t, err, first)

		a, b := w.wait(first), w.wait(second)

		require.True(t, a.Run.EndedAt.Before(b.Run.EndedAt))
	})
}

func TestNobodyGoesInFrontOfTheLine(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		first := w.start("forever").Session.ID
		second, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "forever", Queue: true})
		require.NoError(t, err)
		waiting := w.phones.phones["A"]
		_, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: first})
		require.NoError(t, err)

		_, err = w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap"})

		var e *runs.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, runs.DeviceBusy, e.Code)
		require.Equal(t, second.Session.ID, e.Holder.SessionID)
		require.Zero(t, waiting.clashes)
	})
}

// A run whose turn does not come within its time ends, and has touched nothing: here, at the worker
// of the phone that somebody else has, and where no worker has the phone any more.
func TestARunWaitsNoLongerThanItIsTo(t *testing.T) {
	ends := func(t *testing.T, w *fixture, serial string, all *fakePhones) {
		t.Helper()
		began, touched := time.Now(), len(all.phones[serial].done())
		st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Queue: true, Serial: serial,
			Turn: runs.Turn{Until: began.Add(7 * time.Second)}})
		require.NoError(t, err)
		require.Equal(t, store.Queued, st.Run.State)
		st = w.wait(st.Session.ID)
		require.Equal(t, store.Cancelled, st.Run.State)
		require.Equal(t, agentloop.NotStarted, st.Run.StopReason)
		require.Contains(t, st.Run.Error, "did not come within")
		require.InDelta(t, 7, st.Run.EndedAt.Sub(began).Seconds(), 0.6)
		require.Zero(t, st.Run.Progress.Steps)
		require.Len(t, all.phones[serial].done(), touched)
	}
	t.Run("here", func(t *testing.T) {
		bubble(t, func(t *testing.T, w *fixture) {
			held := w.wait(w.start("ask").Session.ID)
			ends(t, w, "A", w.phones)
			w.reply(held.Session.ID, "red")
			require.Equal(t, store.Completed, w.wait(held.Session.ID).Run.State, "nobody else is kept")
			st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Queue: true,
				Turn: runs.Turn{Until: time.Now().Add(time.Second)}})
			require.NoError(t, err)
			require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State, "its turn has come")
		})
	})
	t.Run("over a restart", func(t *testing.T) {
		bubble(t, func(t *testing.T, w *fixture) {
			held := w.wait(w.start("ask").Session.ID)
			queue := func(until time.Time) string {
				st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Queue: true,
					Turn: runs.Turn{Until: until}, Settings: runs.Settings{DetachedOK: true}})
				require.NoError(t, err)
				return st.Session.ID
			}
			late, other := queue(time.Now().Add(7*time.Second)), queue(time.Time{})
			w.close()
			w.begin()
			require.NoError(t, w.manager.Recover(w.ctx()))
			require.NoError(t, w.manager.ResumePaused(w.ctx(), runs.ResumeAll))
			time.Sleep(10 * time.Second)
			require.Contains(t, w.wait(late).Run.Error, "did not come within")
			before := len(w.phones.phones["A"].done())
			w.reply(held.Session.ID, "red")
			require.Equal(t, store.Completed, w.wait(other).Run.State)
			require.Contains(t, w.phones.phones["A"].done()[before:], "key home")
		})
	})
	t.Run("unless it was paused meanwhile", func(t *testing.T) {
		bubble(t, func(t *testing.T, w *fixture) {
			held := w.wait(w.start("ask").Session.ID)
			st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Queue: true,
				Turn: runs.Turn{Rank: 1, Until: time.Now().Add(7 * time.Second)}})
			require.NoError(t, err)
			id := st.Session.ID
			_, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
			require.NoError(t, err)
			require.Equal(t, agentloop.UserPaused, w.wait(id).Run.StopReason)
			time.Sleep(time.Hour)
			w.reply(held.Session.ID, "red")
			w.wait(held.Session.ID)
			_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
			require.NoError(t, err)
			st = w.wait(id)
			require.Equal(t, store.Completed, st.Run.State, "%s", st.Run.Error)
		})
	})
	t.Run("at a worker", func(t *testing.T) {
		bubble(t, func(t *testing.T, w *fixture) {
			all := newFakePhones("P")
			front, worker := w.machine(all), w.machine(all, "P")
			defer front.close()
			defer worker.close()
			held, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "ask", Serial: "P"})
			require.NoError(t, err)
			front.wait(held.Session.ID)
			ends(t, front, "P", all)
		})
	})
	for name, apart := range map[string]time.Duration{"at a front that is behind": -5 * time.Minute,
		"at a front that is ahead": 5 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				all := newFakePhones("P")
				worker, now := w.machine(all, "P"), func() time.Time { return time.Now().Add(apart) }
				defer worker.close()
				w.files.Now = now
				front := w.machine(all)
				defer front.close()
				time.Sleep(time.Second)
				start := func(task string) string {
					st, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: task, Queue: true,
						Serial: "P", Turn: runs.Turn{Until: now().Add(7 * time.Second)}})
					require.NoError(t, err)
					return st.Session.ID
				}
				held := front.wait(start("ask"))
				require.Equal(t, store.WaitingReply, held.Run.State, "its turn came in time")
				late, began := start("tap"), time.Now()
				require.Equal(t, store.Cancelled, front.wait(late).Run.State)
				require.InDelta(t, 7, time.Since(began).Seconds(), 1.2)
				worker.opts.Phones.(*machine).mu.Lock()
				delete(worker.opts.Phones.(*machine).phones, "P") // no worker has it
				worker.opts.Phones.(*machine).mu.Unlock()
				late, began = start("tap"), time.Now()
				require.Equal(t, store.Cancelled, front.wait(late).Run.State)
				require.InDelta(t, 7, time.Since(began).Seconds(), 1.2)
			})
		})
	}
	t.Run("at a worker that comes too late", func(t *testing.T) {
		bubble(t, func(t *testing.T, w *fixture) {
			all := newFakePhones("P")
			front, worker := w.machine(all), w.machine(all, "P")
			defer front.close()
			held, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "ask", Serial: "P"})
			require.NoError(t, err)
			front.wait(held.Session.ID)
			late, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Queue: true,
				Serial: "P", Turn: runs.Turn{Until: time.Now().Add(7 * time.Second)}})
			require.NoError(t, err)
			time.Sleep(time.Second)
			worker.close()
			front.close()
			time.Sleep(30 * time.Second)
			after := w.machine(all, "P")
			defer after.close()
			st := after.wait(late.Session.ID)
			require.Equal(t, store.Cancelled, st.Run.State, "%s", st.Run.Error)
			require.Equal(t, agentloop.NotStarted, st.Run.StopReason)
		})
	})
	t.Run("nowhere", func(t *testing.T) {
		bubble(t, func(t *testing.T, w *fixture) {
			all := newFakePhones("P")
			front := w.machine(all)
			defer front.close()
			ends(t, front, "P", all)
		})
	})
}

func TestTheLineHasTheOrderOfTheCalls(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.start("tap tap")
		synctest.Wait() // it has the phone
		for i := range 20 {
			st, err := w.manager.Start(w.ctx(),
				runs.StartRequest{Task: "tap", KeepEnvironment: true, Queue: true})
			require.NoError(t, err)
			require.Equal(t, i, st.Ahead)
		}
	})
}

// In no order, a writer that is not lucky waits for longer than a journal may take.
func TestOfTwoHundredRunsOnASlowDiskNoneStarves(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		const all = 200
		for i := range all {
			serial := fmt.Sprint("phone-", i)
			w.phones.phones[serial] = &handset{serial: serial}
		}
		w.close()
		w.files.Now = func() time.Time { // read within each transaction, several times
			time.Sleep(8 * time.Millisecond)
			return time.Now()
		}
		w.opts.Observe = nil
		w.begin()
		ended := make(chan string, all)
		for i := range all {
			go func() {
				st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap tap tap",
					Serial: fmt.Sprint("phone-", i), KeepEnvironment: true})
				if err == nil {
					st, err = w.manager.Wait(w.ctx(),
						runs.WaitRequest{SessionID: st.Session.ID, Budget: time.Hour})
				}
				ended <- fmt.Sprint(st.Reason, st.Message, err)
			}()
		}
		how := map[string]int{}
		for range all {
			how[<-ended]++
		}
		require.Equal(t, map[string]int{"TASK_COMPLETED_SUCCESSFULLY<nil>": all}, how)
	})
}

// Of several tasks at once, each of which may take the place of the others, the last one goes on.
func TestTasksThatTakeEachOthersPlaceAreNotRefused(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		const calls = 4
		began := make(chan runs.Status, calls)
		for range calls {
			go func() {
				st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Client: "ann",
					Supersede: true})
				assert.NoError(t, err)
				began <- st
			}()
		}
		completed := 0
		for range calls {
			if w.wait((<-began).Session.ID).Run.State == store.Completed {
				completed++
			}
		}
		require.Positive(t, completed)
	})
}

func TestATaskMayTakeThePlaceOfTheClientsOwn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		begin := func(task, client string, queue bool) runs.Status {
			st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: task, Client: client,
				Queue: queue})
			require.NoError(t, err)
			return st
		}
		asks := begin("ask", "ann", false)
		asks = w.wait(asks.Session.ID)
		require.Equal(t, store.WaitingReply, asks.Run.State)
		waits := begin("tap", "ann", true)
		by := runs.Actor{Channel: "test", Authority: "client_model", Name: "ann"}
		over := runs.StartRequest{Task: "tap", Client: "ann", Supersede: true, By: by}

		wrong := over
		wrong.Task = ""
		_, err := w.manager.Start(w.ctx(), wrong)
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))
		foreign := over
		foreign.Client = "bob"
		_, err = w.manager.Start(w.ctx(), foreign)
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err), "somebody else's is left alone")
		st, err := w.manager.Status(w.ctx(), asks.Session.ID)
		require.NoError(t, err)
		require.Equal(t, store.WaitingReply, st.Run.State, "a refused call stops nothing")

		st, err = w.manager.Start(w.ctx(), over)
		require.NoError(t, err)
		require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
		for _, before := range []runs.Status{asks, waits} {
			ended, err := w.manager.Status(w.ctx(), before.Session.ID)
			require.NoError(t, err)
			require.Equal(t, agentloop.Cancelled, ended.Run.StopReason)
		}
		audit, err := w.store.Audit.List(w.ctx(), store.AuditFilter{SessionID: asks.Session.ID})
		require.NoError(t, err)
		last := audit[len(audit)-1]
		require.Equal(t, store.AuditStopped, last.Event)
		require.Equal(t, by, runs.Actor{Channel: last.Channel, Authority: last.Authority,
			Name: last.By})
		over.Key = "k"
		first, err := w.manager.Start(w.ctx(), over)
		require.NoError(t, err)
		again, err := w.manager.Start(w.ctx(), over)
		require.NoError(t, err)
		require.Equal(t, first.Session.ID, again.Session.ID, "the same call does not stop itself")
		require.Equal(t, store.Completed, w.wait(first.Session.ID).Run.State)
	})
}

func TestATaskTakesNoPlaceWhileSomebodyElseWaitsForThePhone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		mine, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "ask", Client: "ann"})
		require.NoError(t, err)
		mine = w.wait(mine.Session.ID)
		theirs, err := w.manager.Start(w.ctx(),
			runs.StartRequest{Task: "tap", Client: "bob", Queue: true})
		require.NoError(t, err)
		over := runs.StartRequest{Task: "tap", Client: "ann", Supersede: true}
		_, err = w.manager.Start(w.ctx(), over)
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err))
		st, err := w.manager.Status(w.ctx(), mine.Session.ID)
		require.NoError(t, err)
		require.Equal(t, store.WaitingReply, st.Run.State, "nothing has changed")
		over.Queue = true
		st, err = w.manager.Start(w.ctx(), over)
		require.NoError(t, err)
		require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
		require.Equal(t, store.Completed, w.wait(theirs.Session.ID).Run.State)
	})
}
