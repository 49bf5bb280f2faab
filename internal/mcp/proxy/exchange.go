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
)

// exchange is a request that an upstream has not answered.
type exchange struct {
	up    upstream.Conn
	m     *message        // the request, with the id that the client gave it
	id    int64           // for the upstream, also the token of its progress
	ctx   context.Context // of the client's request
	of    json.RawMessage // the client's id, or nil for a request of the proxy
	token json.RawMessage // of the progress that the client asks for, or nil if it does not
	inbox chan *message   // what came for it
	done  chan struct{}   // closed when nothing more is taken

	unmatchedBefore int // noise.unmatched when it was sent
}

// ownRequest is a request of the proxy. It has no id until it is sent.
func ownRequest(method string, params json.RawMessage) *message {
	return upstream.Request(nil, method, params)
}

// pass sends a notification of the upstream to the client.
func (x *exchange) pass(m *message) error {
	if x.of == nil {
		return nil
	}
	data, err := m.Encode()
	if err != nil {
		return err
	}
	return transport.Send(x.ctx, data)
}

// lock is a mutex that can run a function while it is held.
type lock struct{ sync.Mutex }

func (l *lock) do(f func()) {
	l.Lock()
	defer l.Unlock()
	f()
}

// exchanges are the exchanges with an upstream. The ids are the proxy's, because those of clients
// may be equal.
type exchanges struct {
	mu     lock
	lastID int64
	byID   map[int64]*exchange
}

// begin gives an exchange its id. Until it is finished its inbox must be read.
func (xs *exchanges) begin(x *exchange) *exchange {
	x.of, x.token = x.m.ID, progressToken(x.m)
	x.inbox, x.done = make(chan *message, 64), make(chan struct{})
	xs.mu.Lock()
	defer xs.mu.Unlock()
	xs.lastID++
	x.id = xs.lastID
	xs.byID[x.id] = x
	return x
}

// finish ends an exchange. It returns the messages in its inbox that may belong to others.
func (xs *exchanges) finish(x *exchange) (unclaimed []*message) {
	close(x.done)
	xs.mu.do(func() { delete(xs.byID, x.id) })
	return x.drain()
}

// deliver puts a message into the inbox of x. It returns the messages that x did not take, because
// it is finished, and that may belong to others.
func (x *exchange) deliver(m *message) (unclaimed []*message) {
	select {
	case x.inbox <- m:
		select {
		case <-x.done:
			return x.drain()
		default:
			return nil
		}
	case <-x.done:
		return others(nil, m)
	}
}

// drain empties the inbox of an exchange that is finished.
func (x *exchange) drain() (unclaimed []*message) {
	for {
		select {
		case m := <-x.inbox:
			unclaimed = others(unclaimed, m)
		default:
			return unclaimed
		}
	}
}

// others appends m to list unless it belongs to one exchange and no other.
func others(list []*message, m *message) []*message {
	if !m.IsRequest() && (m.IsResponse() || m.Method == string(mcp.MethodNotificationProgress) ||
		m.Param("_meta", mcp.MetaKeySubscriptionID) != nil) {
		return list
	}
	return append(list, m)
}

// all returns the exchanges under way.
func (xs *exchanges) all() (list []*exchange) {
	xs.mu.do(func() { list = slices.Collect(maps.Values(xs.byID)) })
	return list
}

// find returns the exchange under way with this id, or token, or nil. made reports
// whether there has been one.
func (xs *exchanges) find(id json.RawMessage) (x *exchange, made bool) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return nil, false
	}
	xs.mu.Lock()
	defer xs.mu.Unlock()
	return xs.byID[n], 0 < n && n <= xs.lastID
}

// candidates returns the clients' requests that a message of the upstream may be about: the one on
// whose stream it came, or all of them. The caller holds the lock.
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

// requestDuring returns the client's request on whose stream a notification came, or the only one
// under way, or nil if there are several.
func (xs *exchanges) requestDuring(m *message) *exchange {
	xs.mu.Lock()
	defer xs.mu.Unlock()
	if all := xs.candidates(m); len(all) == 1 {
		return all[0]
	}
	return nil
}

// asker returns the client's request that a question of the upstream is about: the one on whose
// stream it came, or the newest, or nil if missing.
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
