package runs

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/session"
)

// job is one life of a run: from QUEUED until it ends, for good or for now.
type job struct {
	sess     session.Session
	run      session.Run // QUEUED
	settings stored
	ticket   *ticket          // its place in the line for the phone
	phone    Phone            // nil is opened when the run has its turn
	policy   agentloop.Policy // nil is made then
	home     bool             // go to the home screen first
}

// launch hands a QUEUED run to a goroutine of its own. The caller has the desk; j.phone is the run's from now on.
func (f *Manager) launch(d *desk, j job) error {
	ctx, cancel := context.WithCancelCause(f.ctx)
	l := &live{runID: j.run.ID, alone: j.settings.DetachedOK, cancel: cancel, done: make(chan struct{})}
	d.enter(l)
	j.ticket = f.lineUp(j.sess.Serial, j.run) // here, so that the line has the order of the calls
	if f.spawn(func() { f.drive(ctx, d, l, j) }) {
		return nil
	}
	cancel(agentloop.ErrClosing)
	f.stepOut(j.sess.Serial, j.ticket)
	f.hangUp(j.phone)
	f.conclude(ctx, d, j.run, agentloop.Stopped(ctx), nil)
	d.leave(l)
	return f.closing()
}

// drive is the life of a run's goroutine.
func (f *Manager) drive(ctx context.Context, d *desk, l *live, j job) {
	f.moved(d, j.run)
	run, end, asked := f.inTurn(ctx, d, &j)
	f.hangUp(j.phone)
	if asked != nil {
		f.usher(*asked) // before anybody is told that the run waits
	}
	state := f.conclude(ctx, d, run, end, asked)
	if state != session.WaitingReply {
		d.dismiss("", errHalted)
		f.release(ctx, j.sess.Serial, run.ID)
	}
	l.cancel(nil)
	d.leave(l)
	if state == session.WaitingReply {
		// An answer that came before the run was waiting for it found nobody.
		f.settled(asked.ID)
	}
}

// inTurn waits for the phone, and pursues the run then. asked is the question that it has parked, if any.
func (f *Manager) inTurn(ctx context.Context, d *desk, j *job) (run session.Run, end *agentloop.Ending, asked *inquiry.Question) {
	if err := f.turn(ctx, j.ticket); err != nil {
		return j.run, broken(ctx, err), nil
	}
	run, err := f.store.Transition(ctx, j.run.ID, session.Change{
		From: []session.State{session.Queued}, Fence: j.run.Fence, To: session.Running, Reason: agentloop.StillRunning})
	if err != nil {
		return j.run, broken(ctx, err), nil
	}
	f.moved(d, run)
	end, asked = f.pursue(ctx, d, j, run)
	return run, end, asked
}

// pursue gets the phone ready and runs the loop. A panic ends the run, and not the server.
func (f *Manager) pursue(ctx context.Context, d *desk, j *job, run session.Run) (end *agentloop.Ending, asked *inquiry.Question) {
	defer func() {
		if p := recover(); p != nil {
			f.log.ErrorContext(ctx, "panic", "run", run.ID, "panic", p, "stack", string(debug.Stack()))
			end = &agentloop.Ending{Reason: agentloop.InternalError, Err: fmt.Errorf("the run broke down: %v", p)}
		}
	}()
	if end := f.equip(ctx, j, run); end != nil {
		return end, nil
	}
	// Steps that a former life left without an outcome were counted when this one began.
	sess, err := f.store.Session(ctx, run.SessionID)
	if err != nil {
		return broken(ctx, err), nil
	}
	secrets, err := f.store.Secrets(ctx, run.ID)
	if err != nil {
		return broken(ctx, err), nil
	}
	phone := &secretPhone{Phone: j.phone, secrets: secrets, typed: f.secretTyped}
	questions := &parker{f: f, run: run, mode: j.settings.ReplyMode}
	limits := f.opts.Limits
	if limits.Steps = run.MaxSteps - (sess.Steps - j.settings.CallFrom); limits.Steps <= 0 { // asked at the last one
		return agentloop.OutOfSteps(run.MaxSteps), nil
	}
	runner := agentloop.Runner{
		Phone: phone, Policy: &redactingPolicy{j.policy, secrets}, Journal: f.store.Journal(run),
		Parker: questions, NoQuestions: j.settings.ReplyMode == NoReply, Limits: limits, Moving: j.home,
		Observe: func(e agentloop.Event) {
			f.publish(d, Event{SessionID: run.SessionID, RunID: run.ID, State: session.Running, Event: e})
		},
		Log: f.log.With("run", run.ID, "serial", sess.Serial),
	}
	if f.opts.NewGate != nil {
		runner.Gate = f.opts.NewGate(sess, run)
	}
	got, _, err := runner.Run(ctx, run.Progress, sess.Steps)
	if err != nil && !overtaken(err) {
		f.log.ErrorContext(ctx, "run", "run", run.ID, "err", err)
	}
	return &got, questions.parked
}

// equip sees that there is a policy, and a phone that is awake.
func (f *Manager) equip(ctx context.Context, j *job, run session.Run) *agentloop.Ending {
	var err error
	if j.policy == nil {
		if j.policy, err = f.opts.NewPolicy(j.settings.Settings); err != nil {
			return endedBy(ctx, err, agentloop.ModelError)
		}
	}
	if j.phone == nil {
		if j.phone, err = f.opts.Phones.Open(ctx, j.sess.Serial); err != nil {
			return endedBy(ctx, err, agentloop.DeviceDisconnected)
		}
	}
	if err := ready(ctx, j.phone, j.home); err != nil {
		if ctx.Err() != nil {
			return agentloop.Stopped(ctx)
		}
		return agentloop.LostPhone(err)
	}
	return nil
}

func (f *Manager) hangUp(p Phone) {
	if p == nil {
		return
	}
	if err := p.Close(); err != nil {
		f.log.Warn("closing the phone", "serial", p.Device().ID, "err", err)
	}
}

// endedBy is the ending of a life that err ends: for the reason, unless err only says that ctx has ended.
func endedBy(ctx context.Context, err error, reason agentloop.StopReason) *agentloop.Ending {
	if ctx.Err() != nil {
		return agentloop.Stopped(ctx)
	}
	return &agentloop.Ending{Reason: reason, Err: err}
}

// broken is endedBy for what should not happen.
func broken(ctx context.Context, err error) *agentloop.Ending {
	return endedBy(ctx, err, agentloop.InternalError)
}

// conclude stores how the run's life ended, and returns the state that it is in then.
func (f *Manager) conclude(ctx context.Context, d *desk, run session.Run, end *agentloop.Ending, asked *inquiry.Question) session.State {
	ctx, cancel := lasting(ctx)
	defer cancel()
	c := session.Change{From: []session.State{session.Queued, session.Running}, Fence: run.Fence, To: stateOf(end),
		Reason: end.Reason, Answer: end.Answer, Err: errorText(end.Err)}
	if c.To.Waiting() {
		c.Question = asked.ID
	}
	now, err := f.store.Transition(ctx, run.ID, c)
	if overtaken(err) {
		now, err = f.store.Run(ctx, run.ID)
	}
	if err != nil {
		f.log.ErrorContext(ctx, "the end of a run could not be stored", "run", run.ID, "reason", end.Reason, "err", err)
		return run.State
	}
	f.moved(d, now)
	return now.State
}

// stateOf is the state of a run that ended so. What can go on is PAUSED.
func stateOf(end *agentloop.Ending) session.State {
	if q := end.Question; q != nil {
		return session.State(agentloop.WaitingFor(q.Kind).State)
	}
	switch end.Reason {
	case agentloop.TaskCompleted:
		return session.Completed
	case agentloop.TaskAborted:
		return session.Aborted
	case agentloop.ManualStop, agentloop.Cancelled:
		return session.Cancelled
	case agentloop.QuestionLimit:
		return session.Failed
	default:
		return session.Paused
	}
}

// mendMark stands between an error and its mend in a run's stored error.
const mendMark = "\nmend: "

func errorText(err error) string {
	if err == nil {
		return ""
	}
	if mend := hint.Of(err); mend != "" {
		return err.Error() + mendMark + mend
	}
	return err.Error()
}

func errorParts(text string) (message, mend string) {
	if i := strings.LastIndex(text, mendMark); i >= 0 {
		return text[:i], text[i+len(mendMark):]
	}
	return text, ""
}
