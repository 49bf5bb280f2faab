package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// call is one request under way. mcp-go sees it as the client's session while it answers the
// request, so that what a handler sends goes to this request's stream and no other.
//
// mcp-go sends notifications to a channel without waiting, and drops any that do not fit. So all
// messages for the request go through that one channel, which keeps the order, and each waits for a
// free place.
type call struct {
	*known
	peer   *peer
	home   *peer // counts the call as under way, may be nil
	id     json.RawMessage
	method string
	opts   *Options
	log    *slog.Logger

	ctx    context.Context // of the handler, with the causes that Closed returns
	cancel context.CancelCauseFunc

	out  chan mcp.JSONRPCNotification
	room chan struct{} // as full as out, counting messages that are about to be sent
	over chan struct{} // closed when the request is answered

	turn    *turn                      // among the client's calls, nil if it waits for none
	refusal atomic.Pointer[wire.Error] // that the handler asked for

	filterMu sync.Mutex
	filter   mcp.SubscriptionFilter // of a subscriptions/listen
}

// sink takes the messages of one call, in order and from one goroutine. It may block while the
// client reads slowly.
type sink interface {
	message(data []byte) // a notification or a request of the server
	// called once, at the end: failure is the code of an error or 0, data is nil for no response
	response(data []byte, failure int)
}

// backlog is how many messages of a call may wait for its sink before the handler waits too.
const backlog = 16

// newCall prepares the request m of p. Its handler gets a child of ctx that call.cancel cancels.
func newCall(ctx context.Context, p *peer, m *wire.Message, o *Options) *call {
	c := &call{
		known: p.known, peer: p, id: m.ID, method: m.Method, opts: o, log: o.Log,
		out:  make(chan mcp.JSONRPCNotification, backlog),
		room: make(chan struct{}, backlog),
		over: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	return c
}

// begin counts the call as under way at its peer, and in under, which may be nil. Its error is a
// *wire.Error.
func (c *call) begin(most int, under *sync.WaitGroup) error {
	err := c.peer.begin(c.id, c.cancel, most, under)
	if err == nil {
		c.home = c.peer
	}
	return err
}

var (
	_ server.SessionWithClientInfo               = (*call)(nil)
	_ server.SessionWithLogging                  = (*call)(nil)
	_ server.SessionWithProtocolVersion          = (*call)(nil)
	_ server.SessionWithElicitation              = (*call)(nil)
	_ server.SessionWithSubscriptionFilter       = (*call)(nil)
	_ server.SessionWithResourceSubscriptionsErr = (*call)(nil)
)

// Initialized returns true, so that handlers may always send.
func (c *call) Initialized() bool { return true }

// NotificationChannel is called by mcp-go before each single notification. It waits until there is
// a place for one. After the result it returns nil, so that nothing follows the result.
func (c *call) NotificationChannel() chan<- mcp.JSONRPCNotification {
	if c.listens() { // broadcasts do not wait
		select {
		case c.room <- struct{}{}:
			return c.out
		default:
			return nil
		}
	}
	if c.reserve(context.Background()) != nil {
		return nil
	}
	return c.out
}

// reserve waits for a place in out. If there is one, it does not look at ctx: a handler whose
// context has ended may still send.
func (c *call) reserve(ctx context.Context) error {
	select {
	case <-c.over:
		return errOver
	default:
	}
	select {
	case c.room <- struct{}{}:
		return nil
	default:
	}
	select {
	case c.room <- struct{}{}:
		return nil
	case <-c.over:
		return errOver
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *call) send(ctx context.Context, n mcp.JSONRPCNotification) error {
	if err := c.reserve(ctx); err != nil {
		return err
	}
	c.out <- n
	return nil
}

// envelope wraps a request of the server as a notification, so that out can carry it.
func envelope(request any) mcp.JSONRPCNotification {
	return mcp.JSONRPCNotification{Notification: mcp.Notification{
		Params: mcp.NotificationParams{AdditionalFields: map[string]any{"": request}},
	}}
}

// run lets srv answer the request raw, and gives the messages and the response to s. It waits for
// the handler, however long that takes.
func (c *call) run(srv Server, raw json.RawMessage, s sink) {
	defer c.cancel(errOver)
	defer c.turn.pass()
	answered := make(chan mcp.JSONRPCMessage, 1)
	go func() { answered <- c.answer(srv, raw) }() // run waits for it
	var wake <-chan struct{}
	for {
		select {
		case n := <-c.out:
			c.pass(n, s)
			if c.listens() { // it is acknowledged: updates may follow
				wake = c.wake
			}
		case <-wake:
			for _, n := range c.takeUpdates() {
				c.tell(n, s)
			}
		case resp := <-answered:
			close(c.over)
			if c.home != nil { // before the client can use the id again
				c.home.finish(c.id)
			}
			for len(c.out) > 0 { // sent by the handler before it returned
				c.pass(<-c.out, s)
			}
			s.response(c.encode(resp))
			return
		}
	}
}

// answer calls HandleMessage and recovers from its panics.
func (c *call) answer(srv Server, raw json.RawMessage) (resp mcp.JSONRPCMessage) {
	returned := false
	defer func() {
		if returned {
			return
		}
		what := recover() // nil when the handler ended its goroutine
		c.log.Error("request panicked", "method", c.method, "panic", what, "stack",
			string(debug.Stack()))
		resp = c.failure("internal error: handling the request panicked; the server's log has more")
	}()
	c.turn.wait(c.ctx)
	ctx := context.WithValue(c.ctx, turnKey{}, c.turn)
	resp = srv.HandleMessage(srv.WithContext(ctx, c), raw)
	c.turn.pass() // the client may read slowly
	returned = true
	return resp
}

func (c *call) failure(text string) mcp.JSONRPCError {
	return mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.INTERNAL_ERROR, text, nil)
}

// silent reports whether nothing more may be sent. "Servers SHOULD stop work on a cancelled request
// as soon as practical and MUST NOT send any further messages for it."
func (c *call) silent() bool { return errors.Is(context.Cause(c.ctx), errCancelled) }

func (c *call) pass(n mcp.JSONRPCNotification, s sink) {
	<-c.room
	c.tell(n, s)
}

func (c *call) tell(n mcp.JSONRPCNotification, s sink) {
	if c.silent() {
		return
	}
	if c.listens() {
		n = c.tag(n)
	}
	if data := encodeNotification(n, c.log); data != nil {
		s.message(data)
	}
}

// encodeNotification encodes a notification, or the request in an [envelope]. It returns nil for
// one that cannot be encoded.
func encodeNotification(n mcp.JSONRPCNotification, log *slog.Logger) []byte {
	var v any = n
	if request, ok := n.Params.AdditionalFields[""]; ok && n.Method == "" {
		v = request
	}
	data, err := json.Marshal(v)
	if err != nil {
		log.Error("dropping a notification that is no JSON", "method", n.Method, "error", err)
		return nil
	}
	return data
}

// notice handles a notification of the client p, whose session is s: it cancels a request of p, or
// passes the notification to srv.
func notice(ctx context.Context, srv Server, p *peer, s server.ClientSession, m *wire.Message,
	log *slog.Logger) {
	if m.Method == string(mcp.MethodNotificationCancelled) {
		id, reason := subject(m)
		p.cancel(id, cancelled(reason))
		return
	}
	defer func() {
		if what := recover(); what != nil {
			log.Error("notification panicked", "method", m.Method, "panic", what, "stack",
				string(debug.Stack()))
		}
	}()
	srv.HandleMessage(srv.WithContext(ctx, s), m.Raw)
}

// encodeAll gives notifications to f as [encodeNotification] encodes them.
func encodeAll(list []mcp.JSONRPCNotification, log *slog.Logger, f func(data []byte)) {
	for _, n := range list {
		if data := encodeNotification(n, log); data != nil {
			f(data)
		}
	}
}

// encode returns the response, with the id as the client spelled it, and the code of its error or
// 0.
func (c *call) encode(resp mcp.JSONRPCMessage) (data []byte, failure int) {
	if c.silent() {
		return nil, 0
	}
	switch m := resp.(type) {
	case mcp.JSONRPCResponse:
		raw, err := text.Marshal(struct { // raw JSON in the result stays unchanged
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  any             `json:"result"`
		}{mcp.JSONRPC_VERSION, c.id, m.Result})
		if err == nil {
			return raw, 0
		}
		c.log.Error("result is no JSON", "method", c.method, "error", err)
		return c.encode(c.failure("internal error: the result cannot be written as JSON"))
	case mcp.JSONRPCError:
		details := c.refused(m.Error)
		e := wire.Error{ID: c.id, Code: details.Code, Text: details.Message, Data: details.Data}
		return e.Encode(), e.Code
	}
	c.log.Error("no response", "method", c.method, "type", fmt.Sprintf("%T", resp))
	return c.encode(c.failure("internal error: the request has no response"))
}

// listens reports whether the request subscribes to broadcasts.
func (c *call) listens() bool { return c.method == string(mcp.MethodSubscriptionsListen) }

// tag adds the id of the subscription to a notification, whose map other subscriptions share.
func (c *call) tag(n mcp.JSONRPCNotification) mcp.JSONRPCNotification {
	meta := make(map[string]any, len(n.Params.Meta)+1)
	maps.Copy(meta, n.Params.Meta)
	meta[mcp.MetaKeySubscriptionID] = c.id
	n.Params.Meta = meta
	return n
}

// SetSubscriptionFilter is called by mcp-go once it has checked the client's filter.
func (c *call) SetSubscriptionFilter(filter mcp.SubscriptionFilter) {
	set(&c.filterMu, &c.filter, filter)
}

// SubscriptionFilter lets no broadcast through that was not asked for: "the server MUST NOT send
// notification types the client has not explicitly requested".
func (c *call) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	return get(&c.filterMu, &c.filter), true
}

// SubscribeToResourceErr is asked by mcp-go for each resource of a resources/subscribe or a
// subscriptions/listen.
func (c *call) SubscribeToResourceErr(uri string) error {
	if c.opts.Subscribe != nil {
		if err := c.opts.Subscribe(c.ctx, uri); err != nil {
			return err
		}
	}
	return c.subscribe(uri)
}

// Relisted notifies a client of 2026-07-28 only if it has asked for that.
func (c *call) Relisted() {
	if f, _ := c.SubscriptionFilter(); f.ResourcesListChanged {
		c.updates.Relisted()
	}
}

// refused returns the error that the handler made by [Refuse], in place of mcp-go's internal error.
func (c *call) refused(e mcp.JSONRPCErrorDetails) mcp.JSONRPCErrorDetails {
	own := c.refusal.Load()
	if own == nil || e.Code != mcp.INTERNAL_ERROR || e.Message != own.Text {
		return e
	}
	return mcp.JSONRPCErrorDetails{Code: own.Code, Message: own.Text, Data: own.Data}
}
