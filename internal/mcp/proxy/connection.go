package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// connection reaches the other server. It starts an upstream when one is needed, and again after
// one is lost. Requests that were under way then fail.
type connection struct {
	opts  *Options
	dial  upstream.Dial
	owner owner

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

// owner receives the events of a connection.
type owner interface {
	// restore prepares an upstream that was started, or that has forgotten its session.
	restore(context.Context, upstream.Conn) error
	// gone says that the upstream is lost, or has forgotten its session.
	gone()
	// unsolicited takes a request or a notification of the upstream.
	unsolicited(*message)
}

// faultError is a fault of the other server, worded for the client.
type faultError struct{ text string }

func (e *faultError) Error() string { return e.text }

func (c *connection) fault(format string, args ...any) error {
	return &faultError{fmt.Sprintf("the server %s: ", c.opts.Name) + fmt.Sprintf(format, args...) +
		c.noise.summary()}
}

// named adds the name of the server to err unless err has it.
func (c *connection) named(err error) error {
	if _, is := errors.AsType[*faultError](err); is {
		return err
	}
	return c.fault("%v", err)
}

// unanswered words why a request that was sent has no answer.
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

// current returns the upstream in use, or nil if missing.
func (c *connection) current() upstream.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up
}

// connected returns the upstream in use, which it starts if missing.
func (c *connection) connected(ctx context.Context) (upstream.Conn, error) {
	c.connecting.Lock()
	defer c.connecting.Unlock()
	up, started, err := c.start()
	if !started {
		return up, err
	}
	if err := c.owner.restore(ctx, up); err != nil {
		c.drop(up)
		up.Close()
		return nil, err
	}
	return up, nil
}

// maxStarts is how often an upstream is started within a minute.
const maxStarts = 5

// start starts an upstream unless there is one. Holding mu while it dials ensures that Lost is not
// called before the upstream is known.
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

// renew makes a new session on a server that has forgotten the one in use.
func (c *connection) renew(ctx context.Context, refused *upstream.ForgottenError) error {
	c.connecting.Lock()
	defer c.connecting.Unlock()
	if !refused.Forget() {
		return nil // another request has done it
	}
	c.owner.gone()
	err := c.owner.restore(ctx, refused.From())
	if err != nil { // the next request connects again
		c.giveUp(refused.From(), err)
	}
	return err
}

// roundTrip sends a request and returns its response. Notifications about a client's request go to
// the client meanwhile, in order. Those about an [ownRequest] are dropped.
func (c *connection) roundTrip(ctx context.Context, up upstream.Conn, m *message) (
	*message, error) {
	x := c.open.begin(&exchange{up: up, m: m, ctx: ctx})
	defer c.finish(x)
	if err := c.submit(ctx, x); err != nil {
		return nil, err
	}
	return c.await(ctx, x)
}

func (c *connection) finish(x *exchange) { c.unclaimed(c.open.finish(x)) }

// deliver gives a message to an exchange.
func (c *connection) deliver(x *exchange, m *message) { c.unclaimed(x.deliver(m)) }

// unclaimed takes messages that came for an exchange that is finished.
func (c *connection) unclaimed(list []*message) {
	for _, m := range list {
		c.owner.unsolicited(m)
	}
}

// submit sends the request of an exchange.
func (c *connection) submit(ctx context.Context, x *exchange) error {
	sent := *x.m
	sent.ID = strconv.AppendInt(nil, x.id, 10)
	if x.token != nil {
		if err := sent.SetParam(sent.ID, "_meta", "progressToken"); err != nil {
			return err
		}
	}
	x.unmatchedBefore = c.noise.unmatchedAnswers()
	if err := x.up.Send(ctx, &sent); err != nil {
		return c.fault("%v", err)
	}
	if x.of != nil { // messages arrive in the order they are sent
		transport.Begun(ctx)
	}
	return nil
}

// await waits for the response to a request, and passes on the notifications that come before it.
func (c *connection) await(ctx context.Context, x *exchange) (*message, error) {
	quiet := time.NewTimer(c.opts.Quiet)
	defer quiet.Stop()
	lost := false // at the end of the last quiet period
	for {
		select {
		case in := <-x.inbox:
			quiet.Reset(c.opts.Quiet)
			switch {
			case in.Fault != nil:
				err := in.Fault
				if unread, is := errors.AsType[*wire.Error](err); is {
					err = c.fault("its answer cannot be read: %v", unread)
				}
				return nil, c.unanswered(x.m, err)
			case in.IsResponse():
				return in, nil
			}
			if err := x.pass(in); err != nil && ctx.Err() == nil {
				return nil, err
			}
		case <-quiet.C:
			gone := c.current() != x.up
			if gone && lost { // it was lost before the request was sent, so x was not failed
				return nil, c.unanswered(x.m, c.fault("%v", errLost))
			}
			lost = gone
			if c.noise.unmatchedAnswers() > x.unmatchedBefore {
				c.cancel(x, errUnmatched)
				return nil, c.unanswered(x.m, c.fault("%v", errUnmatched))
			}
			quiet.Reset(c.opts.Quiet)
			c.spawn(func() { c.probe(x.up) })
		case <-ctx.Done():
			c.cancel(x, context.Cause(ctx))
			return nil, context.Cause(ctx)
		}
	}
}

// cancel cancels a request at the upstream.
func (c *connection) cancel(x *exchange, cause error) {
	ctx, done := context.WithTimeout(c.life, 5*time.Second)
	defer done()
	params := wire.Encode(object{"requestId": x.id, "reason": cause.Error()})
	// the upstream may be gone
	_ = x.up.Send(ctx, upstream.Notification(string(mcp.MethodNotificationCancelled), params))
}

// answer answers a request of an upstream, which may be gone.
func (c *connection) answer(up upstream.Conn, m *message) { _ = up.Send(c.life, m) }

// Receive implements upstream.Receiver. It blocks while the client that m is for reads slowly.
func (c *connection) Receive(from upstream.Conn, m *message) {
	defer c.noise.arrive()()
	var x *exchange // that m answers
	made := false
	if m.IsResponse() {
		x, made = c.open.find(m.ID)
	}
	switch {
	case c.current() != from:
	case x != nil:
		c.deliver(x, m)
	case c.noise.floods():
		c.giveUp(from, fmt.Errorf("it floods: it sent more than %d messages within %v that "+
			"answer nothing", maxUnsolicited, unsolicitedTime))
	case !m.IsResponse():
		c.owner.unsolicited(m)
	case string(m.ID) == "null": // an error about a message that it could not read
		c.Malformed("an answer to nothing: " + text.Quote(string(m.Error), 200))
	case !made: // otherwise it crossed with the cancellation
		c.noise.noteUnmatched(m)
	}
}

// Malformed implements upstream.Receiver.
func (c *connection) Malformed(what string) { c.noise.note(what) }

// drop forgets an upstream. It reports whether it was the one in use.
func (c *connection) drop(up upstream.Conn) bool {
	c.mu.Lock()
	mine := c.up == up
	if mine {
		c.up = nil
	}
	c.mu.Unlock()
	if mine {
		c.owner.gone()
	}
	return mine
}

// Lost implements upstream.Receiver: all requests under way fail.
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
	for _, x := range c.open.all() {
		c.deliver(x, &message{Fault: fault})
	}
}

// giveUp ends an upstream, and kills it if it does not end. close waits for that.
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

// probe gives up an upstream that does not answer a ping. Any answer, also an error, shows that it
// lives.
func (c *connection) probe(up upstream.Conn) {
	if c.current() != up {
		return
	}
	ctx, cancel := context.WithTimeoutCause(c.life, limits.Probe, errHangs)
	defer cancel()
	ping := ownRequest(string(mcp.MethodPing), nil)
	x := c.open.begin(&exchange{up: up, m: ping, ctx: ctx})
	defer c.finish(x)
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
func (c *connection) spawn(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.under.Go(f)
	}
}

// closeTime is how long close waits for an upstream to end.
var closeTime = 4 * limits.Grace

// close ends the upstream and waits for it. It does not wait for a client that does not read what
// is sent to it: goroutines that are held up by one end when the client has gone.
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
