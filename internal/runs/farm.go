package runs

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// How often runs to claim are looked for without a notice, and how often those whose process has
// died.
const (
	claimEvery  = 500 * time.Millisecond
	rescueEvery = 5 * time.Second
)

// Attend claims the runs that were begun on another machine for a phone of this process, and takes
// up those whose process died, until the Manager closes. A server calls it once. Without
// Options.Neighbours it does nothing.
func (m *Manager) Attend(which Resume) {
	near := m.opts.Neighbours
	if near == nil {
		return
	}
	f := farm{m}
	m.handsOver.Store(which != ResumeNone)
	m.spawn(func() {
		var seen map[string]time.Time
		for wait.Until(m.ctx, claimEvery, near.Notices()) == nil {
			if !near.Closed() {
				var err error
				seen, err = f.claimAll(m.ctx, seen)
				report(f.m, "claiming runs", err)
			}
		}
	})
	if which == ResumeNone {
		return
	}
	m.store.Farm.KeepPlaces()
	m.spawn(func() { // a phone that does not answer holds up no claims
		for ; m.ctx.Err() == nil && !near.Closed(); _ = wait.For(m.ctx, rescueEvery) {
			report(f.m, "taking up runs", f.rescue(m.ctx))
		}
	})
}

// farm carries out what other machines began, or left behind, on phones of this one.
type farm struct{ m *Manager }

// attend tells the machine that carries the session's run out that somebody is attached here, until
// ctx ends.
func (f farm) attend(ctx context.Context, s *sessionState, sessionID string) {
	every := cmp.Or(s.grace/4, 10*time.Second)
	for going := true; going && f.m.ctx.Err() == nil; going = wait.For(ctx, every) == nil {
		if s.current() == nil {
			report(f.m, "attending a run", f.m.store.Farm.Attend(f.m.ctx, sessionID))
		}
	}
}

// claimAll claims the runs that are for a phone of this process. seen is when it first saw each
// that waits, zero for the ones that waited before; nil stands for no look yet.
func (f farm) claimAll(ctx context.Context, seen map[string]time.Time) (
	map[string]time.Time, error) {
	if f.m.ails.Load() {
		if f.m.store.Farm.Room(ctx) != nil {
			return seen, nil // the end of a run has said so
		}
		f.m.ails.Store(false)
	}
	waiting, err := f.m.store.Farm.Waiting(ctx, true)
	if err != nil {
		return seen, err
	}
	now := map[string]time.Time{}
	for _, u := range waiting {
		at, known := seen[u.RunID]
		if !known && seen != nil {
			at = time.Now()
		}
		now[u.RunID] = at
		what := f.expire
		if f.m.opts.Neighbours.Mine(u.Serial) {
			what = f.claim
		}
		err = errors.Join(err, what(ctx, u, at)) // one that cannot be claimed stops no other
	}
	return now, err
}

// waitingFrom returns the settings of a run that was left to whoever claims it, with the end of its
// waiting by the clock of this process, which saw it then. For one that waited before the time is
// zero, and the clock of who left it counts.
func waitingFrom(seen time.Time, r store.Run) (storedSettings, error) {
	s, err := settingsOf(r)
	if s.Begin != nil && !s.Begin.Until.IsZero() && !seen.IsZero() {
		s.Begin.Until = seen.Add(s.Begin.Until.Sub(r.UpdatedAt))
	}
	return s, err
}

// expire ends a run that has waited too long, and whose phone no worker has.
func (f farm) expire(ctx context.Context, u store.Hold, seen time.Time) error {
	r := store.Run{ID: u.RunID, Settings: u.Settings, UpdatedAt: u.Since}
	s, err := waitingFrom(seen, r)
	if err != nil || s.Begin == nil || !s.Begin.late() {
		return err
	}
	if r, err = f.m.store.Runs.Get(ctx, r.ID); err != nil || r.Owner != "" {
		return err
	}
	_, err = f.m.store.Runs.Transition(ctx, r.ID, store.Change{From: []store.State{store.Queued},
		Fence: r.Fence, To: store.Cancelled, Reason: agentloop.NotStarted, Err: errLate.Error()})
	if superseded(err) {
		return nil
	}
	return err
}

// claim makes the run this process's, and carries it out. It does nothing if another one was
// faster.
func (f farm) claim(ctx context.Context, u store.Hold, seen time.Time) error {
	m := f.m
	ctx, _ = logs.Called(ctx)
	c, unlock, err := m.openContinuation(ctx, ContinueRequest{SessionID: u.SessionID, Queue: true})
	if err != nil {
		return err
	}
	defer unlock()
	if c.run.ID != u.RunID || c.run.State != store.Queued || c.run.Owner != "" ||
		c.state.current() != nil { // the run's last life here has yet to end
		return nil
	}
	s, err := waitingFrom(seen, c.run)
	if err != nil {
		return err
	}
	x, err := m.plan(c.sess.Kind(), plan{task: c.run.Task, maxSteps: c.run.MaxSteps,
		settings: s.Settings, wish: s.Wish}.yet(s.start(c.sess.Steps, true)))
	if err != nil {
		return err
	}
	x.sess, x.adopted = c.sess, true
	s.Settings, s.Begin = x.settings.Settings, x.settings.Begin
	x.settings = s
	x.run, err = m.store.Runs.Transition(ctx, c.run.ID, store.Change{Claim: true,
		From: []store.State{store.Queued}, Fence: c.run.Fence, To: store.Queued,
		Reason: agentloop.StillRunning, MaxSteps: c.run.MaxSteps, Settings: encode(s)})
	if superseded(err) {
		return nil
	}
	if err != nil {
		return err
	}
	m.log.InfoContext(ctx, "run claimed", "session", c.sess.ID, "run", c.run.ID)
	return x.launch(ctx, true)
}

// recoverDead takes over the runs of processes that died. In a farm interrupted runs wait
// for whichever process sees their phones.
func (f farm) recoverDead(ctx context.Context) ([]store.Run, error) {
	if f.m.opts.Neighbours == nil {
		return f.m.store.Runs.Recover(ctx)
	}
	return f.m.store.Runs.HandOver(ctx, f.lost)
}

// recoverAll is recoverDead, and tells of these runs before anything comes after that.
func (f farm) recoverAll(ctx context.Context) error {
	ctx, _ = logs.Called(ctx)
	recovered, err := f.recoverDead(ctx)
	for _, r := range recovered {
		f.m.log.InfoContext(ctx, "recovered", "run", r.ID, "session", r.SessionID, "state", r.State)
		s, done := f.m.states.use(r.SessionID)
		s.moved(ctx, r)
		done()
	}
	return err
}

// lost reports whether nothing carries out a run that the store says is this process's, nor has
// just begun to. Who begins nevertheless is refused by the store.
func (f farm) lost(r store.Run) bool {
	s := f.m.states.inUse(r.SessionID)
	idle := s == nil || s.current() == nil && s.notStored() == nil
	return idle && time.Since(r.UpdatedAt).Abs() > asking.StoreTime // the clock may be set back
}

// rescue takes over the runs whose process died, and resumes those on phones of this process that a
// restart has paused within a day, or that lost their phone whenever that was. It applies the
// answers to questions of the dead.
func (f farm) rescue(ctx context.Context) error {
	m := f.m
	if err := f.recoverAll(ctx); err != nil {
		return err
	}
	mine := func(o store.Overview) bool {
		return m.opts.Neighbours.Mine(o.Serial) &&
			(parkedForPhone(*o.Latest) || wanted(o.Latest, ResumeAll))
	}
	err := reunion{m}.beginAll(ctx, agentloop.ServerRestarted, mine)
	if m.opts.Reunite {
		err = errors.Join(err, reunion{m}.beginAll(ctx, agentloop.DeviceDisconnected, mine))
	}
	return errors.Join(err, resumer{m}.catchUp(ctx))
}

// uncordoned returns an error if a person has closed the phone to new tasks.
func (f farm) uncordoned(ctx context.Context, serial string) error {
	closed, err := f.m.store.Farm.Closed(ctx)
	if err == nil && closed[store.ClosedPhone+serial] {
		err = Refuse(DeviceBusy, "use another phone, or open it again: taploop farm cordon --off "+
			serial, "phone %q is cordoned: it gets no new tasks", serial)
	}
	return err
}

// away reports whether the session's phone cannot be reached from here, but perhaps from another
// machine.
func (f farm) away(ctx context.Context, x store.Session) bool {
	if f.m.opts.Neighbours == nil || x.Serial == "" {
		return false
	}
	p, err := f.m.opts.Phones.Open(ctx, x.Serial)
	if err != nil {
		return true
	}
	_ = p.Close() // nothing was changed on it
	return false
}

// Requeue takes a session's run from whoever carries it out, and leaves it to the next process that
// sees its phone: the former one may write nothing from then on. A run that rests for a person, or
// has ended, is refused. The audit says by whom and why that was wanted.
func (m *Manager) Requeue(ctx context.Context, sessionID string, by store.AuditEntry) (
	store.Run, error) {
	sess, run, err := m.latest(ctx, sessionID)
	if err != nil {
		return run, err
	}
	stuck := run.State == store.Queued || run.State == store.Running || pausedByRestart(run) ||
		parkedForPhone(run)
	if m.opts.Neighbours == nil || sess.Serial == "" || !stuck || len(run.Settings) == 0 {
		return run, Refuse(InvalidArgument, "continue the session",
			"the run is %s, and not one that another machine could take up", run.State)
	}
	by.Event = store.AuditRequeued
	return m.store.Runs.Transition(ctx, run.ID, store.Change{From: []store.State{run.State},
		Fence: run.Fence, To: store.Queued, Unowned: true, Reason: agentloop.StillRunning,
		Progress: agentloop.Progress.Resumed}, by)
}
