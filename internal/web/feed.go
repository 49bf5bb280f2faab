package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/wait"
)

// feed is what happens, ready for any number of listeners: its goroutines put the broker's
// events and the changes of sessions into the ring.
type feed struct {
	opts      *Options
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
func newFeed(ctx context.Context, o *Options, records records) *feed {
	f := &feed{opts: o, records: records, ring: newRing(o.Buffer), ctx: ctx,
		changes: changes{ids: map[string]bool{}, wake: make(chan struct{}, 1)}}
	f.open, f.shut = context.WithCancelCause(ctx)
	sub := o.Questions.Subscribe()
	f.pumping.Go(func() { f.pumpQuestions(sub) })
	f.pumping.Go(f.pumpSessions)
	return f
}

// pumpQuestions puts the broker's events into the ring until the feed stops.
func (f *feed) pumpQuestions(sub *inquiry.Subscription) {
	defer sub.Close()
	for {
		// it drains the subscription before it reports the end
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
			f.ring.put(pageEvent{name, b, client})
			return
		}
	}
	if f.ctx.Err() == nil {
		f.opts.Log.Error("publishing", "event", name, "err", err)
		f.ring.resync()
	}
}

// changes is the sessions that changed since they were last looked at.
type changes struct {
	mu   sync.Mutex
	ids  map[string]bool
	wake chan struct{} // holds one token when there is something to read
}

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

// lastSeen is what listeners know of a session.
type lastSeen struct {
	run, reason string
	state       store.State
	step        int
	// of that step, which is sent again if it was carried out after all; in a list, of the change
	done time.Time
}

// maxKnown bounds the memory of pumpSessions. Of a session that is forgotten the state and the last
// step are published once more.
const maxKnown = 4096

// pumpSessions looks at the sessions that changed until the feed stops.
func (f *feed) pumpSessions() {
	sessions := map[string]lastSeen{}
	var listed map[string]lastSeen
	elsewhere := time.NewTicker(f.opts.Elsewhere)
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
			listed = f.lookElsewhere(sessions, listed)
		}
		if len(sessions) > maxKnown {
			clear(sessions)
		}
		for id := range f.changes.take() {
			before, seen := sessions[id]
			now, err := f.publishSession(id, before, seen)
			switch {
			case errors.Is(err, store.ErrNotFound):
				delete(sessions, id)
			case err != nil && f.ctx.Err() == nil:
				f.opts.Log.Error("looking at a session", "session", id, "err", err)
			case err != nil:
				return
			default:
				sessions[id] = now
			}
		}
	}
}

// lookElsewhere adds the sessions that are listed otherwise than before to those that changed, and
// those that are not listed any more though their runs were under way: what another process does
// with its own is only in the store. It returns the list.
func (f *feed) lookElsewhere(sessions, before map[string]lastSeen) map[string]lastSeen {
	all, err := f.opts.Sessions.Sessions(f.ctx, store.Filter{Limit: sessionsShown})
	if err != nil && f.ctx.Err() == nil {
		f.opts.Log.Error("looking at the runs of other processes", "err", err)
		return before
	}
	listed := map[string]lastSeen{}
	for _, o := range all {
		if o.Latest == nil {
			continue
		}
		now := lastSeen{o.Latest.ID, string(o.Latest.StopReason), o.Latest.State, o.Steps,
			o.UpdatedAt}
		listed[o.ID] = now
		// at first, what has ended is not told
		if before[o.ID] != now && (before != nil || !now.state.Terminal()) {
			f.changes.add(o.ID)
		}
	}
	for id, k := range sessions {
		if _, is := listed[id]; !is && !k.state.Terminal() {
			f.changes.add(id)
		}
	}
	return listed
}

// publishSession publishes the changes of a session. Of one that was not seen before it publishes
// the state and the last step.
func (f *feed) publishSession(id string, before lastSeen, seen bool) (now lastSeen, err error) {
	x, err := f.opts.Sessions.Find(f.ctx, id, nil)
	if err != nil {
		return before, err
	}
	view, err := f.records.present(f.ctx, x)
	if err != nil || view.Run == nil {
		return before, err
	}
	now = lastSeen{view.Run.ID, view.Run.StopReason, view.Run.State, before.step,
		before.done}
	if !seen {
		now.step = x.Steps
	}
	steps, err := f.opts.Sessions.Steps(f.ctx, id, max(now.step-1, 0))
	if err != nil {
		return before, err
	}
	for _, st := range steps {
		if st.State == store.Intent {
			break
		}
		if st.Index == before.step && st.DoneAt.Equal(before.done) {
			continue
		}
		f.publish("step", &x.Client, nil, steppedView{export.See(st), view.Run.Tokens})
		now.step, now.done = st.Index, st.DoneAt
	}
	if !seen || now.run != before.run || now.state != before.state || now.reason != before.reason {
		f.publish("session.state", &x.Client, nil, view)
	}
	return now, nil
}

// steppedView is a step as it happens.
type steppedView struct {
	export.SeenStep
	RunTokens int `json:"run_tokens"` // of all its steps so far
}

// snapshots shares what listeners get first. After a restart all of them come at once, and most see
// the same.
type snapshots struct {
	mu   sync.Mutex
	kept map[string]*snapshot // by who sees the same
}

// snapshot is all open questions and the sessions under way, as one viewer sees them.
type snapshot struct {
	making wait.Mutex // its holder makes the snapshot, and the others wait for it
	at     uint64     // the number of the last event that is in it
	made   time.Time
	text   []byte // the event, ready to be sent
}

const (
	freshFor      = time.Second // the changes of other processes' runs bring no event at once
	maxSnapshots  = 16          // as many viewers' are kept
	sessionsShown = 100
)

// snapshot is the snapshot for those who see what the viewer sees. Nothing has happened since it
// was made.
func (f *feed) snapshot(ctx context.Context, v viewer) (at uint64, text []byte, err error) {
	x := f.snapshots.get(v)
	if err := x.making.Lock(ctx); err != nil {
		return 0, nil, err
	}
	defer x.making.Unlock()
	if x.text == nil || x.at != f.ring.last() || time.Since(x.made) >= freshFor {
		if err := f.make(ctx, v, x); err != nil {
			return 0, nil, err
		}
	}
	return x.at, x.text, nil
}

func (c *snapshots) get(v viewer) *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	same := fmt.Sprintf("%q", v.owners())
	x := c.kept[same]
	if x == nil {
		if len(c.kept) >= maxSnapshots || c.kept == nil {
			c.kept = map[string]*snapshot{}
		}
		x = &snapshot{making: wait.NewMutex()}
		c.kept[same] = x
	}
	return x
}

// make reads the snapshot. Events that happen meanwhile come after it, so they may repeat what
// the snapshot has already.
func (f *feed) make(ctx context.Context, v viewer, x *snapshot) error {
	at, made := f.ring.last(), time.Now()
	questions, err := f.records.visible(ctx, v, inquiry.Filter{Status: inquiry.Pending}, 0)
	if err != nil {
		return err
	}
	all, err := f.opts.Sessions.Sessions(ctx,
		store.Filter{Limit: sessionsShown, Owners: v.owners()})
	if err != nil {
		return err
	}
	sessions := []export.Listed{}
	for _, o := range all {
		if o.Latest != nil && !o.Latest.State.Terminal() {
			sessions = append(sessions, export.List(o))
		}
	}
	data, err := json.Marshal(map[string]any{"inquiries": questions, "sessions": sessions,
		"at": made.UTC()})
	if err != nil {
		return err
	}
	x.at, x.made = at, made
	x.text = wire.AppendEvent(make([]byte, 0, len(data)+100),
		wire.Event{ID: f.ring.id(at), Name: "snapshot", Data: data})
	return nil
}
