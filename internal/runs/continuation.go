package runs

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/words"
)

// continuation is a ContinueRequest in progress. It holds the session's lock.
type continuation struct {
	ContinueRequest
	m     *Manager
	state *sessionState
	sess  store.Session
	run   store.Run // the session's latest
}

// openContinuation loads the session and locks it. The caller must unlock it.
func (m *Manager) openContinuation(ctx context.Context,
	r ContinueRequest) (c *continuation, unlock func(), err error) {
	if err := m.checkOpen(); err != nil {
		return nil, nil, err
	}
	sess, err := m.store.Session(ctx, r.SessionID)
	if err != nil {
		return nil, nil, UnknownSession(r.SessionID, err)
	}
	if r.Serial != "" && !means(ctx, m.opts.Phones, r.Serial, sess.Serial) {
		return nil, nil, Refuse(DeviceMismatch,
			"name no phone, or start a new task on the other one",
			"session %s is on phone %q, not %q", sess.ID, sess.Serial, r.Serial)
	}
	s, done := m.states.use(sess.ID)
	giveBack, err := s.lock(ctx)
	if err != nil {
		done()
		return nil, nil, err
	}
	unlock = func() { giveBack(); done() }
	run, err := m.currentRun(ctx, s, sess.ID)
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return &continuation{ContinueRequest: r, m: m, state: s, sess: sess, run: run}, unlock, nil
}

// currentRun returns the session's latest run. If the run is stored as running but no process
// carries it out, currentRun pauses it first. The caller holds the session's lock.
func (m *Manager) currentRun(ctx context.Context, s *sessionState,
	sessionID string) (store.Run, error) {
	if err := s.storeNow(ctx); err != nil {
		return store.Run{}, err
	}
	run, err := m.store.LatestRun(ctx, sessionID)
	if err != nil {
		return run, UnknownSession(sessionID, err)
	}
	goes := run.State == store.Running || run.State == store.Queued
	if s.current() != nil || run.Owner == "" || !goes {
		return run, nil
	}
	if run.Owner == m.store.Owner.ID && run.State == store.Queued &&
		time.Since(run.UpdatedAt) < asking.StoreTime {
		return run, nil // it is about to be launched
	}
	if run.Owner != m.store.Owner.ID {
		if _, err := (farm{m}).recoverDead(ctx); err != nil {
			return run, err
		}
		return m.store.Runs.Get(ctx, run.ID)
	}
	// Its goroutine is gone, and how it ended is unknown.
	return m.store.Runs.Transition(ctx, run.ID, store.Change{
		From: []store.State{store.Queued, store.Running}, Fence: run.Fence,
		To: store.Paused, Reason: agentloop.InternalError,
		Err: "the run stopped, and it is not known why"})
}

// open opens the work of a life. If the phone is another session's, the call has to queue.
func (c *continuation) open(ctx context.Context, x *execution) error {
	if !c.Queue {
		if err := c.m.free(ctx, c.sess); err != nil {
			return err
		}
	}
	return x.open(ctx, c.sess.Serial)
}

// wakeUp resumes a run that is paused or whose question is settled. If the question is open, wakeUp
// has it asked.
func (c *continuation) wakeUp(ctx context.Context, how resumption) error {
	q, err := c.m.store.Runs.Unused(ctx, c.run)
	open, waits := q != nil && q.Open(), c.run.State.Waiting()
	switch {
	case err != nil:
		return err
	case open && waits:
		c.ask(q)
		return nil
	case open:
		return c.waitAgain(ctx, q)
	case q == nil && waits:
		return fmt.Errorf("run %s waits for a reply to a question that is not there", c.run.ID)
	case waits:
		return c.resumeAnswered(ctx, q)
	}
	// This call ends the pause, so its own settings apply. An answer that came during the pause is
	// applied with it, and cannot end the run.
	return c.resume(ctx, how, q)
}

// ask has an open question asked, unless the caller asks it.
func (c *continuation) ask(q *inquiry.Question) {
	if !c.Here {
		c.m.desk.Route(q.ID)
	}
}

// waitAgain moves a run that was paused while it waited for a reply back to waiting.
func (c *continuation) waitAgain(ctx context.Context, q *inquiry.Question) error {
	state, why := store.WaitingFor(q.Kind)
	r, err := c.m.store.Runs.Transition(ctx, c.run.ID, store.Change{
		From: []store.State{store.Paused}, Fence: c.run.Fence,
		To: state, Reason: why, Question: q.ID})
	if err != nil {
		return err
	}
	c.ask(q)
	c.state.moved(ctx, r)
	return nil
}

// resumeAnswered applies an answer to its run: the run resumes as the answer says, or ends. A call
// that ends a pause without an answer resumes the run itself, see wakeUp. The caller holds the
// session's lock.
func (c *continuation) resumeAnswered(ctx context.Context, q *inquiry.Question) error {
	end, ends := endOf(*q)
	if !ends {
		how, err := resumptionOf(*q)
		if err == nil {
			err = c.resume(ctx, how, q)
		}
		return err
	}
	ending{ends: c.m.ends, state: c.state, run: c.run, serial: c.sess.Serial, change: end}.keep(ctx)
	return nil
}

// resume begins a new life of a run that is paused or waits. It is the only way to do so. If q, a
// settled question, is not nil, its answer is applied in the same transaction.
func (c *continuation) resume(ctx context.Context, how resumption, q *inquiry.Question) error {
	s, err := settingsOf(c.run)
	if err != nil {
		return err
	}
	if s.Begin != nil && c.run.StopReason == agentloop.UserPaused {
		s.Begin.Until = time.Time{} // whoever paused it had it wait
	}
	handed := false
	if q != nil {
		state, _ := store.WaitingFor(q.Kind)
		handed = state == store.WaitingTakeover
	}
	from := s.CallFrom
	if !how.SameCall {
		from = c.sess.Steps
		if p := c.run.Progress.Pending; p != nil && (p.Answer != nil || q != nil) {
			from = c.run.Progress.From(from) // the call begins with the pending step
		}
	}
	x, err := c.m.plan(c.sess.Kind(), plan{task: c.run.Task,
		maxSteps: cmp.Or(how.MaxSteps, c.run.MaxSteps), settings: s.with(how.Settings),
		home: how.Home, handed: handed, said: c.Task, by: c.By, wish: s.Wish}.yet(
		s.start(c.sess.Steps, q == nil && (how.SameCall ||
			c.run.StopReason == agentloop.StoreUnavailable))))
	if err != nil {
		return err
	}
	x.sess = c.sess
	x.settings.CallFrom = from
	x.settings.Keys = s.keysWith(c.ContinueRequest)
	if handed {
		c.m.touches.Note(ctx, c.run.ID)
	}
	if q != nil { // queue for the phone if need be, as the answer was already taken
		if (farm{c.m}).away(ctx, c.sess) {
			x.leave()
		}
		c.m.desk.Finish(q.ID, route.Elsewhere(*q))
	} else if err := c.open(ctx, x); err != nil {
		return err
	}
	if err := c.requeue(ctx, x, q); err != nil {
		x.work.Close()
		if superseded(err) { // another process resumed it first
			return nil
		}
		return err
	}
	return x.launch(ctx, c.Queue)
}

// requeue makes a paused or waiting run QUEUED, and stores messages for the model with it.
func (c *continuation) requeue(ctx context.Context, x *execution, q *inquiry.Question) error {
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	change := store.Change{From: []store.State{c.run.State}, Fence: c.run.Fence,
		To: store.Queued, Reason: agentloop.StillRunning, MaxSteps: x.run.MaxSteps,
		Unowned:  x.elsewhere,
		Settings: encode(x.settings)}
	if c.run.State == store.Paused {
		change.Progress = agentloop.Progress.Resumed
	}
	if q != nil {
		change.Apply, change.Exchange = q.ID, exchangeOf(*q, words.For(c.m.opts.Lang, c.run.Task))
		change.Ruling = rulingOf(*q)
	}
	var err error
	x.run, err = c.m.store.Runs.Transition(ctx, c.run.ID, change)
	return err
}
