package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// connection is what reaches the other server. It is made when it is needed, and again when it
// is gone; what is under way then is told so.
type connection struct {
	opts *Options
	dial upstream.Dial
	// ready readies an upstream that was started, or that has forgotten all
	ready func(context.Context, upstream.Conn) error
	gone  func() // what the upstream knew, is gone

	open  exchanges
	noise noise
	life  context.Context // of the upstreams
	end   context.CancelFunc
	under sync.WaitGroup // what close waits for

	connecting sync.Mutex // held while an upstream is started

	mu     lock
	up     upstream.Conn // nil while there is none
	closed bool
	starts []time.Time // of the last minute
}

// faultError says what is wrong with the other server, in words for the client.
type faultError struct{ text string }

func (e *faultError) Error() string { return e.text }

func (c *connection) fault(format string, args ...any) error {
	return &faultError{fmt.Sprintf("the server %s: ", c.opts.Name) + fmt.Sprintf(format, args...) +
		c.noise.summary()}
}

// named is err with the name of the server, if it has none.
func (c *connection) named(err error) error {
	if _, is := errors.AsType[*faultError](err); is {
		return err
	}
	return c.fault("%v", err)
}

// unanswered is why a request that was sent has no answer.
func (c *connection) unanswered(m *message, err error) error {
	if _, is := errors.AsType[*upstream.ForgottenError](err); is {
		return err
	}
	lost, is := errors.AsType[*faultError](err)
	if is && m.Method == string(mcp.MethodToolsCall) {
		return &faultError{lost.text + "; whether the call was carried out is not known"}
	}
	return c.named(err)
}

// current is the upstream in use, nil while there is none.
func (c *connection) current() upstream.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up
}

// connected is the upstream, started if need be.
func (c *connection) connected(ctx context.Context) (upstream.Conn, error) {
	c.connecting.Lock()
	defer c.connecting.Unlock()
	up, started, err := c.start()
	if !started {
		return up, err
	}
	if err := c.ready(ctx, up); err != nil {
		c.drop(up)
		up.Close()
		return nil, err
	}
	return up, nil
}

// Restarts: so many within a minute.
const maxStarts = 5

// start starts an upstream, unless there is one. It may be lost as soon as it is known here, and
// not before.
func (c *connection) start() (up upstream.Conn, started bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.starts = slices.DeleteFunc(c.starts, func(t time.Time) bool {
		return now.Sub(t) > time.Minute
	})
	switch {
	case c.closed:
		return nil, false, transport.ErrClosed
	case c.up != nil:
		return c.up, false, nil
	case len(c.starts) >= maxStarts:
		return nil, false, c.fault("it has ended %d times within a minute and is not started "+
			"again now; try again in a minute", len(c.starts))
	}
	c.starts = append(c.starts, now)
	c.noise.reset()
	if up, err = c.dial(c.life, c); err != nil {
		return nil, false, c.fault("%v", err)
	}
	c.up = up
	return up, true, nil
}

// renew readies a server anew that has forgotten the session.
func (c *connection) renew(ctx context.Context, refused *upstream.ForgottenError) error {
	c.connecting.Lock()
	defer c.connecting.Unlock()
	if !refused.Forget() {
		return nil // another request has done it
	}
	c.gone()
	err := c.ready(ctx, refused.From())
	if err != nil { // the next request connects anew
		c.giveUp(refused.From(), err)
	}
	return err
}

// roundTrip sends a request and gives its response. What the upstream sends for it meanwhile goes
// to the client, in order, unless the request is one of ours: then it has no id.
func (c *connection) roundTrip(ctx context.Context, up upstream.Conn, m *message) (
	*message, error) {
	x := c.open.begin(&exchange{up: up, m: m, ctx: ctx})
	defer c.open.finish(x)
	if err := c.submit(ctx, x); err != nil {
		return nil, err
	}
	return c.await(ctx, x)
}

// submit sends the request of an exchange.
func (c *connection) submit(ctx context.Context, x *exchange) error {
	sent := *x.m
	sent.ID = number(x.id)
	if x.token != nil {
		sent.Params = wire.With(sent.Params, sent.ID, "_meta", "progressToken")
	}
	x.unmatchedBefore = c.noise.unmatchedAnswers()
	if err := x.up.Send(ctx, &sent); err != nil {
		return c.fault("%v", err)
	}
	return nil
}

// await waits for the response to a request, and passes on what comes before.
func (c *connection) await(ctx context.Context, x *exchange) (*message, error) {
	quiet := time.NewTimer(c.opts.Quiet)
	defer quiet.Stop()
	lost := false // when it was quiet before
	for {
		select {
		case in := <-x.inbox:
			quiet.Reset(c.opts.Quiet)
			switch {
			case in.Fault != nil:
				return nil, c.unanswered(x.m, in.Fault)
			case in.IsResponse():
				return in, nil
			}
			if err := x.pass(in); err != nil && ctx.Err() == nil {
				return nil, err
			}
		case <-quiet.C:
			gone := c.current() != x.up
			if gone && lost { // before this was sent, else it would have been told so
				return nil, c.unanswered(x.m, c.fault("%v", errLost))
			}
			lost = gone
			if c.noise.unmatchedAnswers() > x.unmatchedBefore {
				c.cancel(x, errUnmatched)
				return nil, c.unanswered(x.m, c.fault("%v", errUnmatched))
			}
			quiet.Reset(c.opts.Quiet)
			go c.probe(x.up) // ends within limits.Probe
		case <-ctx.Done():
			c.cancel(x, context.Cause(ctx))
			return nil, context.Cause(ctx)
		}
	}
}

// cancel tells the upstream that a request is not waited for any more. "The initialize request MUST
// NOT be cancelled by clients": then it is not known.
func (c *connection) cancel(x *exchange, cause error) {
	ctx, done := context.WithTimeout(c.life, 5*time.Second)
	defer done()
	params := wire.Encode(object{"requestId": x.id, "reason": cause.Error()})
	// the upstream may be gone
	_ = x.up.Send(ctx, upstream.Request(nil, string(mcp.MethodNotificationCancelled), params))
}

// answer answers a request of an upstream. One that is gone waits for nothing.
func (c *connection) answer(up upstream.Conn, m *message) { _ = up.Send(c.life, m) }

// Receive implements upstream.Receiver. It blocks while the client that m is for reads slowly.
func (c *connection) Receive(from upstream.Conn, m *message) {
	defer c.noise.arrive()()
	var x *exchange // that it answers
	made := false
	if m.IsResponse() {
		x, made = c.open.find(m.ID)
	}
	switch {
	case c.current() != from:
	case x != nil:
		c.open.deliver(x, m)
	case c.noise.floods():
		c.giveUp(from, fmt.Errorf("it floods: it sent more than %d messages within %v that "+
			"answer nothing", maxUnsolicited, unsolicitedTime))
	case !m.IsResponse():
		c.open.unclaimed(m)
	case string(m.ID) == "null": // an error, about something that it could not read
		c.Malformed("an answer to nothing: " + text.Quote(string(m.Error), 200))
	case !made: // else it crosses with its being cancelled
		c.noise.noteUnmatched(m)
	}
}

// malformed implements receiver.
func (c *connection) Malformed(what string) { c.noise.note(what) }

// dropped notes a notification that a client does not take.
func (c *connection) dropped(m *message) {
	c.opts.Log.Warn("a client does not listen: a notification is dropped", "server",
		c.opts.Name, "method", text.Line(m.Method))
}

// drop forgets an upstream. It reports whether it was the one in use.
func (c *connection) drop(up upstream.Conn) bool {
	c.mu.Lock()
	mine := c.up == up
	if mine {
		c.up = nil
	}
	c.mu.Unlock()
	if mine {
		c.gone()
	}
	return mine
}

// lost implements receiver: all that is under way is told why it has no answer.
func (c *connection) Lost(up upstream.Conn, err error) {
	if !c.drop(up) {
		return
	}
	fault := c.named(err)
	var closed bool
	c.mu.do(func() { closed = c.closed })
	if !closed {
		c.opts.Log.Warn("the connection to a server is lost", "server", c.opts.Name, "error",
			fault)
	}
	c.open.fail(fault)
}

// giveUp ends an upstream, and kills it when it does not end. close waits for that.
func (c *connection) giveUp(up upstream.Conn, err error) {
	c.Lost(up, err)
	c.spawn(up.Close)
}

// limits are those of servers.
var limits = upstream.Limits{Line: 64 << 20, Grace: 2 * time.Second, Probe: 20 * time.Second}

var (
	errHangs     = errors.New("it hangs: it answers nothing any more")
	errLost      = errors.New("the connection to it is lost")
	errUnmatched = errors.New("it answered a request that was not made, and this one not at all")
)

// probe gives up an upstream that does not answer at all: whatever it says to a ping shows that it
// lives.
func (c *connection) probe(up upstream.Conn) {
	if c.current() != up {
		return
	}
	ctx, cancel := context.WithTimeoutCause(c.life, limits.Probe, errHangs)
	defer cancel()
	ping := upstream.Request(nil, string(mcp.MethodPing), nil)
	x := c.open.begin(&exchange{up: up, m: ping, ctx: ctx})
	defer c.open.finish(x)
	if c.submit(ctx, x) == nil {
		select {
		case <-x.inbox:
			return
		case <-ctx.Done():
		}
	}
	if c.life.Err() == nil {
		c.giveUp(up, errHangs)
	}
}

// spawn runs f in a goroutine that close waits for, unless the connection is being closed.
func (c *connection) spawn(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.under.Go(f)
	}
	return !c.closed
}

// closeTime is how long an upstream has to end, when all that it says is taken.
var closeTime = 4 * limits.Grace

// close ends the upstream, and waits for it, but not for a client that takes nothing of what is for
// it: what waits for that ends when the client has gone.
func (c *connection) close() {
	c.mu.Lock()
	c.closed = true
	up := c.up
	c.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if up != nil {
			up.Close()
		}
		c.end()
		c.under.Wait()
	}()
	late := time.NewTimer(closeTime)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		c.end()
	}
}

// A server floods when it sends more unsolicited messages than this within unsolicitedTime.
var maxUnsolicited = 20_000

const unsolicitedTime = 10 * time.Second

// noise counts the messages of an upstream that answer no request, and the lines that are not
// messages.
type noise struct {
	mu          lock
	arrivals    int // messages of any kind
	unsolicited int
	since       time.Time // when counting unsolicited began, moved on by the time that clients took
	malformed   int       // how often it was no message
	sample      string    // the last of it
	unmatched   int       // how often it was an answer to a request that was not made
}

// reset begins anew, for another upstream.
func (n *noise) reset() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.unsolicited, n.malformed = 0, 0
	n.sample = ""
}

func (n *noise) note(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.malformed++
	n.sample = what
}

// noteUnmatched counts an answer to a request that was not made.
func (n *noise) noteUnmatched(m *message) {
	n.note("an answer to a request that was not made, with the id " + text.Quote(string(m.ID), 60))
	n.mu.do(func() { n.unmatched++ })
}

// unmatchedAnswers is how many such answers there were, of all upstreams.
func (n *noise) unmatchedAnswers() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.unmatched
}

// arrive notes that a message has arrived, and the function that it returns that the message has
// been handed over. The time between does not count against unsolicitedTime unless other messages
// arrive meanwhile: a server floods no less because its client reads slowly and so holds it up.
func (n *noise) arrive() (handedOver func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.arrivals++
	nth, at := n.arrivals, time.Now()
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.arrivals == nth {
			n.since = n.since.Add(time.Since(at))
		}
	}
}

// floods counts a message that answers nothing, and reports whether there are too many.
func (n *noise) floods() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := time.Now(); now.Sub(n.since) > unsolicitedTime {
		n.unsolicited, n.since = 0, now
	}
	n.unsolicited++
	return n.unsolicited > maxUnsolicited
}

// summary are for the end of a fault.
func (n *noise) summary() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.malformed == 0 {
		return ""
	}
	return fmt.Sprintf(" (before that it sent what is no answer %d times, the last was %s)",
		n.malformed, n.sample)
}
