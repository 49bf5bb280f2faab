package runs_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

func TestRunsOfADeadWorkerAreTakenUpByWhoSeesThePhoneNext(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P")
		front, worker := w.machine(all), w.machine(all, "P")
		defer front.close()
		going, err := front.manager.Start(w.ctx(),
			runs.StartRequest{Task: "tap tap tap tap tap tap", Serial: "P", KeepEnvironment: true})
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		worker.close() // as a worker that is drained does
		next := w.machine(all, "P")
		defer next.close()
		st := front.wait(going.Session.ID)
		for st.Run.State == store.Paused {
			time.Sleep(time.Second)
			st = front.wait(going.Session.ID)
		}
		require.Equal(t, store.Completed, st.Run.State, "%s", st.Message)
		require.Len(t, all.phones["P"].done(), 6, "nothing is lost or repeated")
		require.NotEmpty(t, next.policy.seen)
	})
}

func TestARunWhosePhoneIsLostIsTakenUpHoweverLongThatIsAgo(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.opts.Reunite = true
		all := newFakePhones("P")
		worker := w.machine(all, "P")
		st, err := worker.manager.Start(w.ctx(),
			runs.StartRequest{Task: "tap tap tap tap", Serial: "P", KeepEnvironment: true})
		require.NoError(t, err)
		time.Sleep(2500 * time.Millisecond)
		h := worker.phones.unplug("P")
		st = worker.wait(st.Session.ID)
		require.Equal(t, agentloop.DeviceDisconnected, st.Reason)
		worker.close()
		time.Sleep(25 * time.Hour)
		all.plug(h)
		next := w.machine(all, "P")
		defer next.close()
		time.Sleep(time.Minute)
		st = next.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State, "%s", st.Message)
		require.Len(t, h.done(), 3, "the touch that was under way is not repeated")
	})
}

// The runs that wait for a phone stay behind the one that a dead worker has left.
func TestARunOfADeadWorkerKeepsItsPhone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P")
		dying, err := store.Open(w.ctx(), w.dir, nil)
		require.NoError(t, err)
		_, left, err := dying.Begin(w.ctx(), store.Session{Serial: "P"}, store.Run{
			Task: "tap tap tap", Leased: true, MaxSteps: 9, Settings: json.RawMessage("{}")})
		require.NoError(t, err)
		_, err = dying.Runs.Transition(w.ctx(), left.ID, store.Change{To: store.Running})
		require.NoError(t, err)
		front, worker := w.machine(all), w.machine(all, "P")
		defer front.close()
		defer worker.close()
		next, err := front.manager.Start(w.ctx(),
			runs.StartRequest{Task: "tap", Serial: "P", Queue: true})
		require.NoError(t, err)
		time.Sleep(rescued + 2*time.Second)
		require.NoError(t, dying.Close())
		time.Sleep(time.Second + time.Millisecond) // the next in line has looked
		_, err = front.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Serial: "P"})
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err))
		first, second := front.wait(left.SessionID).Run, front.wait(next.Session.ID).Run
		require.Equal(t, store.Completed, first.State, "%s", first.Error)
		require.Equal(t, store.Completed, second.State, "%s", second.Error)
		require.True(t, first.EndedAt.Before(second.EndedAt), "it had begun before")
	})
}

// rescued is how often the runs of the dead are looked for.
const rescued = 5 * time.Second

// Three workers are replaced one after the other while more tasks wait than there are phones.
func TestAnUpgradeUnderLoadStopsNoRunForMoreThanALease(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P", "Q")
		front := w.machine(all)
		defer front.close()
		workers := make([]*fixture, 3)
		for i := range workers {
			workers[i] = w.machine(all, "P", "Q")
		}
		var begun []runs.Status
		for i := range 12 {
			st, err := front.manager.Start(w.ctx(), runs.StartRequest{Queue: true,
				Task: "tap tap tap tap tap tap", Serial: []string{"P", "Q"}[i%2],
				Client: []string{"a", "b", "c"}[i%3]})
			require.NoError(t, err)
			begun = append(begun, st)
		}
		stopped := map[string]time.Time{} // runs that went on before, until they go on again
		longest, handed, upgraded, busy := time.Duration(0), 0, 0, ""
		owners := map[string]string{} // of runs with steps
		look := func() (left int) {
			busy = ""
			for _, st := range begun {
				r, err := front.store.Runs.Get(w.ctx(), st.Run.ID)
				require.NoError(t, err)
				require.NotEqual(t, store.Paused, r.State, "a worker that goes hands its runs over")
				since, was := stopped[r.ID]
				switch {
				case r.State == store.Queued && r.Progress.Steps > 0 && !was:
					stopped[r.ID] = time.Now()
				case was && r.State != store.Queued:
					longest = max(longest, time.Since(since))
					delete(stopped, r.ID)
				}
				if r.State == store.Running && r.Progress.Steps > 0 {
					if o := owners[r.ID]; o != "" && o != r.Owner {
						handed++
					}
					owners[r.ID] = r.Owner
					if r.Progress.Steps < 4 { // it cannot be through before its worker goes
						busy = r.Owner
					}
				}
				if r.State != store.Completed {
					left++
				}
			}
			return left
		}
		var draining sync.WaitGroup
		for left := look(); left > 0; left = look() {
			at := slices.IndexFunc(workers,
				func(o *fixture) bool { return o.store.Owner.ID == busy })
			if upgraded < len(workers) && left < 12-2*upgraded && at >= 0 {
				draining.Go(workers[at].close)
				workers[at] = w.machine(all, "P", "Q")
				upgraded++
			}
			time.Sleep(100 * time.Millisecond)
		}
		draining.Wait()
		for _, o := range workers {
			o.close()
		}
		t.Logf("%d runs were handed over, one waited for %v", handed, longest)
		require.Equal(t, len(workers), upgraded)
		require.GreaterOrEqual(t, handed, upgraded, "each one handed over a run that it was amid")
		require.Less(t, longest, 15*time.Second, "a lease")
	})
}

// A person takes a run from a worker that is in the middle of a gesture, or stops it from another
// machine: nobody else touches the phone before that gesture is over.
func TestARunThatIsTakenFromItsWorkerTouchesAfterThatOne(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P")
		phone := all.phones["P"]
		begun := make(chan bool, 99)
		phone.onTouch = func(context.Context) error {
			begun <- true
			time.Sleep(3 * time.Second) // a gesture that has begun is finished
			return nil
		}
		front, first, second := w.machine(all), w.machine(all, "P"), w.machine(all, "P")
		for _, m := range []*fixture{front, first, second} {
			defer m.close()
		}
		request := runs.StartRequest{Task: "tap tap tap tap", Serial: "P", KeepEnvironment: true}
		st, err := front.manager.Start(w.ctx(), request)
		require.NoError(t, err)
		id := st.Session.ID
		for range 2 {
			<-begun
			var seen []store.State
			front.store.Runs.Note(func(r store.Run, _ string) (store.AuditEntry, bool) {
				seen = append(seen, r.State)
				return store.AuditEntry{}, false
			})
			run, err := front.manager.Requeue(w.ctx(), id, store.AuditEntry{By: "ann", Text: "it hangs"})
			require.NoError(t, err)
			require.Equal(t, []store.State{store.Queued}, seen, "nobody takes it up in between")
			require.Equal(t, store.Queued, run.State)
			require.Empty(t, run.Owner)
		}
		st = front.wait(id)
		require.Equal(t, store.Completed, st.Run.State, "%s", st.Message)
		require.Len(t, phone.done(), 4, "nothing is lost or repeated")
		phone.idle(t)
		_, err = front.manager.Requeue(w.ctx(), id, store.AuditEntry{By: "ann", Text: "it hangs"})
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err), "it has ended")
		log, err := front.store.Audit.List(w.ctx(), store.AuditFilter{Event: store.AuditRequeued})
		require.NoError(t, err)
		require.Len(t, log, 2)
		require.Equal(t, []string{"ann", "it hangs", id, st.Run.ID},
			[]string{log[1].By, log[1].Text, log[1].SessionID, log[1].RunID})

		for len(begun) > 0 {
			<-begun
		}
		request.Task = "tap tap tap tap tap"
		st, err = front.manager.Start(w.ctx(), request)
		require.NoError(t, err)
		<-begun
		_, err = front.manager.Stop(w.ctx(), runs.StopRequest{SessionID: st.Session.ID})
		require.NoError(t, err)
		phone.idle(t)
		request.Task = "ask"
		st, err = front.manager.Start(w.ctx(), request)
		require.NoError(t, err, "the phone is free")
		require.Equal(t, store.WaitingReply, front.wait(st.Session.ID).Run.State)
		_, err = front.manager.Requeue(w.ctx(), st.Session.ID, store.AuditEntry{By: "ann", Text: "it hangs"})
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err), "it waits for a person")
		phone.idle(t)

		held, _, err := front.store.Begin(w.ctx(), store.Session{Serial: "Q"},
			store.Run{Task: "taploop test: s.yaml", State: store.Running})
		require.NoError(t, err)
		_, err = front.manager.Requeue(w.ctx(), held.ID, store.AuditEntry{By: "ann", Text: "it hangs"})
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err), "it is no task")
	})
}

// A run that no machine has begun yet is requeued as it is: it begins as the front meant it to.
func TestARequeuedRunBeginsAsItWasMeantTo(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P")
		front := w.machine(all)
		defer front.close()
		st, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Serial: "P"})
		require.NoError(t, err)
		_, err = front.manager.Requeue(w.ctx(), st.Session.ID, store.AuditEntry{By: "ann", Text: "it hangs"})
		require.NoError(t, err)
		worker := w.machine(all, "P")
		defer worker.close()
		require.Equal(t, store.Completed, front.wait(st.Session.ID).Run.State)
		require.Equal(t, []string{"key home", "tap"}, all.phones["P"].done())
		_, err = w.manager.Requeue(w.ctx(), st.Session.ID, store.AuditEntry{By: "ann", Text: "it hangs"})
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err), "a machine without neighbours")
	})
}

// The answer to a commit is lost with a database that fails over: the store says that a worker has
// the run, or even carries it out, and the worker does not know it.
func TestARunThatItsWorkerDoesNotKnowOfIsCarriedOut(t *testing.T) {
	claimed := []store.Change{{Claim: true, To: store.Queued}}
	for name, changes := range map[string][]store.Change{
		"claimed": claimed, "running": append(claimed, store.Change{To: store.Running}),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				all := newFakePhones("P")
				front, worker := w.machine(all), w.machine(all)
				defer front.close()
				defer worker.close()
				st, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Serial: "P"})
				require.NoError(t, err)
				for _, c := range changes {
					_, err = worker.store.Runs.Transition(w.ctx(), st.Run.ID, c)
					require.NoError(t, err)
				}
				require.NoError(t, worker.store.Leases.Take(w.ctx(), "P", st.Run.ID))
				next := w.machine(all, "P")
				defer next.close()
				st = front.wait(st.Session.ID)
				require.Equal(t, store.Completed, st.Run.State, "%s", st.Message)
			})
		})
	}
}

// A run that had its turn, and whose worker went before the phone was at its start, begins from
// there.
func TestARunThatDidNotComeToItsStartBeginsFromThere(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P")
		front, worker := w.machine(all), w.machine(all, "P")
		defer front.close()
		m := worker.opts.Neighbours.(*machine)
		m.mu.Lock()
		m.silent = make(chan struct{})
		m.mu.Unlock()
		st, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "tap tap", Serial: "P"})
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		going, err := w.store.Runs.Get(w.ctx(), st.Run.ID)
		require.NoError(t, err)
		require.Equal(t, store.Running, going.State)
		h := all.phones["P"]
		time.AfterFunc(time.Second, func() {
			worker.phones.unplug("P")
			close(m.silent)
		})
		worker.close()
		require.Empty(t, h.done())
		all.plug(h)
		next := w.machine(all, "P")
		taken := func(s store.StepRecord) bool { return s.State == store.Done }
		for steps := []store.StepRecord(nil); !slices.ContainsFunc(steps, taken); {
			time.Sleep(10 * time.Millisecond)
			steps, err = w.store.Steps(w.ctx(), st.Session.ID, 0)
			require.NoError(t, err)
		}
		next.close()
		last := w.machine(all, "P")
		defer last.close()
		st = front.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State, "%s", st.Message)
		require.Equal(t, []string{"key home", "tap", "tap"}, h.done(), "and from there only once")
	})
}
