package proxy

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
)

// exchange is a request that an upstream has not answered.
type exchange struct {
	up    upstream.Conn   // which has it
	m     *message        // as the upstream gets it, but for the id; one of ours has none
	id    int64           // for the upstream, as is the token of its progress
	ctx   context.Context // of the client's request
	of    json.RawMessage // the client's own id; nil for a request of the proxy
	token json.RawMessage // of the client's own progress; nil for none
	inbox chan *message   // what came for it
	done  chan struct{}   // closed when nothing more is taken

	unmatchedBefore int // how many answers to nothing had come before it
}

// pass sends a notification of the upstream to the client.
func (x *exchange) pass(m *message) error {
	if x.of == nil {
		return nil
	}
	return notify(x.ctx, m)
}

// notify sends a notification on the stream of the client's request that ctx belongs to.
func notify(ctx context.Context, m *message) error {
	data, err := m.Encode()
	if err != nil {
		return err
	}
	return transport.Send(ctx, data)
}

// lock is a mutex, with a way to do one thing under it.
type lock struct{ sync.Mutex }

func (l *lock) do(f func()) {
	l.Lock()
	defer l.Unlock()
	f()
}

// exchanges are those under way with an upstream, under ids of our own, so that nobody's are mixed
// up, whatever came before.
type exchanges struct {
	unclaimed func(*message) // takes what an upstream has sent for one that is over

	mu     lock
	lastID int64
	byID   map[int64]*exchange
}

// begin gives an exchange its id. What comes for it has to be taken from its inbox until it is
// finished.
func (xs *exchanges) begin(x *exchange) *exchange {
	x.of, x.token = x.m.ID, progressToken(x.m.Params)
	x.inbox, x.done = make(chan *message, 64), make(chan struct{})
	xs.mu.Lock()
	defer xs.mu.Unlock()
	xs.lastID++
	x.id = xs.lastID
	xs.byID[x.id] = x
	return x
}

func (xs *exchanges) finish(x *exchange) {
	close(x.done)
	xs.mu.do(func() { delete(xs.byID, x.id) })
	xs.drain(x)
}

func (xs *exchanges) deliver(x *exchange, m *message) {
	select {
	case x.inbox <- m:
		select {
		case <-x.done:
			xs.drain(x)
		default:
		}
	case <-x.done:
		xs.reroute(m)
	}
}

// drain takes what came for an exchange that is over.
func (xs *exchanges) drain(x *exchange) {
	for {
		select {
		case in := <-x.inbox:
			xs.reroute(in)
		default:
			return
		}
	}
}

// reroute takes what came for an exchange that is over: it may be another one's.
func (xs *exchanges) reroute(m *message) {
	switch {
	case m.IsRequest():
		xs.unclaimed(m)
	case m.IsResponse(), m.Method == string(mcp.MethodNotificationProgress),
		wire.At(m.Params, "_meta", mcp.MetaKeySubscriptionID) != nil:
	default:
		xs.unclaimed(m)
	}
}

// fail tells all why there is no answer.
func (xs *exchanges) fail(fault error) {
	var all []*exchange
	xs.mu.do(func() { all = slices.Collect(maps.Values(xs.byID)) })
	for _, x := range all {
		xs.deliver(x, &message{Fault: fault})
	}
}

// find is the one under way with this id, or this token; nil when there is none. made reports
// whether there was one.
func (xs *exchanges) find(id json.RawMessage) (x *exchange, made bool) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return nil, false
	}
	xs.mu.Lock()
	defer xs.mu.Unlock()
	return xs.byID[n], 0 < n && n <= xs.lastID
}

// progress gives the progress of a request to it, with the client's own token.
func (xs *exchanges) progress(m *message) {
	x, _ := xs.find(wire.At(m.Params, "progressToken"))
	if x == nil {
		return
	}
	if x.token != nil {
		m.Params = wire.With(m.Params, x.token, "progressToken")
		xs.deliver(x, m)
	}
}

// candidates are the requests of clients that a message of the upstream may be about: the one on
// whose stream it came, or else all. The caller holds the lock.
func (xs *exchanges) candidates(m *message) (all []*exchange) {
	n, err := strconv.ParseInt(string(m.During), 10, 64)
	if on := xs.byID[n]; err == nil && on != nil && on.of != nil {
		return []*exchange{on}
	}
	for _, x := range xs.byID {
		if x.of != nil {
			all = append(all, x)
		}
	}
	return all
}

// requestDuring is the client's request on whose stream a notification came, or the one that is
// under way when there is exactly one: what comes then is said during it.
func (xs *exchanges) requestDuring(m *message) *exchange {
	xs.mu.Lock()
	defer xs.mu.Unlock()
	if all := xs.candidates(m); len(all) == 1 {
		return all[0]
	}
	return nil
}

// asker is the client's request that a question of the upstream is about: the one on whose stream
// it came, or else the newest; nil if there is none.
func (xs *exchanges) asker(m *message) (newest *exchange) {
	xs.mu.Lock()
	defer xs.mu.Unlock()
	for _, x := range xs.candidates(m) {
		if newest == nil || x.id > newest.id {
			newest = x
		}
	}
	return newest
}
