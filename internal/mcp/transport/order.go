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
	mu    sync.Mutex
	begun chan struct{} // closed once the newest call has begun, or nil if there was none

	// over HTTP each message has a connection, and the ids say what was written first
	numbered bool
	upto     int64         // the id of the newest request
	moved    chan struct{} // closed when upto changes
	gaps     int           // ids that were waited for in vain
}

const (
	// longestBegin is how long a call holds up those that were written after it.
	longestBegin = 5 * time.Second
	// longestGap is how long a request waits for those with lower ids.
	longestGap = time.Second
	// mostGaps is how many ids may be missing before the client's ids are taken for no numbers.
	mostGaps = 2
)

// turn is the place of one call in the order.
type turn struct {
	before <-chan struct{} // closed when the call before has begun, or nil
	begun  chan struct{}
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
	t := &turn{before: o.begun, begun: make(chan struct{})}
	o.begun = t.begun
	return t
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

// wait waits until the call before has begun. A call that takes long to begin is passed by.
func (t *turn) wait(ctx context.Context) {
	if t == nil || t.before == nil {
		return
	}
	late := time.NewTimer(longestBegin)
	defer late.Stop()
	select {
	case <-t.before:
	case <-late.C:
	case <-ctx.Done():
	}
}

// pass lets the next call begin.
func (t *turn) pass() {
	if t != nil {
		t.once.Do(func() { close(t.begun) })
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
