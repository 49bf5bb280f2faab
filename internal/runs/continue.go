package runs

import (
	"cmp"
	"context"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
)

// Continue continues a session. It returns as soon as the change is stored.
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
	case r.Reply != nil:
		return c.reply(ctx)
	case fresh:
		return c.next(ctx)
	case c.run.State.Terminal():
		err = invalid("pass the next task, or start a new session",
			"the session's last task has ended (%s), and there is no new one", c.run.State)
	case atRest(c.run):
		err = c.wakeUp(ctx, r.resumption())
	}
	if err != nil {
		return Status{}, err
	}
	return m.Status(ctx, c.sess.ID)
}

// next starts a new run in the session.
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
	set := s.with(c.Settings)
	set.Skill = nil
	x, err := c.m.plan(c.sess.Kind(), plan{task: c.Task, maxSteps: c.MaxSteps,
		settings: set, home: c.ResetEnvironment, by: c.By, said: c.Task,
		wish: c.By.wish(c.Task, "")})
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
	if err := x.launch(ctx, c.Queue); err != nil {
		return Status{}, err
	}
	return c.m.Status(ctx, c.sess.ID)
}

// createRun stores the new run. A paused run before it ends for good.
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
