package runs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// execution is one life of a run, from QUEUED until it ends, pauses or waits.
type execution struct {
	m        *Manager
	work     Work
	sess     store.Session
	run      store.Run // stored as QUEUED, then as RUNNING
	settings storedSettings

	begin     beginning
	elsewhere bool // left to the machine that has the phone
	adopted   bool // begun on another machine
	late      bool // its turn did not come in time

	// Set by launch.
	state   *sessionState
	release func() // of state
	active  *activeRun
	place   *queue.Place
	// Says that the phone is not touched any more. nil before that may be.
	untouched func()
}

// open opens the work. The error has a code if the phone cannot be used.
func (x *execution) open(ctx context.Context, serial string) error {
	dev, err := x.work.Open(ctx, serial)
	if away, elsewhere := errors.AsType[*ElsewhereError](err); elsewhere {
		x.leave()
		dev, err = away.Device, nil
	}
	switch {
	case err == nil:
		x.sess.Device, x.sess.Serial = dev, dev.ID
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return NoPhone(err)
}

// leave leaves the run to another machine.
func (x *execution) leave() {
	x.elsewhere, x.run.Unowned = true, true
}

// launch starts the goroutine of the QUEUED run, which then owns x.work. The caller holds the
// session's lock. If the run may have to queue, the goroutine opens the work again on its turn.
// call is the context of the call that wants it.
func (x *execution) launch(call context.Context, queue bool) error {
	m := x.m
	if queue || x.elsewhere {
		x.work.Close()
	}
	if x.elsewhere {
		s, done := m.states.use(x.sess.ID)
		defer done()
		s.moved(call, x.run)
		return nil
	}
	ctx, cancel := context.WithCancelCause(logs.Life(m.ctx, call))
	logs.Learn(ctx, logs.Session, x.sess.ID, logs.Run, x.run.ID, logs.Phone, x.sess.Serial)
	x.active = &activeRun{ctx: ctx, cancel: cancel, done: make(chan struct{}),
		alone: x.settings.DetachedOK || x.adopted && x.run.Attended == 0}
	x.state, x.release = m.states.use(x.sess.ID)
	x.state.enter(x.active)
	// Joined here, so that runs queue in the order of the calls.
	x.place = m.lines.Join(x.sess, x.run, x.begin.Rank)
	life := x.run
	if m.spawn(func() { x.watchRow(ctx, life) }) && m.spawn(func() { x.drive(ctx) }) {
		return nil
	}
	x.drive(ctx) // ctx has ended, so this pauses the run
	return m.checkOpen()
}

// watchRow cancels a life that another process has ended, so that it stops waiting for a model or
// the phone. The store refuses writes of such a life in any case.
func (x *execution) watchRow(ctx context.Context, life store.Run) {
	for wait.For(ctx, otherProcessPoll) == nil {
		run, err := x.m.store.Runs.Get(ctx, life.ID)
		if err == nil && run.Attended != life.Attended {
			life.Attended = run.Attended
			x.state.attach(0) // its grace begins anew
		}
		goes := run.State == store.Queued || run.State == store.Running
		// The fence grows once, when this life starts to run.
		switch {
		case err != nil, goes && run.Owner == life.Owner && run.Fence <= life.Fence+1:
			continue // the run handles errors of the store itself
		case run.State == store.Paused:
			x.active.cancel(agentloop.ErrPaused)
		default:
			x.active.cancel(agentloop.ErrStopped)
		}
	}
}

// drive is the body of the run's goroutine.
func (x *execution) drive(ctx context.Context) {
	x.state.moved(ctx, x.run)
	out := x.acquireAndPursue(ctx)
	x.work.Close()
	if x.untouched != nil {
		x.untouched()
	}
	if out.Parked != "" {
		x.m.desk.Route(out.Parked) // before others can see that the run waits
	}
	x.finish(ctx, out)
	x.m.lines.Leave(x.place)
	x.active.cancel(nil)
	x.state.leave(x.active)
	x.release()
	if out.Reason == agentloop.DeviceDisconnected {
		reunion{x.m}.later(x.sess.ID)
	}
}

// acquireAndPursue waits for the run's turn and then carries it out.
func (x *execution) acquireAndPursue(ctx context.Context) Outcome {
	run, err := x.acquire(ctx)
	if errors.Is(err, errLate) {
		x.late = true
		return Outcome{Ending: agentloop.Ending{Reason: agentloop.NotStarted, Err: err}}
	}
	if err != nil {
		end := endedInternally(ctx, err)
		if end.Reason == agentloop.TakeoverNeeded {
			end.Reason = agentloop.UserPaused // without a phone yet: takeOver hands it over
		}
		return Outcome{Ending: *end}
	}
	x.run = run
	x.state.moved(ctx, run)
	return x.pursue(ctx)
}

func (x *execution) acquire(ctx context.Context) (store.Run, error) {
	turn, cancel := ctx, context.CancelFunc(func() {})
	if until := x.begin.Until; !until.IsZero() {
		turn, cancel = context.WithDeadlineCause(ctx, until, errLate)
	}
	defer cancel()
	err := x.m.lines.Acquire(turn, x.place, func() {
		x.state.publish(Event{Context: ctx, SessionID: x.run.SessionID, RunID: x.run.ID,
			State: store.Queued, Event: agentloop.Event{Kind: PhoneBusy, At: time.Now()}})
	})
	if err != nil && errors.Is(context.Cause(turn), errLate) {
		err = errLate // whatever was under way
	}
	if err != nil {
		return store.Run{}, err
	}
	x.settings.Begin = nil // it begins
	if x.begin.Home {
		x.settings.Begin = &beginning{Had: true, Home: true, Fresh: x.begin.Fresh}
	}
	if x.sess.Serial != "" {
		x.untouched, err = x.m.store.Owner.Touching(ctx, x.sess.Serial, x.run.ID)
		if err != nil {
			return store.Run{}, err
		}
	}
	return x.m.store.Runs.Transition(ctx, x.run.ID, store.Change{
		From: []store.State{store.Queued}, Fence: x.run.Fence, To: store.Running,
		Reason: agentloop.StillRunning, Settings: encode(x.settings)})
}

// pursue carries the run out. A panic ends the run only.
func (x *execution) pursue(ctx context.Context) (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			x.m.log.ErrorContext(ctx, "panic", "panic", p,
				"stack", string(debug.Stack()))
			out = Outcome{Ending: agentloop.Ending{Reason: agentloop.InternalError,
				Err: fmt.Errorf("the run broke down: %v", p)}}
		}
	}()
	return x.work.Pursue(ctx, Life{Session: x.sess, Run: x.run, Observe: func(e agentloop.Event) {
		x.state.publish(Event{Context: ctx, SessionID: x.run.SessionID, RunID: x.run.ID,
			State: store.Running, Event: e})
	}})
}

// finish stores how this life ended.
func (x *execution) finish(ctx context.Context, out Outcome) {
	e := ending{ends: x.m.ends, state: x.state, run: x.run, serial: x.sess.Serial,
		parked: out.Parked,
		change: store.Change{To: stateOf(&out.Ending), Reason: out.Reason, Answer: out.Answer,
			Begun: out.Begun, Err: strings.ReplaceAll(hint.Join(out.Err), "sessions show SESSION",
				"sessions show "+x.sess.ID)}}
	if x.late {
		e.change.To = store.Cancelled
	}
	e.change = x.handedOver(e.change)
	if e.change.To.Waiting() {
		e.change.Question = out.Parked
	}
	e.keep(ctx)
}

// lease acquires the phone for a new run without waiting. If another run was faster, the run ends.
func (x *execution) lease(ctx context.Context) error {
	m := x.m
	if x.sess.Serial == "" { // goals need no phone
		return nil
	}
	err := m.store.Leases.Take(ctx, x.sess.Serial, x.run.ID)
	if err == nil {
		return nil
	}
	if held, ok := errors.AsType[*store.BusyError](err); ok {
		err = taken(m, held.Hold, x.sess.Client)
	}
	s, done := m.states.use(x.sess.ID)
	defer done()
	ending{ends: m.ends, state: s, run: x.run, serial: x.sess.Serial, change: store.Change{
		To: store.Cancelled, Reason: agentloop.NotStarted, Err: hint.Join(err)}}.keep(ctx)
	return err
}

// handedOver returns the end of a life as it is stored. In a farm a run waits for another process
// if it ends with this one, or because the store took no writes here.
func (x *execution) handedOver(c store.Change) store.Change {
	ails := c.Reason == agentloop.StoreUnavailable
	if !ails && c.Reason != agentloop.ServerRestarted || x.sess.Serial == "" ||
		!x.m.handsOver.Load() {
		return c
	}
	if ails {
		x.m.ails.Store(true)
	}
	c.To, c.Reason, c.Unowned, c.Err = store.Queued, agentloop.StillRunning, true, ""
	c.Progress = agentloop.Progress.Resumed
	return c
}
