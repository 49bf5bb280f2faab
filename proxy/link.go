package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcptransport"
)

// link joins one client, or several whose requests stand alone, to one upstream. Requests of the
// client get ids of the link's own, so that nobody's are mixed up, whatever came before.
type link struct {
	p     *Proxy
	life  context.Context // of the upstreams
	end   context.CancelFunc
	tools toolList

	connecting sync.Mutex // held while an upstream is started
	meeting    sync.Mutex // held while it is found out which era a server knows
	// held while it is changed what a server tells of
	subscribing sync.Mutex

	mu           sync.Mutex
	up           upstream // nil while there is none
	closed       bool
	starts       []time.Time // of the last minute
	lastID       int64
	exchanges    map[int64]*exchange
	asked        map[string]context.CancelFunc // requests of the upstream under way, by id
	session      server.ClientSession          // that gets broadcasts; nil for none
	unasked      int                           // messages of this upstream that answer nothing
	unaskedSince time.Time
	strange      int              // what came from this upstream that was no message
	sample       string           // the last of it
	hello        *message         // the client's handshake, to be made again
	met          bool             // it is known whether the server knows server/discover
	greeting     json.RawMessage  // of a server of the older era, for clients of the newer
	meta         json.RawMessage  // for a server of the newer era, of a client of the older
	level        *message         // the client's logging/setLevel
	held         map[string]*held // by the token of their requestState
	subscribers  map[string]int   // of resources, by URI, at a server of the older era
	wanted       mcp.SubscriptionFilter
	followed     upstream           // whose stream is open
	unfollow     context.CancelFunc // ends the stream of what is wanted; nil when there is none
	under        sync.WaitGroup
}

// exchange is a request that an upstream has not answered.
type exchange struct {
	ctx   context.Context // of the client's request
	id    int64           // for the upstream, as is the token of its progress
	token json.RawMessage // of the client's own progress; nil for none
	of    json.RawMessage // the client's own id; nil for a request of ours
	inbox chan *message
	over  chan struct{}      // closed when nothing more is taken
	end   context.CancelFunc // of what is sent for it; nil when that ends with ctx

	able   json.RawMessage         // what the client can be asked by its result; nil for nothing
	asked  int                     // how often it was
	parked bool                    // it waits for the client's answer
	kept   []*message              // what came meanwhile
	level  json.RawMessage         // from which on the client hears what is logged; nil for none
	wants  *mcp.SubscriptionFilter // of a client that listens
}

func newLink(p *Proxy) *link {
	l := &link{p: p, exchanges: map[int64]*exchange{}, asked: map[string]context.CancelFunc{},
		held: map[string]*held{}, subscribers: map[string]int{}}
	l.tools = toolList{raised: raised{}, request: func(ctx context.Context, m *message) (
		*message, error) {
		return l.request(ctx, m, nil)
	}}
	l.life, l.end = context.WithCancel(context.Background())
	return l
}

// faultError says what is wrong with the other server, in words for the client.
type faultError struct{ text string }

func (e *faultError) Error() string { return e.text }

func (l *link) fault(format string, args ...any) error {
	said := fmt.Sprintf("the server %s: ", l.p.opts.Name) + fmt.Sprintf(format, args...)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.strange > 0 {
		said += fmt.Sprintf(" (before that it sent what is no answer %d times, the last was %s)",
			l.strange, l.sample)
	}
	return &faultError{said}
}

// named is err with the name of the server, if it has none.
func (l *link) named(err error) error {
	if _, is := errors.AsType[*faultError](err); is {
		return err
	}
	return l.fault("%v", err)
}

// unanswered is why a request that was sent has no answer.
func (l *link) unanswered(m *message, err error) error {
	if _, is := errors.AsType[*forgottenError](err); is {
		return err
	}
	lost, is := errors.AsType[*faultError](err)
	if is && m.Method == string(mcp.MethodToolsCall) {
		return &faultError{lost.text + "; whether the call was carried out is not known"}
	}
	return l.named(err)
}

// Restarts: so many within a minute.
const maxStarts = 5

// connected is the upstream, started if need be.
func (l *link) connected(ctx context.Context) (upstream, error) {
	l.connecting.Lock()
	defer l.connecting.Unlock()
	l.mu.Lock()
	up, closed := l.up, l.closed
	hello, level := l.hello, l.level
	if l.meta != nil { // it knows no handshake
		hello = nil
	}
	now := time.Now()
	for len(l.starts) > 0 && now.Sub(l.starts[0]) > time.Minute {
		l.starts = l.starts[1:]
	}
	starts := len(l.starts)
	l.mu.Unlock()
	switch {
	case closed:
		return nil, mcptransport.ErrClosed
	case up != nil:
		return up, nil
	case starts >= maxStarts:
		return nil, l.fault("it has ended %d times within a minute and is not started again now; "+
			"try again in a minute", starts)
	}
	up, err := l.start(now)
	if err != nil {
		return nil, l.fault("%v", err)
	}
	if hello == nil {
		l.spawn(l.followOn)
		return up, nil
	}
	if err := l.reshake(ctx, up, hello, level); err != nil {
		l.drop(up)
		up.close()
		return nil, err
	}
	return up, nil
}

// start starts an upstream. It may be lost as soon as it is known here, and not before.
func (l *link) start(now time.Time) (upstream, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts = append(l.starts, now)
	l.strange, l.sample, l.unasked = 0, "", 0
	up, err := l.p.dial(l.life, l)
	if err == nil {
		l.up = up
	}
	return up, err
}

// reshake makes the client's handshake with an upstream that was started again.
func (l *link) reshake(ctx context.Context, up upstream, hello, level *message) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	resp, err := l.over(ctx, up, &message{Method: hello.Method, Params: hello.Params}, nil)
	if err != nil {
		return err
	}
	if resp.Error != nil {
		return l.fault("it was started again and refused the handshake: %s",
			textOf(at(resp.Error, "message")))
	}
	if err := up.send(ctx, &message{Method: "notifications/initialized"}); err != nil {
		return l.fault("%v", err)
	}
	l.resubscribe(ctx, up)
	if level == nil {
		return nil
	}
	_, err = l.over(ctx, up, &message{Method: level.Method, Params: level.Params}, nil)
	return err
}

// resubscribe makes the subscriptions of the client, or of several, anew.
func (l *link) resubscribe(ctx context.Context, up upstream) {
	var uris []string
	set(l, func() { uris = slices.Collect(maps.Keys(l.subscribers)) })
	for _, uri := range uris {
		_, _ = l.over(ctx, up, &message{Method: string(mcp.MethodResourcesSubscribe),
			Params: object{"uri": quoted(uri)}.raw()}, nil) // it may be gone
	}
}

// startTime is how long a server has for the handshake after it was started again.
const startTime = time.Minute

// request sends a request and gives its response. What the upstream sends for it meanwhile goes to
// the client, in order, unless the request is one of ours: then of is nil.
func (l *link) request(ctx context.Context, m *message, of json.RawMessage) (*message, error) {
	up, err := l.connected(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := l.translated(ctx, up, m, of)
	if refused, is := errors.AsType[*forgottenError](err); is {
		if err = l.renew(ctx, refused); err == nil {
			resp, err = l.translated(ctx, up, m, of)
		}
		if again, is := errors.AsType[*forgottenError](err); is {
			return nil, l.named(again)
		}
	}
	return resp, err
}

// renew makes the client's handshake with a server anew that has forgotten the session.
func (l *link) renew(ctx context.Context, refused *forgottenError) error {
	l.connecting.Lock()
	defer l.connecting.Unlock()
	if !refused.c.forget(refused.session) {
		return nil // another request has done it
	}
	l.mu.Lock()
	hello, level := l.hello, l.level
	l.mu.Unlock()
	l.tools.forget()
	if hello == nil {
		return refused
	}
	err := l.reshake(ctx, refused.c, hello, level)
	if err != nil && l.drop(refused.c) { // the next request connects anew
		l.discard(refused.c)
	}
	return err
}

func (l *link) over(ctx context.Context, up upstream, m *message, of json.RawMessage) (
	*message, error) {
	x := l.begin(ctx, m, of)
	defer l.finish(x)
	if err := l.submit(ctx, up, x, m); err != nil {
		return nil, err
	}
	return l.await(ctx, up, x, m)
}

// submit sends the request of an exchange.
func (l *link) submit(ctx context.Context, up upstream, x *exchange, m *message) error {
	sent := &message{ID: number(x.id), Method: m.Method, Params: m.Params, headers: m.headers}
	if x.token != nil {
		sent.Params = with(m.Params, sent.ID, "_meta", "progressToken")
	}
	if err := up.send(ctx, sent); err != nil {
		return l.fault("%v", err)
	}
	return nil
}

// await waits for the response to a request, or for what its client is asked by the result, and
// passes on what comes before.
func (l *link) await(ctx context.Context, up upstream, x *exchange, m *message) (*message, error) {
	quiet := time.NewTimer(l.p.opts.Quiet)
	defer quiet.Stop()
	take := func(in *message) (*message, error) {
		switch {
		case in.fault != nil:
			return nil, l.unanswered(m, in.fault)
		case in.isResponse(), in.isRequest():
			return in, nil
		}
		if err := l.pass(x, in); err != nil && ctx.Err() == nil {
			return nil, err
		}
		return nil, nil
	}
	for {
		if len(x.kept) > 0 {
			in := x.kept[0]
			x.kept = x.kept[1:]
			return take(in) // news are not kept
		}
		select {
		case in := <-x.inbox:
			quiet.Reset(l.p.opts.Quiet)
			if in, err := take(in); in != nil || err != nil {
				return in, err
			}
		case <-quiet.C:
			quiet.Reset(l.p.opts.Quiet)
			go l.probe(up) // ends within maxProbe
		case <-ctx.Done():
			l.cancel(up, x, context.Cause(ctx))
			return nil, context.Cause(ctx)
		}
	}
}

// pass sends a notification of the upstream to the client of the exchange.
func (l *link) pass(x *exchange, m *message) error {
	if x.of == nil {
		return nil
	}
	data, err := m.encode()
	if err != nil {
		return err
	}
	return mcptransport.Send(x.ctx, data)
}

func (l *link) begin(ctx context.Context, m *message, of json.RawMessage) *exchange {
	x := &exchange{ctx: ctx, of: of, inbox: make(chan *message, 64), over: make(chan struct{})}
	x.token = progressToken(m.Params)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastID++
	x.id = l.lastID
	l.exchanges[x.id] = x
	return x
}

func (l *link) finish(x *exchange) {
	close(x.over)
	if x.end != nil {
		defer x.end()
	}
	set(l, func() { delete(l.exchanges, x.id) })
	for _, in := range x.kept {
		l.again(in)
	}
	l.sweep(x)
}

// sweep takes what came for a request that is over.
func (l *link) sweep(x *exchange) {
	for {
		select {
		case in := <-x.inbox:
			l.again(in)
		default:
			return
		}
	}
}

// again takes what an upstream has sent for a request that is over: it may be another one's.
func (l *link) again(m *message) {
	switch {
	case m.isRequest():
		l.ask(m)
	case m.isResponse(), m.Method == string(mcp.MethodNotificationProgress),
		at(m.Params, "_meta", mcp.MetaKeySubscriptionID) != nil:
	default:
		l.notified(m)
	}
}

// cancel tells the upstream that a request is not waited for any more. "The initialize request MUST
// NOT be cancelled by clients": then it is not known.
func (l *link) cancel(up upstream, x *exchange, cause error) {
	params, err := encode(map[string]any{"requestId": x.id, "reason": cause.Error()})
	if err != nil {
		return
	}
	ctx, done := context.WithTimeout(l.life, 5*time.Second)
	defer done()
	_ = up.send(ctx, &message{Method: "notifications/cancelled", Params: params}) // it may be gone
}

// maxProbe is how long an upstream has to show that it lives.
var maxProbe = 20 * time.Second

var errHangs = errors.New("it hangs: it answers nothing any more")

// probe gives up an upstream that does not answer at all: whatever it says to a ping shows that it
// lives.
func (l *link) probe(up upstream) {
	l.mu.Lock()
	gone := l.up != up
	l.mu.Unlock()
	if gone {
		return
	}
	ctx, cancel := context.WithTimeoutCause(l.life, maxProbe, errHangs)
	defer cancel()
	x := l.begin(ctx, &message{}, nil)
	defer l.finish(x)
	err := up.send(ctx, &message{ID: number(x.id), Method: string(mcp.MethodPing)})
	if err == nil {
		select {
		case <-x.inbox:
			return
		case <-ctx.Done():
		}
	}
	if l.life.Err() == nil {
		l.lost(up, errHangs)
		l.discard(up)
	}
}

// spawn runs f in a goroutine that close waits for, unless the link is being closed.
func (l *link) spawn(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.under.Go(f)
	}
	return !l.closed
}

// discard ends an upstream that was given up, and kills it when it does not end. The link waits for
// that when it is closed.
func (l *link) discard(up upstream) { l.spawn(up.close) }

// notify sends a notification of the client. It starts no upstream. A request without an id is
// none: a server that does not look at the id would carry it out, and nobody was asked.
func (l *link) notify(ctx context.Context, m *message) error {
	if !strings.HasPrefix(m.Method, "notifications/") {
		return fmt.Errorf("%q is no notification, and has no id as requests have", m.Method)
	}
	l.mu.Lock()
	up, newer := l.up, l.meta != nil
	l.mu.Unlock()
	if newer && m.Method == "notifications/initialized" {
		l.spawn(l.followOn)
	}
	if up == nil || newer { // to which a client says nothing unasked
		return nil
	}
	return up.send(ctx, &message{Method: m.Method, Params: m.Params})
}

// drop forgets an upstream. It reports whether it was the one in use.
func (l *link) drop(up upstream) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up != up {
		return false
	}
	l.up = nil
	l.tools.forget()
	return true
}

// lost implements receiver: all that is under way is told why it has no answer.
func (l *link) lost(up upstream, err error) {
	if !l.drop(up) {
		return
	}
	fault := l.fault("%v", err)
	l.mu.Lock()
	var all []*exchange
	for _, x := range l.exchanges {
		all = append(all, x)
	}
	for _, cancel := range l.asked {
		cancel()
	}
	closed := l.closed
	l.mu.Unlock()
	if !closed {
		l.p.opts.Log.Warn("the connection to a server is lost", "server", l.p.opts.Name, "error",
			fault)
	}
	for _, x := range all {
		l.deliver(x, &message{fault: fault})
	}
}

func (l *link) deliver(x *exchange, m *message) {
	select {
	case x.inbox <- m:
		select {
		case <-x.over:
			l.sweep(x)
		default:
		}
	case <-x.over:
		l.again(m)
	}
}

// close ends the upstream, and waits for it.
func (l *link) close() {
	l.mu.Lock()
	l.closed = true
	up := l.up
	l.mu.Unlock()
	if up != nil {
		up.close()
	}
	l.end()
	l.under.Wait()
}
