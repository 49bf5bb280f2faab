package runs

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// Work is what a run carries out in one of its lives: a task on a phone, or a goal of agents. One
// goroutine at a time uses it.
type Work interface {
	// Open gets hold of what the work is done on, before the run is stored, and says what that is.
	// For work that needs no phone it returns the zero Device, and refuses a serial.
	Open(ctx context.Context, serial string) (store.Device, error)
	// Pursue carries the run out until it ends or comes to rest. It returns soon when ctx ends; the
	// Outcome is then that of agentloop.Stopped, unless the run was completed before.
	Pursue(ctx context.Context, l Life) Outcome
	// Close gives back what Open and Pursue got hold of. Pursue after Close opens it again.
	Close()
}

// Life is one life of a run, which is RUNNING.
type Life struct {
	Session store.Session
	Run     store.Run
	Observe func(agentloop.Event) // tells those who watch the run
}

// Outcome is how a life of a run ended.
type Outcome struct {
	agentloop.Ending
	Parked string // the id of the stored question that the run waits for; "" if there is none
}

// execution is one life of a run: from QUEUED until it ends or comes to rest.
type execution struct {
	m        *Manager
	work     Work
	sess     store.Session
	run      store.Run // to be stored as QUEUED, and RUNNING from when it is its turn
	settings storedSettings

	// Set by launch.
	state   *sessionState
	release func() // of state
	active  *activeRun
	place   *queue.Place
}

// open opens the work, or gives the code for a phone that cannot be had.
func (x *execution) open(ctx context.Context, serial string) error {
	dev, err := x.work.Open(ctx, serial)
	switch {
	case err == nil:
		x.sess.Device, x.sess.Serial = dev, dev.ID
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return NoPhone(err)
}

// launch hands the QUEUED run to its own goroutine. The caller has the session's lock; x.work is
// the goroutine's from now on. Work that may have to wait for its turn is opened again then.
func (x *execution) launch(queue bool) error {
	m := x.m
	if queue {
		x.work.Close()
	}
	ctx, cancel := context.WithCancelCause(m.ctx)
	x.active = &activeRun{alone: x.settings.DetachedOK, cancel: cancel, done: make(chan struct{})}
	x.state, x.release = m.states.use(x.sess.ID)
	x.state.enter(x.active)
	// Here, so that the line has the order of the calls.
	x.place = m.lines.Join(x.sess, x.run.ID)
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
		// The fence grows once, when it is this life's turn.
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
	out := x.acquireAndPursue(ctx)
	x.work.Close()
	if out.Parked != "" {
		x.m.desk.Route(out.Parked) // before the run is seen to wait
	}
	x.finish(ctx, out)
	x.m.lines.Leave(x.place)
	x.active.cancel(nil)
	x.state.leave(x.active)
	x.release()
}

// acquireAndPursue waits until it is the run's turn, and carries it out then.
func (x *execution) acquireAndPursue(ctx context.Context) Outcome {
	run, err := x.acquire(ctx)
	if err != nil {
		end := endedInternally(ctx, err)
		if end.Reason == agentloop.TakeoverNeeded {
			end.Reason = agentloop.UserPaused // it has no phone yet: takeOver hands that over
		}
		return Outcome{Ending: *end}
	}
	x.run = run
	x.state.moved(run)
	return x.pursue(ctx)
}

func (x *execution) acquire(ctx context.Context) (store.Run, error) {
	err := x.m.lines.Acquire(ctx, x.place, func() {
		x.state.publish(Event{SessionID: x.run.SessionID, RunID: x.run.ID,
			State: store.Queued, Event: agentloop.Event{Kind: PhoneBusy, At: time.Now()}})
	})
	if err != nil {
		return store.Run{}, err
	}
	return x.m.store.Runs.Transition(ctx, x.run.ID, store.Change{
		From: []store.State{store.Queued}, Fence: x.run.Fence,
		To: store.Running, Reason: agentloop.StillRunning})
}

// pursue carries the run out. A panic ends the run, and not the server.
func (x *execution) pursue(ctx context.Context) (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			x.m.log.ErrorContext(ctx, "panic", "run", x.run.ID, "panic", p,
				"stack", string(debug.Stack()))
			out = Outcome{Ending: agentloop.Ending{Reason: agentloop.InternalError,
				Err: fmt.Errorf("the run broke down: %v", p)}}
		}
	}()
	return x.work.Pursue(ctx, Life{Session: x.sess, Run: x.run, Observe: func(e agentloop.Event) {
		x.state.publish(Event{SessionID: x.run.SessionID, RunID: x.run.ID, State: store.Running,
			Event: e})
	}})
}

// finish stores how this life ended.
func (x *execution) finish(ctx context.Context, out Outcome) {
	e := ending{m: x.m, state: x.state, run: x.run, serial: x.sess.Serial, parked: out.Parked,
		change: store.Change{To: stateOf(&out.Ending), Reason: out.Reason, Answer: out.Answer,
			Begun: out.Begun, Err: strings.ReplaceAll(errorText(out.Err), "sessions show SESSION",
				"sessions show "+x.sess.ID)}}
	if e.change.To.Waiting() {
		e.change.Question = out.Parked
	}
	e.keep(ctx)
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

// stateOf is the state of a run that ended so. A run that can go on is PAUSED.
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
