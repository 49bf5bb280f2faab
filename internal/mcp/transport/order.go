package transport

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// order lets the tool calls of one client begin in the order in which it wrote them. The zero value
// is ready, and is safe for concurrent use.
type order struct {
	mu   sync.Mutex
	last *turn // of the newest call, nil if there was none

	// over HTTP each message has a connection, and the ids say what was written first
	numbered bool
	upto     int64         // the id of the newest request
	moved    chan struct{} // closed when upto changes
	gaps     int           // ids that were waited for in vain
}

const (
	// longestBegin is how long a call whose turn has come holds up the calls after it.
	longestBegin = 5 * time.Second
	// longestGap is how long a request waits for those with lower ids.
	longestGap = time.Second
	// mostGaps is how many ids may be missing before the client's ids are taken for no numbers.
	mostGaps = 2
)

// turn is the place of one call in the order.
type turn struct {
	before *turn         // nil if there was none, or once the turn has come
	come   chan struct{} // closed when the turn has come
	begun  chan struct{} // closed when the call has begun, or has ended without
	waited bool          // until the turn had come
	early  bool          // it ended before its turn had come, valid once begun is closed
	once   sync.Once
}

// next returns the place of a call that was written after all others.
func (o *order) next() *turn {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.append()
}

// append is next. The caller holds the lock.
func (o *order) append() *turn {
	before := o.last
	for before != nil && before.ended() {
		if before.early {
			before = before.before
		} else {
			before = nil // all before it have begun
		}
	}
	o.last = &turn{before: before, come: make(chan struct{}), begun: make(chan struct{})}
	return o.last
}

// arrive waits until the requests with lower ids have arrived, if the client numbers its requests.
// It returns the place of a call, and nil for other requests.
func (o *order) arrive(ctx context.Context, id json.RawMessage, call bool) *turn {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil {
		o.waitFor(ctx, n)
		o.number(n)
	}
	if !call {
		return nil
	}
	return o.append()
}

// waitFor waits until the requests before the nth have arrived. The caller holds the lock, which is
// released meanwhile.
func (o *order) waitFor(ctx context.Context, n int64) {
	late := time.NewTimer(longestGap)
	defer late.Stop()
	for o.numbered && n > o.upto+1 && o.gaps < mostGaps {
		if o.moved == nil {
			o.moved = make(chan struct{})
		}
		moved, missing := o.moved, false
		o.mu.Unlock()
		select {
		case <-moved:
		case <-late.C:
			missing = true
		case <-ctx.Done():
			missing = true
		}
		o.mu.Lock()
		if missing && n > o.upto+1 {
			o.gaps++
			return
		}
	}
}

// number notes that the nth request has arrived. The caller holds the lock.
func (o *order) number(n int64) {
	if o.numbered && n <= o.upto {
		return
	}
	o.numbered, o.upto = true, n
	if o.moved != nil {
		close(o.moved)
		o.moved = nil
	}
}

// wait waits until the calls before have begun. A call that takes long to begin, from its turn on,
// is passed by.
func (t *turn) wait(ctx context.Context) {
	if t == nil {
		return
	}
	for b := t.before; b != nil; b = b.before {
		if !b.await(ctx) {
			return
		}
		if !b.early { // then all before it have begun
			break
		}
	}
	t.before, t.waited = nil, true
	close(t.come)
}

// ended reports whether the call has begun, or has ended without.
func (t *turn) ended() bool {
	select {
	case <-t.begun:
		return true
	default:
		return false
	}
}

// await waits until the call has begun or took too long to. It returns false if ctx ends first.
func (t *turn) await(ctx context.Context) bool {
	come := t.come
	var late <-chan time.Time
	for {
		select {
		case <-t.begun:
			return true
		case <-late:
			return true
		case <-come:
			timer := time.NewTimer(longestBegin)
			defer timer.Stop()
			come, late = nil, timer.C
		case <-ctx.Done():
			return false
		}
	}
}

// pass lets the next call begin, in its turn.
func (t *turn) pass() {
	if t != nil {
		t.once.Do(func() {
			t.early = !t.waited
			close(t.begun)
		})
	}
}

// ordered reports whether a message waits for its turn.
func (o *Options) ordered(m *wire.Message) bool {
	return o.InOrder && m.Method == string(mcp.MethodToolsCall)
}

type turnKey struct{}

// Begun says that a tool call has done all that its order among the client's calls matters for, and
// lets the next one begin before this one ends. It does nothing for other contexts, and without
// Options.InOrder.
func Begun(ctx context.Context) {
	t, _ := ctx.Value(turnKey{}).(*turn)
	t.pass()
}
