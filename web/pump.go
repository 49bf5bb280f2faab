package web

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/session"
)

// feed is what happens, ready for any number of listeners: goroutines of its own put the broker's
// events and the changes of sessions into the ring.
type feed struct {
	records   records
	ring      *ring
	changes   changes
	snapshots snapshots
	listening atomic.Int64 // event streams

	ctx     context.Context // of the server's life
	open    context.Context // ends a little before, so that listeners hear of what has happened
	shut    context.CancelCauseFunc
	pumping sync.WaitGroup
}

// newFeed starts the goroutines, which end with stop.
func newFeed(ctx context.Context, records records) *feed {
	f := &feed{records: records, ring: newRing(records.Buffer), ctx: ctx,
		changes: changes{ids: map[string]bool{}, wake: make(chan struct{}, 1)}}
	f.open, f.shut = context.WithCancelCause(ctx)
	sub := records.Questions.Subscribe()
	f.pumping.Go(func() { f.pumpQuestions(sub) })
	f.pumping.Go(f.pumpSessions)
	return f
}

// stop returns when what has happened by then is in the ring.
func (f *feed) stop() {
	f.shut(errClosing)
	f.pumping.Wait()
}

// pumpQuestions puts the broker's events into the ring until the feed stops.
func (f *feed) pumpQuestions(sub *inquiry.Subscription) {
	defer sub.Close()
	for {
		// which gives what is there before it looks whether that has ended
		e, err := sub.Next(f.open)
		if err != nil {
			return
		}
		if e.Type == inquiry.Lost {
			f.ring.resync()
			continue
		}
		client, err := f.records.owner(f.ctx, e.Question)
		f.publish("inquiry."+string(e.Type), client, err, f.records.viewOf(e.Question))
	}
}

// publish puts an event into the ring for those who may see what belongs to the client. When it
// could not be found out whom it belongs to, every listener gets a snapshot, and sees there what it
// may.
func (f *feed) publish(name string, client *string, err error, view any) {
	if err == nil {
		var b []byte
		if b, err = json.Marshal(view); err == nil {
			f.ring.put(event{name, b, client})
			return
		}
	}
	if f.ctx.Err() == nil {
		f.records.Log.Error("publishing", "event", name, "err", err)
		f.ring.resync()
	}
}

// changes is the sessions that changed since they were last looked at.
type changes struct {
	mu   sync.Mutex
	ids  map[string]bool
	wake chan struct{} // holds one token when there is something to read
}

// Changed says that a session's run has moved or taken a step: listeners get session.state and
// step, read from the store. It returns at once, so a run may call it at each of its events.
func (s *Server) Changed(sessionID string) { s.feed.changes.add(sessionID) }

func (c *changes) add(sessionID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids[sessionID] = true
	wait.Wake(c.wake)
}

func (c *changes) take() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := c.ids
	c.ids = map[string]bool{}
	return ids
}

// known is what listeners know of a session.
type known struct {
	run, reason string
	state       session.State
	step        int
}

// maxKnown bounds the memory of pumpSessions. Of a session that is forgotten the state and the last
// step are published once more.
const maxKnown = 4096

// pumpSessions looks at the sessions that changed until the feed stops.
func (f *feed) pumpSessions() {
	sessions := map[string]known{}
	elsewhere := time.NewTicker(f.records.Elsewhere)
	defer elsewhere.Stop()
	for last := false; !last; {
		select {
		case <-f.open.Done():
			last = true
		case <-f.changes.wake:
		case <-elsewhere.C:
			if f.listening.Load() == 0 {
				continue
			}
			f.lookElsewhere(sessions)
		}
		if len(sessions) > maxKnown {
			clear(sessions)
		}
		for id := range f.changes.take() {
			before, seen := sessions[id]
			now, err := f.publishSession(id, before, seen)
			switch {
			case errors.Is(err, session.ErrNotFound):
				delete(sessions, id)
			case err != nil && f.ctx.Err() == nil:
				f.records.Log.Error("looking at a session", "session", id, "err", err)
			case err != nil:
				return
			default:
				sessions[id] = now
			}
		}
	}
}

// lookElsewhere adds the sessions whose runs are under way, or were when they were last looked at,
// to those that changed: what another process does with its own is only in the store.
func (f *feed) lookElsewhere(sessions map[string]known) {
	for id, k := range sessions {
		if !k.state.Terminal() {
			f.changes.add(id)
		}
	}
	all, err := f.records.Sessions.Sessions(f.ctx, session.Filter{Limit: sessionsShown})
	if err != nil && f.ctx.Err() == nil {
		f.records.Log.Error("looking at the runs of other processes", "err", err)
	}
	for _, o := range all {
		if o.Latest != nil && !o.Latest.State.Terminal() {
			f.changes.add(o.ID)
		}
	}
}

// publishSession publishes what is new in a session: of one that was not seen before the state and
// the last step.
func (f *feed) publishSession(id string, before known, seen bool) (now known, err error) {
	x, err := f.records.Sessions.Find(f.ctx, id, nil)
	if err != nil {
		return before, err
	}
	view, err := f.records.present(f.ctx, x)
	if err != nil || view.Run == nil {
		return before, err
	}
	now = known{view.Run.ID, view.Run.StopReason, view.Run.State, before.step}
	if !seen {
		now.step = max(x.Steps-1, 0)
	}
	steps, err := f.records.Sessions.StepsAfter(f.ctx, id, now.step)
	if err != nil {
		return before, err
	}
	for _, st := range steps {
		if st.State == session.Intent {
			break
		}
		f.publish("step", &x.Client, nil, viewOfStep(st))
		now.step = st.Index
	}
	if !seen || now.run != before.run || now.state != before.state || now.reason != before.reason {
		f.publish("session.state", &x.Client, nil, view)
	}
	return now, nil
}
