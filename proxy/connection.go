package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcptransport"
	"github.com/taploop/taploop/internal/text"
)

// line is the connection to the other server. It is made when it is needed, and again when it is
// gone; what is under way then is told so.
type line struct {
	opts  *Options
	dial  dial
	ready func(context.Context, upstream) error // readies one that was started, or that forgot all
	gone  func()                                // what the upstream knew, is gone

	open  exchanges
	noise noise
	life  context.Context // of the upstreams
	end   context.CancelFunc
	under sync.WaitGroup // what close waits for

	connecting sync.Mutex // held while an upstream is started

	mu     sync.Mutex
	up     upstream // nil while there is none
	closed bool
	starts []time.Time // of the last minute
}

// faultError says what is wrong with the other server, in words for the client.
type faultError struct{ text string }

func (e *faultError) Error() string { return e.text }

func (ln *line) fault(format string, args ...any) error {
	return &faultError{fmt.Sprintf("the server %s: ", ln.opts.Name) + fmt.Sprintf(format, args...) +
		ln.noise.words()}
}

// named is err with the name of the server, if it has none.
func (ln *line) named(err error) error {
	if _, is := errors.AsType[*faultError](err); is {
		return err
	}
	return ln.fault("%v", err)
}

// unanswered is why a request that was sent has no answer.
func (ln *line) unanswered(m *message, err error) error {
	if _, is := errors.AsType[*forgottenError](err); is {
		return err
	}
	lost, is := errors.AsType[*faultError](err)
	if is && m.Method == string(mcp.MethodToolsCall) {
		return &faultError{lost.text + "; whether the call was carried out is not known"}
	}
	return ln.named(err)
}

// current is the upstream in use, nil while there is none.
func (ln *line) current() upstream {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	return ln.up
}

// connected is the upstream, started if need be.
func (ln *line) connected(ctx context.Context) (upstream, error) {
	ln.connecting.Lock()
	defer ln.connecting.Unlock()
	up, anew, err := ln.start()
	if !anew {
		return up, err
	}
	if err := ln.ready(ctx, up); err != nil {
		ln.drop(up)
		up.close()
		return nil, err
	}
	return up, nil
}

// Restarts: so many within a minute.
const maxStarts = 5

// start starts an upstream, unless there is one. It may be lost as soon as it is known here, and
// not before.
func (ln *line) start() (up upstream, anew bool, err error) {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	now := time.Now()
	ln.starts = slices.DeleteFunc(ln.starts, func(t time.Time) bool {
		return now.Sub(t) > time.Minute
	})
	switch {
	case ln.closed:
		return nil, false, mcptransport.ErrClosed
	case ln.up != nil:
		return ln.up, false, nil
	case len(ln.starts) >= maxStarts:
		return nil, false, ln.fault("it has ended %d times within a minute and is not started "+
			"again now; try again in a minute", len(ln.starts))
	}
	ln.starts = append(ln.starts, now)
	ln.noise.silence()
	if up, err = ln.dial(ln.life, ln); err != nil {
		return nil, false, ln.fault("%v", err)
	}
	ln.up = up
	return up, true, nil
}

// renew readies a server anew that has forgotten the session.
func (ln *line) renew(ctx context.Context, refused *forgottenError) error {
	ln.connecting.Lock()
	defer ln.connecting.Unlock()
	if !refused.c.forget(refused.session) {
		return nil // another request has done it
	}
	ln.gone()
	err := ln.ready(ctx, refused.c)
	if err != nil { // the next request connects anew
		ln.giveUp(refused.c, err)
	}
	return err
}

// over sends a request and gives its response. What the upstream sends for it meanwhile goes to the
// client, in order, unless the request is one of ours: then it has no id.
func (ln *line) over(ctx context.Context, up upstream, m *message) (*message, error) {
	x := ln.open.begin(&exchange{up: up, m: m, ctx: ctx})
	defer ln.open.finish(x)
	if err := ln.submit(ctx, x); err != nil {
		return nil, err
	}
	return ln.await(ctx, x)
}

// submit sends the request of an exchange.
func (ln *line) submit(ctx context.Context, x *exchange) error {
	sent := *x.m
	sent.ID = number(x.id)
	if x.token != nil {
		sent.Params = with(sent.Params, sent.ID, "_meta", "progressToken")
	}
	x.astray = ln.noise.answers()
	if err := x.up.send(ctx, &sent); err != nil {
		return ln.fault("%v", err)
	}
	return nil
}

// await waits for the response to a request, or for what its client is asked by the result, and
// passes on what comes before.
func (ln *line) await(ctx context.Context, x *exchange) (*message, error) {
	quiet := time.NewTimer(ln.opts.Quiet)
	defer quiet.Stop()
	lost := false // when it was quiet before
	take := func(in *message) (*message, error) {
		switch {
		case in.fault != nil:
			return nil, ln.unanswered(x.m, in.fault)
		case in.isResponse(), in.isRequest():
			return in, nil
		}
		if err := x.pass(in); err != nil && ctx.Err() == nil {
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
			quiet.Reset(ln.opts.Quiet)
			if in, err := take(in); in != nil || err != nil {
				return in, err
			}
		case <-quiet.C:
			gone := ln.current() != x.up
			if gone && lost { // before this was sent, else it would have been told so
				return nil, ln.unanswered(x.m, ln.fault("%v", errLost))
			}
			lost = gone
			if ln.noise.answers() > x.astray {
				ln.cancel(x, errAstray)
				return nil, ln.unanswered(x.m, ln.fault("%v", errAstray))
			}
			quiet.Reset(ln.opts.Quiet)
			go ln.probe(x.up) // ends within maxProbe
		case <-ctx.Done():
			ln.cancel(x, context.Cause(ctx))
			return nil, context.Cause(ctx)
		}
	}
}

// cancel tells the upstream that a request is not waited for any more. "The initialize request MUST
// NOT be cancelled by clients": then it is not known.
func (ln *line) cancel(x *exchange, cause error) {
	ctx, done := context.WithTimeout(ln.life, 5*time.Second)
	defer done()
	_ = x.up.send(ctx, &message{Method: string(mcp.MethodNotificationCancelled), // it may be gone
		Params: encode(object{"requestId": x.id, "reason": cause.Error()})})
}

// answer answers a request of an upstream. One that is gone waits for nothing.
func (ln *line) answer(up upstream, m *message) { _ = up.send(ln.life, m) }

// receive implements receiver.
func (ln *line) receive(from upstream, m *message) {
	var x *exchange // that it answers
	made := false
	if m.isResponse() {
		x, made = ln.open.find(m.ID)
	}
	switch {
	case ln.current() != from:
	case x != nil:
		ln.open.deliver(x, m)
	case ln.noise.floods():
		ln.giveUp(from, fmt.Errorf("it floods: it sent more than %d messages within %v that "+
			"answer nothing", maxUnasked, unaskedTime))
	case !m.isResponse():
		ln.open.stray(m)
	case string(m.ID) == "null": // an error, about something that it could not read
		ln.odd("an answer to nothing: " + text.Quote(string(m.Error), 200))
	case !made: // else it crosses with its being cancelled
		ln.noise.wrong(m)
	}
}

// odd implements receiver.
func (ln *line) odd(what string) { ln.noise.odd(what) }

// dropped notes a notification that a client does not take.
func (ln *line) dropped(m *message) {
	ln.opts.Log.Warn("a client does not listen: a notification is dropped", "server",
		ln.opts.Name, "method", text.Line(m.Method))
}

// drop forgets an upstream. It reports whether it was the one in use.
func (ln *line) drop(up upstream) bool {
	ln.mu.Lock()
	mine := ln.up == up
	if mine {
		ln.up = nil
	}
	ln.mu.Unlock()
	if mine {
		ln.gone()
	}
	return mine
}

// lost implements receiver: all that is under way is told why it has no answer.
func (ln *line) lost(up upstream, err error) {
	if !ln.drop(up) {
		return
	}
	fault := ln.named(err)
	ln.mu.Lock()
	closed := ln.closed
	ln.mu.Unlock()
	if !closed {
		ln.opts.Log.Warn("the connection to a server is lost", "server", ln.opts.Name, "error",
			fault)
	}
	ln.open.fail(fault)
}

// giveUp ends an upstream, and kills it when it does not end. close waits for that.
func (ln *line) giveUp(up upstream, err error) {
	ln.lost(up, err)
	ln.spawn(up.close)
}

// maxProbe is how long an upstream has to show that it lives.
var maxProbe = 20 * time.Second

var (
	errHangs  = errors.New("it hangs: it answers nothing any more")
	errLost   = errors.New("the connection to it is lost")
	errAstray = errors.New("it answered a request that was not made, and this one not at all")
)

// probe gives up an upstream that does not answer at all: whatever it says to a ping shows that it
// lives.
func (ln *line) probe(up upstream) {
	if ln.current() != up {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ln.life, maxProbe, errHangs)
	defer cancel()
	x := ln.open.begin(&exchange{up: up, m: &message{Method: string(mcp.MethodPing)}, ctx: ctx})
	defer ln.open.finish(x)
	if ln.submit(ctx, x) == nil {
		select {
		case <-x.inbox:
			return
		case <-ctx.Done():
		}
	}
	if ln.life.Err() == nil {
		ln.giveUp(up, errHangs)
	}
}

// spawn runs f in a goroutine that close waits for, unless the line is being closed.
func (ln *line) spawn(f func()) bool {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	if !ln.closed {
		ln.under.Go(f)
	}
	return !ln.closed
}

// closeTime is how long an upstream has to end, when all that it says is taken.
var closeTime = 4 * endGrace

// close ends the upstream, and waits for it, but not for a client that takes nothing of what is for
// it: what waits for that ends when the client has gone.
func (ln *line) close() {
	ln.mu.Lock()
	ln.closed = true
	up := ln.up
	ln.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if up != nil {
			up.close()
		}
		ln.end()
		ln.under.Wait()
	}()
	late := time.NewTimer(closeTime)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		ln.end()
	}
}

// Of what a server says unasked, so many messages within a while are more than any has use for.
var maxUnasked = 20_000

const unaskedTime = 10 * time.Second

// noise is what an upstream sends that answers nothing, or is no message at all.
type noise struct {
	mu      sync.Mutex
	unasked int
	since   time.Time
	strange int    // how often it was no message
	sample  string // the last of it
	astray  int    // how often it was an answer to a request that was not made
}

// silence begins anew, for another upstream.
func (n *noise) silence() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.unasked, n.strange, n.sample = 0, 0, ""
}

func (n *noise) odd(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.strange++
	n.sample = what
}

// wrong counts an answer to a request that was not made.
func (n *noise) wrong(m *message) {
	n.odd("an answer to a request that was not made, with the id " + text.Quote(string(m.ID), 60))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.astray++
}

// answers is how many such answers there were, of all upstreams.
func (n *noise) answers() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.astray
}

// floods counts a message that answers nothing, and reports whether there are too many.
func (n *noise) floods() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := time.Now(); now.Sub(n.since) > unaskedTime {
		n.unasked, n.since = 0, now
	}
	n.unasked++
	return n.unasked > maxUnasked
}

// words are for the end of a fault.
func (n *noise) words() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.strange == 0 {
		return ""
	}
	return fmt.Sprintf(" (before that it sent what is no answer %d times, the last was %s)",
		n.strange, n.sample)
}
