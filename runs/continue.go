package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/session"
)

// ContinueRequest goes on with a session. With Reply it answers the open question; with a Task that is not the present one it
// begins a new run; with neither it gives a paused run more steps, or tells how the run stands.
type ContinueRequest struct {
	SessionID        string
	Serial           string // "" does not check; another phone than the session's is refused
	Task             string
	Reply            *Reply
	MaxSteps         int       // as in StartRequest; 0 gives a run that is resumed what its former call had
	ResetEnvironment bool      // go to the home screen first; otherwise the phone is left as it is
	Queue            bool      // as in StartRequest
	Settings         *Settings // nil keeps those of the session's last run
}

// Reply is an answer to a question.
type Reply struct {
	Text       string
	Refuse     bool   // the other side chooses not to answer
	QuestionID string // "" means the open one
	ReplyID    string // chosen by the sender: the same reply sent again is the same success
	Channel    string // the door; "" means inquiry.ChannelClient
	Authority  string // "" means inquiry.AuthorityClientModel
	By         string // a name for people
}

func (r Reply) inquiry() inquiry.Reply {
	out := inquiry.Reply{ID: r.ReplyID, Type: inquiry.TypeAnswer, Response: r.Text, Channel: r.Channel, Authority: r.Authority, By: r.By}
	if r.Refuse {
		out.Type = inquiry.TypeDecline
	}
	if out.Channel == "" {
		out.Channel = inquiry.ChannelClient
	}
	if out.Authority == "" {
		out.Authority = inquiry.AuthorityClientModel
	}
	return out
}

// call is a ContinueRequest on its way: the caller has the desk.
type call struct {
	ContinueRequest
	desk *desk
	sess session.Session
	run  session.Run // the session's latest
	same bool        // no new call, but an answer through another door, or a PickUp: the call that the run is in goes on, with its steps
}

// Continue goes on with a session, and returns as soon as what it does is stored.
func (f *Manager) Continue(ctx context.Context, r ContinueRequest) (Status, error) {
	c, giveBack, err := f.receive(ctx, r)
	if err != nil {
		return Status{}, err
	}
	defer giveBack()
	fresh := r.Task != "" && (c.run.State.Terminal() || !sameTask(r.Task, c.run.Task))
	switch {
	case r.Reply != nil && r.Task != "" && !sameTask(r.Task, c.run.Task):
		return Status{}, invalid("answer first, and leave the task out; send a new task once this one has ended", "there is both a reply and a new task")
	case r.Reply != nil:
		return f.reply(ctx, c)
	case fresh:
		return f.next(ctx, c)
	default:
		return f.goOn(ctx, c)
	}
}

// receive looks the session up and takes its desk; the caller gives it back.
func (f *Manager) receive(ctx context.Context, r ContinueRequest) (c *call, giveBack func(), err error) {
	if err := f.closing(); err != nil {
		return nil, nil, err
	}
	sess, err := f.store.Session(ctx, r.SessionID)
	if err != nil {
		return nil, nil, unknown(r.SessionID, err)
	}
	if r.Serial != "" && r.Serial != sess.Serial {
		return nil, nil, refuse(DeviceMismatch, "leave device_id out, or start a new task on the other phone",
			"session %s is on phone %q, not %q", sess.ID, sess.Serial, r.Serial)
	}
	d := f.desk(sess.ID)
	if giveBack, err = d.take(ctx); err != nil {
		return nil, nil, err
	}
	run, err := f.present(ctx, d, sess.ID)
	if err != nil {
		giveBack()
		return nil, nil, err
	}
	return &call{ContinueRequest: r, desk: d, sess: sess, run: run}, giveBack, nil
}

func sameTask(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}

// present is the session's latest run. One that claims to be running and that nobody runs any more is paused first.
// The caller has the desk.
func (f *Manager) present(ctx context.Context, d *desk, sessionID string) (session.Run, error) {
	run, err := f.store.LatestRun(ctx, sessionID)
	if err != nil {
		return run, unknown(sessionID, err)
	}
	if d.current() != nil || run.State != session.Running && run.State != session.Queued {
		return run, nil
	}
	if run.Owner == f.store.Owner() && run.State == session.Queued && time.Since(run.UpdatedAt) < storeTime {
		return run, nil // it is about to be launched
	}
	if run.Owner != f.store.Owner() {
		if _, err := f.store.Recover(ctx); err != nil {
			return run, err
		}
		return f.store.Run(ctx, run.ID)
	}
	// Its goroutine ended and could not store that.
	return f.store.Transition(ctx, run.ID, session.Change{From: []session.State{session.Queued, session.Running}, Fence: run.Fence,
		To: session.Paused, Reason: agentloop.InternalError, Err: "the end of the run could not be stored"})
}

// next begins a new run in the session.
func (f *Manager) next(ctx context.Context, c *call) (Status, error) {
	switch c.run.State {
	case session.Queued, session.Running:
		return Status{}, refuse(RunInProgress, "wait for it, or stop it first", "session %s is busy with another task: %s", c.sess.ID, c.run.Task)
	case session.WaitingReply:
		return Status{}, refuse(RunInProgress, "answer its question, or stop it first", "session %s waits for a reply in another task: %s", c.sess.ID, c.run.Task)
	}
	s, err := c.settings()
	if err != nil {
		return Status{}, err
	}
	j, limit, err := f.plan(c.Task, c.MaxSteps, s.Settings)
	if err != nil {
		return Status{}, err
	}
	if !c.Queue {
		if err := f.free(ctx, c.sess.Serial, c.sess.ID, c.sess.Client); err != nil {
			return Status{}, err
		}
	}
	if j.phone, err = f.open(ctx, c.sess.Serial); err != nil {
		return Status{}, err
	}
	j.sess, j.home, j.settings.CallFrom = c.sess, c.ResetEnvironment, c.sess.Steps
	if err := f.enrol(ctx, c, &j, limit); err != nil {
		f.hangUp(j.phone)
		return Status{}, err
	}
	return f.started(ctx, c.desk, j, c.Queue)
}

// enrol makes the new run. A paused one before it ends: it will not be gone on with.
func (f *Manager) enrol(ctx context.Context, c *call, j *job, limit int) error {
	ctx, cancel := lasting(ctx)
	defer cancel()
	if c.run.State == session.Paused {
		_, err := f.store.Transition(ctx, c.run.ID, session.Change{From: []session.State{session.Paused}, Fence: c.run.Fence,
			To: session.Cancelled, Reason: agentloop.Cancelled, Err: "a new task took its place"})
		if err != nil {
			return err
		}
	}
	ended := cmp.Or(c.run.Answer, string(c.run.StopReason))
	var err error
	j.run, err = f.store.CreateRun(ctx, session.Run{SessionID: c.sess.ID, Task: c.Task,
		Progress: c.run.Progress.NextTask(c.Task, ended), MaxSteps: limit,
		ReplyMode: string(j.settings.ReplyMode), Settings: j.settings.encode()})
	if err == nil && !c.Queue {
		err = f.lease(ctx, j.run, c.sess)
	}
	return err
}

// settings are those of the call, or the last run's.
func (c *call) settings() (stored, error) {
	s, err := settingsOf(c.run)
	if err == nil && c.Settings != nil {
		s.Settings = *c.Settings
	}
	return s, err
}

// goOn resumes a paused run, or tells how the run stands.
func (f *Manager) goOn(ctx context.Context, c *call) (Status, error) {
	switch {
	case c.run.State.Terminal():
		return Status{}, invalid("pass the next task, or start a new session", "the session's last task has ended (%s), and there is no new one", c.run.State)
	case c.run.State == session.Queued, c.run.State == session.Running:
		return f.Status(ctx, c.sess.ID)
	}
	q, err := f.unapplied(ctx, c.run)
	switch {
	case err != nil:
		return Status{}, err
	case q == nil && c.run.State == session.WaitingReply:
		return Status{}, fmt.Errorf("run %s waits for a reply to a question that is not there", c.run.ID)
	case q == nil:
		return f.resume(ctx, c, nil)
	case !q.Open():
		return f.resume(ctx, c, q)
	case c.run.State == session.Paused:
		return f.waitAgain(ctx, c, q)
	default:
		f.usher(*q)
		return f.Status(ctx, c.sess.ID)
	}
}

// unapplied is the question of this life of the run that is open, or whose answer was not applied yet; nil when there is none.
func (f *Manager) unapplied(ctx context.Context, r session.Run) (*inquiry.Question, error) {
	list, err := f.broker.List(ctx, inquiry.Filter{RunID: r.ID, Unapplied: true})
	if err != nil {
		return nil, err
	}
	for _, q := range slices.Backward(list) {
		if q.Fence == r.Fence && (q.Open() || q.Status == inquiry.Answered || q.Status == inquiry.Refused || q.Status == inquiry.TimedOut) {
			return &q, nil
		}
	}
	return nil, nil
}

// waitAgain brings a run that was paused while it waited for a reply back to waiting.
func (f *Manager) waitAgain(ctx context.Context, c *call, q *inquiry.Question) (Status, error) {
	w := agentloop.WaitingFor(string(q.Kind))
	r, err := f.store.Transition(ctx, c.run.ID, session.Change{From: []session.State{session.Paused},
		Fence: c.run.Fence, To: session.State(w.State), Reason: w.Reason, Question: q.ID})
	if err != nil {
		return Status{}, err
	}
	f.usher(*q)
	f.moved(c.desk, r)
	return f.Status(ctx, c.sess.ID)
}

// resume takes up a run that is paused or waits. With q, a settled question, its answer is applied in the same change.
func (f *Manager) resume(ctx context.Context, c *call, q *inquiry.Question) (Status, error) {
	if q != nil {
		c.desk.dismiss("", settledAs(*q))
	}
	s, err := c.settings()
	if err != nil {
		return Status{}, err
	}
	if c.MaxSteps == 0 {
		c.MaxSteps = c.run.MaxSteps
	}
	if !c.same {
		s.CallFrom = c.sess.Steps
	}
	j, limit, err := f.plan(c.run.Task, c.MaxSteps, s.Settings)
	if err != nil {
		return Status{}, err
	}
	if q == nil { // an answer that was taken is applied, and waits for the phone if need be
		if !c.Queue {
			if err := f.free(ctx, c.sess.Serial, c.sess.ID, c.sess.Client); err != nil {
				return Status{}, err
			}
		}
		if j.phone, err = f.open(ctx, c.sess.Serial); err != nil {
			return Status{}, err
		}
	}
	j.sess, j.home, j.settings.CallFrom = c.sess, c.ResetEnvironment, s.CallFrom
	err = f.requeue(ctx, c, &j, q, limit)
	switch {
	case overtaken(err): // another process was faster, and goes on with the run
		f.hangUp(j.phone)
		return f.Status(ctx, c.sess.ID)
	case err != nil:
		f.hangUp(j.phone)
		return Status{}, err
	}
	return f.started(ctx, c.desk, j, c.Queue)
}

// requeue makes a paused or waiting run QUEUED, with what the model is to be told.
func (f *Manager) requeue(ctx context.Context, c *call, j *job, q *inquiry.Question, limit int) error {
	ctx, cancel := lasting(ctx)
	defer cancel()
	change := session.Change{From: []session.State{c.run.State}, Fence: c.run.Fence,
		To: session.Queued, Reason: agentloop.StillRunning, MaxSteps: limit, Settings: j.settings.encode()}
	if c.run.State == session.Paused {
		change.Progress = agentloop.Progress.Resumed
	}
	if q != nil {
		change.Apply, change.Exchange = q.ID, f.exchange(*q)
	}
	var err error
	j.run, err = f.store.Transition(ctx, c.run.ID, change)
	return err
}

// age is for messages.
func age(t time.Time) time.Duration { return max(time.Since(t).Round(time.Second), 0) }
