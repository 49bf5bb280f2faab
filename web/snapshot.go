package web

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/session"
)

// snapshots shares what listeners get first. After a restart all of them come at once, and most see
// the same.
type snapshots struct {
	mu   sync.Mutex
	kept map[viewer]*snapshot
}

// snapshot is all open questions and the sessions under way, as one viewer sees them.
type snapshot struct {
	turn chan struct{} // holds one token: its holder makes the snapshot, and the others wait for it
	at   uint64        // the number of the last event that is in it
	made time.Time
	text []byte // the event, ready to be sent
}

const (
	freshFor      = time.Second // the changes of other processes' runs bring no event at once
	maxSnapshots  = 16          // as many viewers' are kept
	sessionsShown = 100
)

// snapshot is the snapshot for those who see what the viewer sees. Nothing has happened since it
// was made.
func (f *feed) snapshot(ctx context.Context, v viewer) (at uint64, text []byte, err error) {
	if v.all {
		v = viewer{all: true} // they all see the same
	}
	x := f.snapshots.get(v)
	select {
	case x.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, nil, context.Cause(ctx)
	}
	defer func() { <-x.turn }()
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
	x := c.kept[v]
	if x == nil {
		if len(c.kept) >= maxSnapshots || c.kept == nil {
			c.kept = map[viewer]*snapshot{}
		}
		x = &snapshot{turn: make(chan struct{}, 1)}
		c.kept[v] = x
	}
	return x
}

// make reads the snapshot anew. Events that happen meanwhile come after it, so they may repeat what
// is in it already.
func (f *feed) make(ctx context.Context, v viewer, x *snapshot) error {
	at, made := f.ring.last(), time.Now()
	questions, err := f.records.visible(ctx, v, inquiry.Filter{Status: inquiry.Pending})
	if err != nil {
		return err
	}
	all, err := f.records.Sessions.Sessions(ctx,
		session.Filter{Limit: sessionsShown, Client: v.client()})
	if err != nil {
		return err
	}
	sessions := []sessionView{}
	for _, o := range all {
		if o.Latest != nil && !o.Latest.State.Terminal() {
			sessions = append(sessions, sessionView{o.Session, viewOfRun(o.Latest)})
		}
	}
	data, err := json.Marshal(map[string]any{"inquiries": questions, "sessions": sessions,
		"at": made.UTC()})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.Grow(len(data) + 100)
	frame(&b, "snapshot", f.ring.id(at), data)
	x.at, x.made = at, made
	x.text = b.Bytes()
	return nil
}
