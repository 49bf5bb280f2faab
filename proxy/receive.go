package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcptransport"
	"github.com/taploop/taploop/internal/text"
)

// odd implements receiver.
func (l *link) odd(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strange++
	l.sample = what
}

// receive implements receiver.
func (l *link) receive(from upstream, m *message) {
	var x *exchange // that it answers
	if m.isResponse() {
		x = l.exchange(m.ID)
	}
	if !l.hears(from, x == nil) {
		return
	}
	switch {
	case x != nil:
		l.deliver(x, m)
	case m.isResponse():
		l.foreign(m)
	case m.isRequest():
		l.ask(m)
	default:
		l.notified(m)
	}
}

// Of what a server says unasked, so many messages within a while are more than any has use for.
var maxUnasked = 20_000

const unaskedTime = 10 * time.Second

// hears reports whether the upstream is still the one in use, and gives one up that floods.
func (l *link) hears(from upstream, unasked bool) bool {
	l.mu.Lock()
	current := l.up == from
	if now := time.Now(); now.Sub(l.unaskedSince) > unaskedTime {
		l.unasked, l.unaskedSince = 0, now
	}
	if unasked {
		l.unasked++
	}
	floods := l.unasked > maxUnasked
	l.mu.Unlock()
	if current && floods {
		l.lost(from, fmt.Errorf("it floods: it sent more than %d messages within %v that answer "+
			"nothing", maxUnasked, unaskedTime))
		l.discard(from)
	}
	return current && !floods
}

// exchange is the one under way with this id, or this token; nil when there is none.
func (l *link) exchange(id json.RawMessage) *exchange {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.exchanges[n]
}

// foreign notes a response that nobody waits for. One to a request that was cancelled may cross
// with that.
func (l *link) foreign(m *message) {
	n, err := strconv.ParseInt(string(m.ID), 10, 64)
	l.mu.Lock()
	late := err == nil && 0 < n && n <= l.lastID
	l.mu.Unlock()
	if !late {
		l.odd("an answer to a request that was not made, with the id " +
			text.Quote(string(m.ID), 60))
	}
}

// notified takes a notification of the upstream: what belongs to a request goes there, and the rest
// to the client's session.
func (l *link) notified(m *message) {
	switch m.Method {
	case string(mcp.MethodNotificationProgress):
		if x := l.exchange(at(m.Params, "progressToken")); x != nil {
			var token json.RawMessage
			set(l, func() { token = x.token })
			if token != nil {
				m.Params = with(m.Params, token, "progressToken")
				l.deliver(x, m)
			}
		}
		return
	case string(mcp.MethodNotificationCancelled):
		l.mu.Lock()
		cancel := l.asked[string(at(m.Params, "requestId"))]
		l.mu.Unlock()
		if cancel != nil {
			cancel()
		}
		return
	case string(mcp.MethodNotificationToolsListChanged):
		l.tools.forget()
	}
	var older bool
	set(l, func() { older = l.greeting != nil })
	if id := at(m.Params, "_meta", mcp.MetaKeySubscriptionID); id != nil && !older {
		if x := l.exchange(id); x != nil { // else nobody listens any more
			m.Params = with(m.Params, x.of, "_meta", mcp.MetaKeySubscriptionID)
			l.deliver(x, m)
		}
		return
	}
	x := l.saidDuring(m)
	switch {
	case older && unasked(m):
		l.news(m)
	case older && m.Method == string(mcp.MethodNotificationMessage) &&
		(x == nil || x.level == nil || rank(at(m.Params, "level")) < rank(x.level)):
		// "MUST NOT be sent for a request that does not want them"
	case x != nil:
		l.deliver(x, m)
	default:
		l.broadcast(m)
	}
}

// saidDuring is the client's request on whose stream a notification came, or the one that is under
// way when there is exactly one: what comes then is said during it.
func (l *link) saidDuring(m *message) *exchange {
	on := l.exchange(m.during)
	l.mu.Lock()
	defer l.mu.Unlock()
	if on != nil && on.of != nil {
		return on
	}
	var found *exchange
	for _, x := range l.exchanges {
		if x.of == nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = x
	}
	return found
}

// asks is the request of the client that a question of the upstream is about: the one on whose
// stream it came, or else the newest; nil when none is under way. Of those whose result can ask, if
// there are any, it is one that was asked least and waits for no answer: a client comes back so
// often only.
func (l *link) asks(m *message) (best *exchange) {
	on := l.exchange(m.during)
	l.mu.Lock()
	defer l.mu.Unlock()
	if on != nil && on.of != nil {
		return on
	}
	for _, x := range l.exchanges {
		if x.of != nil && (best == nil || x.before(best)) {
			best = x
		}
	}
	return best
}

// broadcast sends a notification to the client's session. One that does not listen misses what is
// too much for the session to keep.
func (l *link) broadcast(m *message) {
	l.mu.Lock()
	s := l.session
	l.mu.Unlock()
	if s == nil {
		return
	}
	data, err := m.encode()
	if err != nil {
		return
	}
	if !l.p.opts.Stdio {
		select {
		case s.NotificationChannel() <- mcptransport.Broadcast(data):
		default:
			l.p.opts.Log.Warn("a client does not listen: a notification is dropped", "server",
				l.p.opts.Name, "method", text.Line(m.Method))
		}
		return
	}
	select {
	case s.NotificationChannel() <- mcptransport.Broadcast(data):
	case <-l.life.Done():
	}
}

// maxAsked is how many requests of an upstream may wait for the client.
const maxAsked = 64

// before reports whether it is rather asked than another one.
func (x *exchange) before(y *exchange) bool {
	switch {
	case (x.able != nil) != (y.able != nil):
		return x.able != nil
	case x.parked != y.parked:
		return y.parked
	case x.asked != y.asked:
		return x.asked < y.asked
	}
	return x.id > y.id
}

// put gives a question to a request that is under way; false when it is not any more.
func (l *link) put(x *exchange, m *message) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.exchanges[x.id] != x {
		return false
	}
	select {
	case x.inbox <- m:
		x.asked++
	default:
		if up := l.up; up != nil && !l.closed {
			l.under.Go(func() {
				l.answer(up, &message{ID: m.ID, Error: wrong(mcp.INVALID_REQUEST,
					"more wait for the client already than it hears of")})
			})
		}
	}
	return true
}

// ask takes a request of the upstream to the client, and the answer back.
func (l *link) ask(m *message) {
	if x := l.asks(m); x != nil && x.able != nil && unable(x.able, m) == "" {
		if !l.put(x, m) { // it was answered just now
			l.ask(m)
		}
		return
	}
	ctx, cancel := context.WithCancel(l.life)
	l.mu.Lock()
	up, key := l.up, string(m.ID)
	full := len(l.asked) >= maxAsked || l.closed
	if !full {
		l.asked[key] = cancel
		l.under.Add(1)
	}
	l.mu.Unlock()
	if full || up == nil {
		cancel()
		if !full {
			l.settle(key)
		}
		l.answer(up, &message{ID: m.ID, Error: wrong(mcp.INVALID_REQUEST,
			fmt.Sprintf("%d requests wait for the client already", maxAsked))})
		return
	}
	go func() { // close waits for it
		defer l.settle(key)
		defer cancel()
		l.answer(up, l.answerTo(ctx, m))
	}()
}

func (l *link) settle(key string) {
	l.mu.Lock()
	delete(l.asked, key)
	l.mu.Unlock()
	l.under.Done()
}

func (l *link) answer(up upstream, m *message) {
	if up != nil && m != nil {
		_ = up.send(l.life, m) // a server that is gone waits for nothing
	}
}

// answerTo is the client's answer to a request of the upstream; nil when the upstream has taken the
// request back.
func (l *link) answerTo(ctx context.Context, m *message) *message {
	if m.Method == string(mcp.MethodPing) {
		return &message{ID: m.ID, Result: json.RawMessage(`{}`)}
	}
	result, err := l.askClient(ctx, m)
	var refused *mcptransport.ClientError
	switch {
	case errors.As(err, &refused):
		raw, err := encode(refused.JSONRPCErrorDetails)
		if err != nil {
			raw = wrong(mcp.INTERNAL_ERROR, refused.Message)
		}
		return &message{ID: m.ID, Error: raw}
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return &message{ID: m.ID, Error: wrong(mcp.INTERNAL_ERROR, err.Error())}
	}
	return &message{ID: m.ID, Result: result}
}

// askClient asks on the stream of a request that is under way, or else of the session.
func (l *link) askClient(ctx context.Context, m *message) (json.RawMessage, error) {
	x := l.asks(m)
	var s server.ClientSession
	var of context.Context // of the request of the client
	var older bool
	set(l, func() {
		if s, older = l.session, l.greeting != nil; x != nil {
			of = x.ctx
		}
	})
	switch {
	case x != nil && x.able != nil:
		return nil, errors.New(unable(x.able, m))
	case older, x != nil && mcptransport.Stateless(of):
		return nil, errors.New("the client's version of the protocol has questions of the server " +
			"only as results of calls, prompts and resources, and none of them is under way")
	case x == nil:
		return mcptransport.AskSession(ctx, s, m.Method, m.Params)
	}
	on, cancel := context.WithCancelCause(of)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	return mcptransport.Ask(on, m.Method, m.Params)
}

// wrong is the error of a response.
func wrong(code int, said string) json.RawMessage {
	raw, err := encode(mcp.JSONRPCErrorDetails{Code: code, Message: said})
	if err != nil {
		return json.RawMessage(`{"code":-32603,"message":"internal error"}`)
	}
	return raw
}
