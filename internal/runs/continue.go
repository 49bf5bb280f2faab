package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
)

// ContinueRequest goes on with a session. With Reply it answers the open question; with a Task that
// is not the present one it begins a new run; with neither it gives a paused run more steps, or
// tells how the run stands.
type ContinueRequest struct {
	SessionID string
	Serial    string // "" does not check; another phone than the session's is refused
	Task      string
	// the answer; "" as its Channel means inquiry.ChannelClient, as its Authority
	// inquiry.AuthorityClientModel
	Reply      *inquiry.Reply
	QuestionID string // that Reply answers; "" means the open one
	// as in StartRequest; 0 gives a run that is resumed what its former call had
	MaxSteps         int
	ResetEnvironment bool      // go to the home screen first; otherwise the phone is left as it is
	Queue            bool      // as in StartRequest
	Settings         *Settings // nil keeps those of the session's last run
	// Key is chosen by the caller: a call that has begun or resumed a run under it is not carried
	// out again. An answer has Reply.ID for that.
	Key string
	// an open question is asked by nobody: the caller does, with AskHere
	Here bool
	By   Actor // who goes on with a session of agents
}

// continuation is a ContinueRequest on its way: it has the session's lock.
type continuation struct {
	ContinueRequest
	m     *Manager
	state *sessionState
	sess  store.Session
	run   store.Run // the session's latest
}

// Continue goes on with a session, and returns as soon as what it does is stored.
func (m *Manager) Continue(ctx context.Context, r ContinueRequest) (Status, error) {
	c, unlock, err := m.openContinuation(ctx, r)
	if err != nil {
		return Status{}, err
	}
	defer unlock()
	set, err := settingsOf(c.run)
	if err != nil {
		return Status{}, err
	}
	if again, err := set.repeated(r); again {
		st, _ := m.Status(ctx, c.sess.ID)
		st.Replayed = true
		return st, err
	}
	fresh, err := m.kindOf(c.sess.Kind()).continues(r, c.run)
	switch {
	case err != nil:
		return Status{}, err
	case r.Reply != nil:
		return c.reply(ctx)
	case fresh:
		return c.next(ctx)
	default:
		return c.resumeOrReport(ctx, r.resumption())
	}
}

// openContinuation looks the session up and takes its lock; the caller gives it back.
func (m *Manager) openContinuation(ctx context.Context,
	r ContinueRequest) (c *continuation, unlock func(), err error) {
	if err := m.checkOpen(); err != nil {
		return nil, nil, err
	}
	sess, err := m.store.Session(ctx, r.SessionID)
	if err != nil {
		return nil, nil, UnknownSession(r.SessionID, err)
	}
	if r.Serial != "" && r.Serial != sess.Serial {
		return nil, nil, Refuse(DeviceMismatch,
			"leave device_id out, or start a new task on the other phone",
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

// currentRun is the session's latest run. One that claims to be running and that nobody runs any
// more is paused first. The caller has the session's lock.
func (m *Manager) currentRun(ctx context.Context, s *sessionState,
	sessionID string) (store.Run, error) {
	if err := s.storeNow(ctx); err != nil {
		return store.Run{}, err
	}
	run, err := m.store.LatestRun(ctx, sessionID)
	if err != nil {
		return run, UnknownSession(sessionID, err)
	}
	if s.current() != nil || run.State != store.Running && run.State != store.Queued {
		return run, nil
	}
	if run.Owner == m.store.Owner.ID && run.State == store.Queued &&
		time.Since(run.UpdatedAt) < asking.StoreTime {
		return run, nil // it is about to be launched
	}
	if run.Owner != m.store.Owner.ID {
		if _, err := m.store.Runs.Recover(ctx); err != nil {
			return run, err
		}
		return m.store.Runs.Get(ctx, run.ID)
	}
	// It has no goroutine any more, and nothing is known of how it ended.
	return m.store.Runs.Transition(ctx, run.ID, store.Change{
		From: []store.State{store.Queued, store.Running}, Fence: run.Fence,
		To: store.Paused, Reason: agentloop.InternalError,
		Err: "the run stopped, and it is not known why"})
}

// next begins a new run in the session.
func (c *continuation) next(ctx context.Context) (Status, error) {
	if c.run.State == store.Queued || c.run.State == store.Running {
		return Status{}, Refuse(RunInProgress, "wait for it, or stop it first",
			"session %s is busy with another task: %s", c.sess.ID, c.run.Task)
	}
	if c.run.State.Waiting() {
		return Status{}, Refuse(RunInProgress, "answer its question, or stop it first",
			"session %s waits for a reply in another task: %s", c.sess.ID, c.run.Task)
	}
	s, err := settingsOf(c.run)
	if err != nil {
		return Status{}, err
	}
	x, err := c.m.plan(c.sess.Kind(), plan{task: c.Task, maxSteps: c.MaxSteps,
		settings: s.with(c.Settings), home: c.ResetEnvironment, by: c.By})
	if err != nil {
		return Status{}, err
	}
	x.sess = c.sess
	x.settings.Keys = s.keysWith(c.ContinueRequest)
	x.settings.CallFrom = c.sess.Steps
	if err := c.open(ctx, x); err != nil {
		return Status{}, err
	}
	if err := c.createRun(ctx, x); err != nil {
		x.work.Close()
		return Status{}, err
	}
	if err := x.launch(c.Queue); err != nil {
		return Status{}, err
	}
	return c.m.Status(ctx, c.sess.ID)
}

// open opens the work of a life, which may not be another session's turn unless the call queues.
func (c *continuation) open(ctx context.Context, x *execution) error {
	if !c.Queue {
		if err := c.m.free(ctx, c.sess); err != nil {
			return err
		}
	}
	return x.open(ctx, c.sess.Serial)
}

// createRun makes the new run. A paused one before it ends: it will not be gone on with.
func (c *continuation) createRun(ctx context.Context, x *execution) error {
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	if c.run.State == store.Paused {
		_, err := c.m.store.Runs.Transition(ctx, c.run.ID, store.Change{
			From: []store.State{store.Paused}, Fence: c.run.Fence,
			To: store.Cancelled, Reason: agentloop.Cancelled, Err: "a new task took its place"})
		if err != nil {
			return err
		}
	}
	ended := cmp.Or(c.run.Answer, string(c.run.StopReason))
	x.run.SessionID = c.sess.ID
	x.run.Progress = c.run.Progress.NextTask(c.Task, ended)
	x.run.Settings = encode(x.settings)
	var err error
	x.run, err = c.m.store.Runs.Create(ctx, x.run)
	if err == nil && !c.Queue {
		err = x.lease(ctx)
	}
	return err
}

// resumeOrReport resumes a paused run, or tells how the run stands.
func (c *continuation) resumeOrReport(ctx context.Context, how resumption) (Status, error) {
	if c.run.State.Terminal() {
		return Status{}, invalid("pass the next task, or start a new session",
			"the session's last task has ended (%s), and there is no new one", c.run.State)
	}
	if atRest(c.run) {
		if err := c.wakeUp(ctx, how); err != nil {
			return Status{}, err
		}
	}
	return c.m.Status(ctx, c.sess.ID)
}

// atRest reports whether the run is paused or waits.
func atRest(r store.Run) bool { return r.State.Waiting() || r.State == store.Paused }

// wakeUp resumes a run that is paused, and one whose question is settled; an open question is
// asked.
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
	// It is this call that ends the pause, so the run goes on as it wishes. What was answered
	// during the pause is applied with that, and ends no run.
	return c.resume(ctx, how, q)
}

// ask has an open question asked, unless the caller does.
func (c *continuation) ask(q *inquiry.Question) {
	if !c.Here {
		c.m.desk.Route(q.ID)
	}
}

// waitAgain brings a run that was paused while it waited for a reply back to waiting.
func (c *continuation) waitAgain(ctx context.Context, q *inquiry.Question) error {
	w := agentloop.WaitingFor(string(q.Kind))
	r, err := c.m.store.Runs.Transition(ctx, c.run.ID, store.Change{
		From: []store.State{store.Paused}, Fence: c.run.Fence,
		To: store.State(w.State), Reason: w.Reason, Question: q.ID})
	if err != nil {
		return err
	}
	c.ask(q)
	c.state.moved(r)
	return nil
}

// resumption is how a run goes on. One that comes with an answer is stored with it.
type resumption struct {
	MaxSteps int       `json:"max_steps,omitempty"`         // as in ContinueRequest
	Home     bool      `json:"reset_environment,omitempty"` // go to the home screen first
	Settings *Settings `json:"settings,omitempty"`          // nil keeps those of the run
	// no new call: the one that the run is in goes on, with its steps
	SameCall bool `json:"same_call,omitempty"`
}

func (r ContinueRequest) resumption() resumption {
	return resumption{MaxSteps: r.MaxSteps, Home: r.ResetEnvironment, Settings: r.Settings}
}

// resumptionOf is how the run goes on with the answer. One that came past Continue brings no new
// steps.
func resumptionOf(q inquiry.Question) (r resumption, err error) {
	if len(q.Resolution.Resume) == 0 {
		return resumption{SameCall: true}, nil
	}
	if err := json.Unmarshal(q.Resolution.Resume, &r); err != nil {
		return r, fmt.Errorf("reading how the run goes on after question %s: %w", q.ID, err)
	}
	return r, nil
}

// resume takes up a run that is paused or waits; no other way leads from there to a new life. With
// q, a settled question, its answer is applied in the same change.
func (c *continuation) resume(ctx context.Context, how resumption, q *inquiry.Question) error {
	s, err := settingsOf(c.run)
	if err != nil {
		return err
	}
	from := s.CallFrom
	if !how.SameCall {
		from = c.sess.Steps
	}
	handed := q != nil && q.Kind == inquiry.KindTakeover
	x, err := c.m.plan(c.sess.Kind(), plan{task: c.run.Task,
		maxSteps: cmp.Or(how.MaxSteps, c.run.MaxSteps), settings: s.with(how.Settings),
		home: how.Home, handed: handed, said: c.Task, by: c.By})
	if err != nil {
		return err
	}
	x.sess = c.sess
	x.settings.CallFrom = from
	x.settings.Keys = s.keysWith(c.ContinueRequest)
	if handed {
		c.m.touches.Note(ctx, c.run.ID)
	}
	if q != nil { // an answer that was taken is applied, and waits for the phone if need be
		c.m.desk.Finish(q.ID, route.Elsewhere(*q))
	} else if err := c.open(ctx, x); err != nil {
		return err
	}
	if err := c.requeue(ctx, x, q); err != nil {
		x.work.Close()
		if superseded(err) { // another process was faster, and goes on with the run
			return nil
		}
		return err
	}
	return x.launch(c.Queue)
}

// requeue makes a paused or waiting run QUEUED, with what the model is to be told.
func (c *continuation) requeue(ctx context.Context, x *execution, q *inquiry.Question) error {
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	change := store.Change{From: []store.State{c.run.State}, Fence: c.run.Fence,
		To: store.Queued, Reason: agentloop.StillRunning, MaxSteps: x.run.MaxSteps,
		Settings: encode(x.settings)}
	if c.run.State == store.Paused {
		change.Progress = agentloop.Progress.Resumed
	}
	if q != nil {
		change.Apply, change.Exchange = q.ID, exchangeOf(*q, c.m.opts.Lang)
		change.Ruling = rulingOf(*q)
	}
	var err error
	x.run, err = c.m.store.Runs.Transition(ctx, c.run.ID, change)
	return err
}

// age is for messages.
func age(t time.Time) time.Duration { return max(time.Since(t).Round(time.Second), 0) }
