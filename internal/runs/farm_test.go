package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// machine is one of a farm: it reaches its own phones, and knows of all.
type machine struct {
	*fakePhones
	all    *fakePhones
	labels map[string]runs.PhoneInfo
	closed bool
	silent chan struct{} // closed when the phone "P" answers again, nil while it does
}

func (m *machine) List(ctx context.Context) ([]runs.PhoneInfo, error) {
	list, err := m.all.List(ctx)
	for i, p := range list {
		if known, ok := m.labels[p.Serial]; ok {
			list[i] = known
		}
	}
	return list, err
}

func (m *machine) Open(ctx context.Context, serial string) (runs.Phone, error) {
	m.mu.Lock()
	silent := m.silent
	m.mu.Unlock()
	if silent != nil && serial == "P" {
		<-silent
	}
	p, err := m.fakePhones.Open(ctx, serial)
	m.all.mu.Lock()
	defer m.all.mu.Unlock()
	if err != nil && m.all.phones[serial] != nil {
		return nil, &runs.ElsewhereError{Device: store.Device{ID: serial}, Worker: "another"}
	}
	return p, err
}

func (m *machine) Mine(serial string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.phones[serial] != nil
}

func (m *machine) Closed() bool             { return m.closed }
func (m *machine) Notices() <-chan struct{} { return nil }

// machine is another process of the farm, with the phones of those serials.
func (w *fixture) machine(all *fakePhones, serials ...string) *fixture {
	own := &fakePhones{phones: map[string]*handset{}}
	for _, s := range serials {
		own.phones[s] = all.phones[s]
	}
	m := &machine{fakePhones: own, all: all}
	o := &fixture{t: w.t, dir: w.dir, phones: own, policy: &scriptedPolicy{think: time.Second},
		opts: w.opts, files: w.files}
	o.opts.Observe, o.opts.NewPolicy = nil, o.policy.make
	o.opts.Phones, o.opts.Neighbours = m, m
	o.begin()
	o.manager.Attend(runs.ResumeAll)
	return o
}

func TestAFrontBeginsTasksOnTheWorkersPhones(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P", "Q")
		front, worker := w.machine(all), w.machine(all, "P", "Q")
		defer front.close()
		defer worker.close()
		st, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "tap ask tap", Serial: "P"})
		require.NoError(t, err)
		_, err = front.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Serial: "P"})
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err), "it has its holder before it is claimed")

		st = front.wait(st.Session.ID)
		require.Equal(t, store.WaitingReply, st.Run.State)
		front.reply(st.Session.ID, "red")
		st = front.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State, "%s", st.Message)
		require.Equal(t, "done red", st.Run.Answer)
		require.Len(t, all.phones["P"].done(), 3, "home, and each gesture once")

		st, err = front.manager.Start(w.ctx(), runs.StartRequest{Task: "forever", Serial: runs.AnyPhone})
		require.NoError(t, err)
		time.Sleep(10 * time.Second)
		st, err = front.manager.Stop(w.ctx(), runs.StopRequest{SessionID: st.Session.ID})
		require.NoError(t, err)
		require.Equal(t, store.Cancelled, st.Run.State)
		time.Sleep(2 * time.Second)
		n := len(all.phones[st.Session.Serial].done())
		require.NotZero(t, n)
		time.Sleep(time.Minute)
		require.Len(t, all.phones[st.Session.Serial].done(), n, "it is stopped")
	})
}

func TestARunThatCannotBeClaimedStopsNoOther(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P", "Q")
		front, worker := w.machine(all), w.machine(all, "P", "Q")
		defer front.close()
		defer worker.close()
		worker.policy.mu.Lock()
		worker.policy.unable = errors.New("this program knows no such skill")
		worker.policy.mu.Unlock()
		_, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Serial: "P",
			Settings: runs.Settings{Skill: json.RawMessage(`{}`)}})
		require.NoError(t, err)
		st, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Serial: "Q"})
		require.NoError(t, err)
		require.Equal(t, store.Completed, front.wait(st.Session.ID).Run.State)
	})
}

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

// A run is paused when nobody is attached to it on any machine.
func TestARunIsAttendedFromOtherMachines(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.opts.DetachGrace, w.opts.Limits.Steps = 2*time.Minute, 1000
		all := newFakePhones("P")
		front, another, worker := w.machine(all), w.machine(all), w.machine(all, "P")
		for _, o := range []*fixture{front, another, worker} {
			defer o.close()
		}
		st, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "forever", Serial: "P"})
		require.NoError(t, err)
		id := st.Session.ID
		const going, alone = "RUNNING STILL_RUNNING", "PAUSED CLIENT_DETACHED"
		for _, o := range []*fixture{front, another} {
			detach := o.manager.Attach(id)
			time.Sleep(5 * time.Minute)
			require.Equal(t, going, front.now(id), "somebody is attached")
			detach()
			time.Sleep(119 * time.Second)
			require.Equal(t, going, front.now(id))
		}
		time.Sleep(10 * time.Second)
		require.Equal(t, alone, front.now(id))

		detach := another.manager.Attach(id)
		_, err = another.manager.PickUp(w.ctx(), id)
		require.NoError(t, err)
		time.Sleep(5 * time.Minute)
		require.Equal(t, going, front.now(id), "it was picked up")
		detach()
		time.Sleep(130 * time.Second)
		require.Equal(t, alone, front.now(id))

		st, err = front.manager.Start(w.ctx(), runs.StartRequest{Task: "forever", Serial: "P",
			Settings: runs.Settings{DetachedOK: true}})
		require.NoError(t, err)
		time.Sleep(5 * time.Minute)
		require.Equal(t, going, front.now(st.Session.ID), "it needs nobody")
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

// The lines of a farm are in the store: a machine that begins a task does not have those who wait.
func TestTheLinesOfAllMachinesCount(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P", "Q")
		front, worker := w.machine(all), w.machine(all, "P", "Q")
		defer front.close()
		defer worker.close()
		start := func(r runs.StartRequest) (runs.Status, error) {
			st, err := front.manager.Start(w.ctx(), r)
			time.Sleep(5 * time.Second) // the worker claims it
			return st, err
		}
		begun := map[string]int{}
		for range 6 {
			st, err := start(runs.StartRequest{Task: "forever", Serial: runs.AnyPhone, Queue: true})
			require.NoError(t, err)
			begun[st.Session.Serial]++
		}
		require.Equal(t, map[string]int{"P": 3, "Q": 3}, begun)
	})
}

func TestAPhoneThatDoesNotAnswerHoldsUpNoOther(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P", "Q")
		front, worker := w.machine(all), w.machine(all, "P", "Q")
		defer front.close()
		defer worker.close()
		asked, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "ask", Serial: "P"})
		require.NoError(t, err)
		asked = front.wait(asked.Session.ID)
		require.Equal(t, store.WaitingReply, asked.Run.State)
		m := worker.opts.Phones.(*machine)
		m.mu.Lock()
		m.silent = make(chan struct{})
		m.mu.Unlock()
		// Someone answers who carries out no runs, as at the command line does.
		_, err = w.manager.Broker().Resolve(w.ctx(), asked.Run.QuestionID,
			inquiry.Reply{Response: "red"})
		require.NoError(t, err)
		time.Sleep(10 * time.Second)
		st, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Serial: "Q"})
		require.NoError(t, err)
		require.Equal(t, store.Completed, front.wait(st.Session.ID).Run.State)
		close(m.silent)
		require.Equal(t, "done red", front.wait(asked.Session.ID).Run.Answer)
	})
}

// The answer comes while no worker has the phone: the front leaves the run to the next one.
func TestAnAnswerWaitsForAWorker(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		all := newFakePhones("P")
		front, worker := w.machine(all), w.machine(all, "P")
		defer front.close()
		asked, err := front.manager.Start(w.ctx(), runs.StartRequest{Task: "ask tap", Serial: "P"})
		require.NoError(t, err)
		require.Equal(t, store.WaitingReply, front.wait(asked.Session.ID).Run.State)
		worker.close()
		st := front.reply(asked.Session.ID, "blue")
		require.Equal(t, store.Queued, st.Run.State)
		require.Empty(t, st.Run.Owner)
		next := w.machine(all, "P")
		defer next.close()
		require.Equal(t, "done blue", front.wait(asked.Session.ID).Run.Answer)
	})
}
