package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
