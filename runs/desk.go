package runs

import (
	"context"
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/session"
)

// desk is where this Manager keeps track of one session.
type desk struct {
	op chan struct{} // holds one token: whoever has it may change the session's runs

	mu       sync.Mutex
	live     *live
	asking   *asking       // nil when no question has an usher
	changed  chan struct{} // closed when the run is in another state, or another channel is asked
	watchers map[*Watch]struct{}
	grace    time.Duration // how long a run goes on with nobody attached; 0 is for ever
	attached int
	timer    *time.Timer // of the grace; nil when it is not being counted
}

// live is a run that a goroutine of this Manager carries out.
type live struct {
	runID  string
	alone  bool // goes on with nobody attached
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the goroutine has left the phone alone and the run's end is stored
}

// desk gives the session's desk, one for all who are busy with the session at the same time. It is gone when nobody is: what it
// knows is of use only to goroutines that hold it.
func (f *Manager) desk(sessionID string) *desk {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.desks[sessionID].Value(); d != nil {
		return d
	}
	d := &desk{op: make(chan struct{}, 1), changed: make(chan struct{}), watchers: map[*Watch]struct{}{}, grace: f.opts.DetachGrace}
	f.desks[sessionID] = weak.Make(d)
	runtime.AddCleanup(d, f.clear, sessionID)
	return d
}

// clear forgets a desk that is gone, unless there is a new one.
func (f *Manager) clear(sessionID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.desks[sessionID].Value() == nil {
		delete(f.desks, sessionID)
	}
}

// take waits for the right to change the session's runs; the caller gives it back.
func (d *desk) take(ctx context.Context) (giveBack func(), err error) {
	select {
	case d.op <- struct{}{}:
		return func() { <-d.op }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (d *desk) current() *live {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.live
}

// changes is closed at the next change.
func (d *desk) changes() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

func (d *desk) enter(l *live) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live = l
	d.countDown()
}

// leave ends the life of a run here.
func (d *desk) leave(l *live) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.live == l {
		d.live = nil
	}
	d.countDown()
	close(l.done)
	d.wake()
}

// wake tells those who wait. d.mu is held.
func (d *desk) wake() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// Event is something that happened in a run.
type Event struct {
	SessionID, RunID string
	State            session.State
	agentloop.Event
}

// StateChanged is the kind of the events that only say that the run is in another state now.
const StateChanged agentloop.EventKind = "state"

// publish gives an event to whoever watches, and wakes those who wait when the run is in another state.
func (f *Manager) publish(d *desk, e Event) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	if f.opts.Observe != nil {
		f.opts.Observe(e)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for w := range d.watchers {
		w.put(e)
	}
	if e.Kind == StateChanged {
		d.wake()
	}
}

// moved publishes that a run is in another state.
func (f *Manager) moved(d *desk, r session.Run) {
	f.publish(d, Event{SessionID: r.SessionID, RunID: r.ID, State: r.State,
		Event: agentloop.Event{Kind: StateChanged, Progress: r.Progress}})
}

// Watch is a queue of a session's events.
type Watch struct {
	C      <-chan Event // closed by Close
	events chan Event
	desk   *desk
}

// Watch returns a queue of the session's events from now on. It never holds a run up: a reader who is more than 64 events
// behind misses the oldest. The caller closes it.
func (f *Manager) Watch(sessionID string) *Watch {
	w := &Watch{events: make(chan Event, 64), desk: f.desk(sessionID)}
	w.C = w.events
	w.desk.mu.Lock()
	defer w.desk.mu.Unlock()
	w.desk.watchers[w] = struct{}{}
	return w
}

// Close ends the watch. Closing again does nothing.
func (w *Watch) Close() {
	w.desk.mu.Lock()
	defer w.desk.mu.Unlock()
	if _, open := w.desk.watchers[w]; open {
		delete(w.desk.watchers, w)
		close(w.events)
	}
}

// put adds an event and drops the oldest when there is no room. The desk's lock is held, so it is the only writer.
func (w *Watch) put(e Event) {
	for {
		select {
		case w.events <- e:
			return
		default:
		}
		select {
		case <-w.events:
		default:
		}
	}
}
