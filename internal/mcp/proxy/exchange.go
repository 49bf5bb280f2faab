package proxy

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/transport"
)

// exchange is a request that an upstream has not answered.
type exchange struct {
	up    upstream           // which has it
	m     *message           // as the upstream gets it, but for the id; one of ours has none
	id    int64              // for the upstream, as is the token of its progress
	inbox chan *message      // what came for it
	done  chan struct{}      // closed when nothing more is taken
	end   context.CancelFunc // of what is sent for it; nil when that ends with ctx
	caps  json.RawMessage    // what the client can be asked by its result; nil for nothing
	level json.RawMessage    // from which on the client hears what is logged; nil for none
	kept  []*message         // what came while it waited for the client's answer

	unmatchedBefore int // how many answers to nothing had come before it

	// with the lock of its exchanges
	ctx    context.Context         // of the client's request
	of     json.RawMessage         // the client's own id; nil for a request of ours
	token  json.RawMessage         // of the client's own progress; nil for none
	wants  *mcp.SubscriptionFilter // of a client that listens
	asked  int                     // how often the client was, by its result
	parked bool                    // it waits for the client's answer
}

// before reports whether its client is rather asked than the one of y.
func (x *exchange) before(y *exchange) bool {
	switch {
	case (x.caps != nil) != (y.caps != nil):
		return x.caps != nil
	case x.parked != y.parked:
		return y.parked
	case x.asked != y.asked:
		return x.asked < y.asked
	}
	return x.id > y.id
}

// ended reports whether the last that is kept is the response.
func (x *exchange) ended() bool {
	n := len(x.kept)
	return n > 0 && x.kept[n-1].isResponse()
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
	data, err := m.encode()
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
	if x.end != nil {
		defer x.end()
	}
	xs.mu.do(func() { delete(xs.byID, x.id) })
	for _, in := range x.kept {
		xs.reroute(in)
	}
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
	case m.isRequest():
		xs.unclaimed(m)
	case m.isResponse(), m.Method == string(mcp.MethodNotificationProgress),
		at(m.Params, "_meta", mcp.MetaKeySubscriptionID) != nil:
	default:
		xs.unclaimed(m)
	}
}

// fail tells all why there is no answer.
func (xs *exchanges) fail(fault error) {
	var all []*exchange
	xs.mu.do(func() { all = slices.Collect(maps.Values(xs.byID)) })
	for _, x := range all {
		xs.deliver(x, &message{fault: fault})
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
	x, _ := xs.find(at(m.Params, "progressToken"))
	if x == nil {
		return
	}
	var token json.RawMessage
	xs.mu.do(func() { token = x.token })
	if token != nil {
		m.Params = with(m.Params, token, "progressToken")
		xs.deliver(x, m)
	}
}

// candidates are the requests of clients that a message of the upstream may be about: the one on
// whose stream it came, or else all. The caller holds the lock.
func (xs *exchanges) candidates(m *message) (all []*exchange) {
	n, err := strconv.ParseInt(string(m.during), 10, 64)
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

// assign gives a question of the upstream to the client's request that it is about, if the result
// of that can ask it and few wait for it already. That is the request on whose stream it came, or
// else the newest. Of those whose result can ask, if there are any, it is one that was asked least
// and waits for no answer: a client comes back so often only. The context, nil for none, and what
// the client can be asked are those of the request.
func (xs *exchanges) assign(m *message) (of context.Context, caps json.RawMessage, taken bool) {
	xs.mu.Lock()
	defer xs.mu.Unlock()
	var best *exchange
	for _, x := range xs.candidates(m) {
		if best == nil || x.before(best) {
			best = x
		}
	}
	if best == nil {
		return nil, nil, false
	}
	if best.caps != nil && cannotAsk(best.caps, m) == "" {
		select {
		case best.inbox <- m:
			best.asked++
			taken = true
		default:
		}
	}
	return best.ctx, best.caps, taken
}

// deliverNews gives what a server of the older era says unasked to the clients that listen for it.
// It reports whether all have taken it: one that does not read misses what is too much.
func (xs *exchanges) deliverNews(m *message) bool {
	xs.mu.Lock()
	defer xs.mu.Unlock()
	all := true
	for _, x := range xs.byID {
		if x.wants == nil {
			continue
		}
		if wants, _ := matchesFilter(x.wants, m); !wants {
			continue
		}
		select {
		case x.inbox <- m:
		default:
			all = false
		}
	}
	return all
}
