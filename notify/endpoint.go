package notify

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/inquiry"
)

// target is a kind of endpoint.
type target interface {
	label() string
	wants(event string) bool
	fleeting() bool // it is for people: what is not true any more is not told
	request(ctx context.Context, m *message, o *Options) (*http.Request, error)
}

// endpoint delivers to one target, one message at a time.
type endpoint struct {
	target
	name    string
	opts    *Options
	client  *http.Client
	wake    chan struct{}         // holds one token when the queue has changed
	catchUp func(context.Context) // puts again what was dropped

	mu       sync.Mutex
	queue    []*item
	had      []*message // the last that were delivered, for when the ledger is asked just before it is told
	failures int        // in a row, of the endpoint and not of one message
	until    time.Time  // it is left alone
	gone     bool       // it wants nothing any more
	full     bool       // messages were dropped
	unsaid   bool       // which was not logged yet
	troubled bool       // it failed, which was logged
}

// item is a message that waits.
type item struct {
	*message
	tries  int
	next   time.Time // when it is tried
	by     time.Time // when it is given up
	flying bool      // it is being tried
}

func newEndpoint(t target, o *Options, catchUp func(context.Context)) *endpoint {
	transport := o.Transport
	if transport == nil {
		transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	return &endpoint{target: t, name: t.label(), opts: o, catchUp: catchUp, wake: make(chan struct{}, 1), client: &http.Client{
		Transport: transport,
		// A redirect is a failure: the signed message is for the address that was configured.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// put adds a message, unless it waits already or was delivered just now.
func (e *endpoint) put(m *message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gone || slices.ContainsFunc(e.had, m.follows) || slices.ContainsFunc(e.queue, func(i *item) bool { return m.follows(i.message) }) {
		return
	}
	if len(e.queue) >= e.opts.Queue {
		e.overflow()
	}
	now := time.Now()
	e.queue = append(e.queue, &item{message: m, next: now, by: now.Add(e.opts.GiveUp)})
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// overflow drops the oldest message that is not being tried. Once there is room again what is still true is told after all.
func (e *endpoint) overflow() {
	i := slices.IndexFunc(e.queue, func(i *item) bool { return !i.flying })
	if i < 0 {
		return
	}
	e.queue = slices.Delete(e.queue, i, i+1)
	e.unsaid = e.unsaid || !e.full
	e.full = true
}

// complain says in the log, once until there is room again, that messages were dropped.
func (e *endpoint) complain() {
	e.mu.Lock()
	unsaid := e.unsaid
	e.unsaid = false
	e.mu.Unlock()
	if unsaid {
		e.log(line{slog.LevelWarn, "too many notifications wait for this endpoint; the oldest have to wait outside", []any{"waiting", e.opts.Queue}})
	}
}

// run delivers until ctx ends.
func (e *endpoint) run(ctx context.Context) {
	defer e.client.CloseIdleConnections()
	for ctx.Err() == nil {
		e.complain()
		i, wait := e.pick(time.Now())
		switch {
		case i == nil:
			e.rest(ctx, wait)
		case e.outdated(ctx, i.message):
			e.drop(i)
		default:
			e.deliver(ctx, i)
		}
		if e.emptied() {
			e.catchUp(ctx)
		}
	}
}

// outdated reports whether the message needs not be told any more: nobody is called to a question that is settled.
func (e *endpoint) outdated(ctx context.Context, m *message) bool {
	if !e.fleeting() || m.ends() {
		return false
	}
	q, err := e.opts.Questions.Get(ctx, m.question.ID)
	return errors.Is(err, inquiry.ErrNotFound) || err == nil && !q.Open()
}

func (e *endpoint) deliver(ctx context.Context, i *item) {
	o := e.attempt(ctx, i.message)
	if o.ok() {
		e.receipt(ctx, i.message)
	} else if ctx.Err() != nil {
		return // it is us who are gone
	}
	e.done(i, o)
}

// pick takes the message whose turn it is, or says how long until then. Messages about one question keep their order.
func (e *endpoint) pick(now time.Time) (*item, time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	wait, before := time.Hour, map[string]bool{}
	for _, i := range e.queue {
		if before[i.question.ID] {
			continue
		}
		before[i.question.ID] = true
		at := i.next
		if e.until.After(at) {
			at = e.until
		}
		if !at.After(now) {
			i.flying = true
			return i, 0
		}
		wait = min(wait, at.Sub(now))
	}
	return nil, wait
}

// rest waits for the time or for a new message.
func (e *endpoint) rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-e.wake:
	case <-t.C:
	}
}

// receipt notes a delivery, also when everything ends right now.
func (e *endpoint) receipt(ctx context.Context, m *message) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := e.opts.Ledger.Delivered(ctx, m.receipt(e.name)); err != nil {
		e.opts.Log.Error("that somebody was told cannot be noted; after a restart it is told again", "endpoint", e.name, "err", err)
	}
}
