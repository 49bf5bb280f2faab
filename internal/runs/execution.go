package runs

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// execution is one life of a run: from QUEUED until it ends or comes to rest.
type execution struct {
	m             *Manager
	sess          store.Session
	run           store.Run // to be stored as QUEUED, and RUNNING from when it has the phone
	settings      storedSettings
	phone         Phone            // nil is opened when the run gets it
	policy        agentloop.Policy // nil is made then
	home          bool             // go to the home screen first
	fresh         bool             // and let the first app that is opened begin anew
	handed        bool             // a person has had the phone just before
	takenByPerson bool             // a person has it now, and has taken it

	before agentloop.Timing // what it took until the loop began

	// Set by launch.
	state   *sessionState
	release func() // of state
	active  *activeRun
	place   *queueEntry

	parked *inquiry.Question // that the run waits for in the end
}

// launch hands the QUEUED run to a goroutine of its own. The caller has the session's lock; x.phone
// is the run's from now on. One that may have to wait for the phone opens it when it gets it.
func (x *execution) launch(queue bool) error {
	m := x.m
	if queue {
		x.closePhone()
	}
	ctx, cancel := context.WithCancelCause(m.ctx)
	x.active = &activeRun{alone: x.settings.DetachedOK, cancel: cancel, done: make(chan struct{})}
	x.state, x.release = m.states.use(x.sess.ID)
	x.state.enter(x.active)
	// Here, so that the queue has the order of the calls.
	x.place = m.queues.join(x.sess, x.run.ID)
	life := x.run
	if m.spawn(func() { x.watchRow(ctx, life) }) && m.spawn(func() { x.drive(ctx) }) {
		return nil
	}
	x.drive(ctx) // which has ended: the run is paused
	return m.checkOpen()
}

// watchRow cancels a life that another process has ended: what waits for a model, or for the phone,
// need not wait any longer. The store refuses what such a life writes, whether or not it knows.
func (x *execution) watchRow(ctx context.Context, life store.Run) {
	for wait.For(ctx, otherProcessPoll) == nil {
		run, err := x.m.store.Runs.Get(ctx, life.ID)
		goes := run.State == store.Queued || run.State == store.Running
		// The fence grows once, when this life gets the phone.
		switch {
		case err != nil, goes && run.Owner == life.Owner && run.Fence <= life.Fence+1:
			continue // the run itself meets what is wrong with the store
		case run.State == store.Paused:
			x.active.cancel(agentloop.ErrPaused)
		default:
			x.active.cancel(agentloop.ErrStopped)
		}
	}
}

// drive is the life of the run's goroutine.
func (x *execution) drive(ctx context.Context) {
	x.state.moved(x.run)
	end := x.handOver(ctx, x.acquireAndPursue(ctx))
	x.closePhone()
	if x.parked != nil {
		x.m.router.Route(x.parked.ID) // before the run is seen to wait
	}
	x.finish(ctx, end)
	x.active.cancel(nil)
	x.state.leave(x.active)
	x.release()
}

// acquireAndPursue waits for the phone, and pursues the run then.
func (x *execution) acquireAndPursue(ctx context.Context) *agentloop.Ending {
	busy := func() {
		x.state.publish(Event{SessionID: x.run.SessionID, RunID: x.run.ID,
			State: store.Queued, Event: agentloop.Event{Kind: PhoneBusy, At: time.Now()}})
	}
	if err := x.m.queues.acquire(ctx, x.place, busy); err != nil {
		return endedInternally(ctx, err)
	}
	run, err := x.m.store.Runs.Transition(ctx, x.run.ID, store.Change{
		From: []store.State{store.Queued}, Fence: x.run.Fence,
		To: store.Running, Reason: agentloop.StillRunning})
	if err != nil {
		return endedInternally(ctx, err)
	}
	x.run = run
	x.state.moved(run)
	return x.pursue(ctx)
}

// pursue gets the phone ready and runs the loop. A panic ends the run, and not the server.
func (x *execution) pursue(ctx context.Context) (end *agentloop.Ending) {
	m, run := x.m, x.run
	defer func() {
		if p := recover(); p != nil {
			m.log.ErrorContext(ctx, "panic", "run", run.ID, "panic", p,
				"stack", string(debug.Stack()))
			end = &agentloop.Ending{Reason: agentloop.InternalError,
				Err: fmt.Errorf("the run broke down: %v", p)}
		}
	}()
	if end := x.prepare(ctx); end != nil {
		return unlessStopped(ctx, end)
	}
	// Steps that a former life left without an outcome were counted when this one began.
	sess, err := m.store.Session(ctx, run.SessionID)
	if err != nil {
		return endedInternally(ctx, err)
	}
	secrets, err := m.store.Secrets.Of(ctx, run.ID)
	if err != nil {
		return endedInternally(ctx, err)
	}
	limits := m.opts.Limits
	limits.Steps = run.MaxSteps - (sess.Steps - x.settings.CallFrom)
	if limits.Steps <= 0 { // asked at the last one
		return agentloop.OutOfSteps(run.MaxSteps)
	}
	runner := x.runner(sess, secrets, limits)
	got, _, err := runner.Run(ctx, run.Progress, sess.Steps)
	if err != nil && !superseded(err) {
		m.log.ErrorContext(ctx, "run", "run", run.ID, "err", err)
	}
	return &got
}

// runner is the loop of this life, whose secrets neither the model nor a gate gets to see.
func (x *execution) runner(
	sess store.Session, secrets []store.Secret, limits agentloop.Limits,
) *agentloop.Runner {
	first := &freshPhone{Phone: x.phone, done: !x.fresh}
	m, run := x.m, x.run
	runner := &agentloop.Runner{
		Phone:   &secretPhone{Phone: first, secrets: secrets, typed: x.secretTyped},
		Policy:  &redactingPolicy{x.policy, secrets},
		Journal: m.store.Journal(run),
		Parker:  x, NoQuestions: x.settings.ReplyMode == channel.NoReply,
		ByHand: func(question string) bool {
			return inquiry.Question{Text: question}.AsksForAct()
		},
		Limits: limits, Moving: x.home || x.handed,
		Background: x.background, Early: m.opts.AskEarly,
		ReadAhead: m.opts.NewGate != nil,
		Observe: func(e agentloop.Event) {
			if e.Kind == agentloop.Decided {
				first.see(e.Step.Screen.State)
			}
			x.state.publish(
				Event{SessionID: run.SessionID, RunID: run.ID, State: store.Running, Event: e})
		},
		Log: m.log.With("run", run.ID, "serial", sess.Serial),
	}
	if m.opts.NewGate != nil {
		runner.Gate = &redactingGate{m.opts.NewGate(sess, run), secrets}
	}
	return runner
}

// background runs what the loop has done in the background. A panic there ends the run at most, and
// not the server.
func (x *execution) background(f func()) bool {
	return x.m.spawn(func() {
		defer func() {
			if p := recover(); p != nil {
				x.m.log.Error("panic", "run", x.run.ID, "panic", p, "stack", string(debug.Stack()))
			}
		}()
		f()
	})
}

// prepare sees that there is a policy whose model can be asked, and then a phone that is awake. An
// ending says which there is not, even when that is only because ctx has ended.
func (x *execution) prepare(ctx context.Context) *agentloop.Ending {
	var err error
	if x.policy == nil {
		if x.policy, err = x.m.opts.NewPolicy(x.settings.Settings); err != nil {
			return agentloop.LostModel(err)
		}
	}
	if r, ok := x.policy.(readier); ok {
		began := time.Now()
		err := r.Ready(ctx)
		x.before.Decide = time.Since(began)
		x.before.Model = x.before.Decide
		if err != nil {
			return agentloop.LostModel(err)
		}
	}
	began := time.Now()
	defer func() { x.before.Ready = time.Since(began) }()
	if x.phone == nil {
		if x.phone, err = x.m.opts.Phones.Open(ctx, x.sess.Serial); err != nil {
			return &agentloop.Ending{Reason: agentloop.DeviceDisconnected, Err: err}
		}
	}
	if err := ready(ctx, x.phone, x.home); err != nil {
		return agentloop.LostPhone(err)
	}
	return nil
}

// readier is a Policy that can tell beforehand why its model cannot be asked.
type readier interface {
	Ready(ctx context.Context) error
}

// closePhone closes the phone, if it is open.
func (x *execution) closePhone() {
	if x.phone == nil {
		return
	}
	if err := x.phone.Close(); err != nil {
		x.m.log.Warn("closing the phone", "serial", x.sess.Serial, "err", err)
	}
	x.phone = nil
}

// unlessStopped is the ending of a life to which something has happened, perhaps only because ctx
// has ended.
func unlessStopped(ctx context.Context, end *agentloop.Ending) *agentloop.Ending {
	if ctx.Err() != nil {
		return agentloop.Stopped(ctx)
	}
	return end
}

// endedInternally is the ending by what should not happen.
func endedInternally(ctx context.Context, err error) *agentloop.Ending {
	return unlessStopped(ctx, &agentloop.Ending{Reason: agentloop.InternalError, Err: err})
}

// finish stores how this life ended.
func (x *execution) finish(ctx context.Context, end *agentloop.Ending) {
	begun := end.Begun
	begun.Timing.Ready += x.before.Ready
	begun.Timing.Decide += x.before.Decide
	begun.Timing.Model += x.before.Model
	e := ending{m: x.m, state: x.state, run: x.run, serial: x.sess.Serial, change: store.Change{
		To: stateOf(end), Reason: end.Reason, Answer: end.Answer, Begun: begun,
		Err: strings.ReplaceAll(errorText(end.Err), "sessions show SESSION",
			"sessions show "+x.sess.ID)}}
	if x.parked != nil {
		e.parked = x.parked.ID
	}
	if e.change.To.Waiting() {
		e.change.Question = e.parked
	}
	e.keep(ctx)
}

// stateOf is the state of a run that ended so. What can go on is PAUSED.
func stateOf(end *agentloop.Ending) store.State {
	if q := end.Question; q != nil {
		return store.State(agentloop.WaitingFor(q.Kind).State)
	}
	switch end.Reason {
	case agentloop.TaskCompleted:
		return store.Completed
	case agentloop.TaskAborted:
		return store.Aborted
	case agentloop.ManualStop, agentloop.Cancelled:
		return store.Cancelled
	case agentloop.QuestionLimit, agentloop.ReplayDiverged:
		return store.Failed
	default:
		return store.Paused
	}
}

// hintMark stands between an error and its remedy in a run's stored error.
const hintMark = "\nmend: "

func errorText(err error) string {
	if err == nil {
		return ""
	}
	if remedy := hint.Of(err); remedy != "" {
		return err.Error() + hintMark + remedy
	}
	return err.Error()
}

// ErrorParts are the two parts of a stored run's error: what was in the way, and what can be done.
func ErrorParts(text string) (message, remedy string) {
	if i := strings.LastIndex(text, hintMark); i >= 0 {
		return text[:i], text[i+len(hintMark):]
	}
	return text, ""
}
