package notify

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/wait"
)

// target is where an endpoint's messages go.
type target struct {
	name string
	// it calls people: to open questions alone; any other target gets everything
	openOnly bool
	request  func(ctx context.Context, m *notification, o *Options) (*http.Request, error)
}

// endpoint delivers to one target, one message at a time.
type endpoint struct {
	target
	opts    *Options
	client  *http.Client
	wake    chan struct{}         // holds one token when the queue has changed
	catchUp func(context.Context) // puts again what was dropped

	mu    sync.Mutex
	queue []*item
	// the last that were delivered, for when the ledger is read just before it is written
	recent   []*notification
	failures int       // in a row, of the endpoint and not of one message
	until    time.Time // it is left alone
	gone     bool      // it wants nothing any more
	full     bool      // messages were dropped, which was logged
	failing  bool      // it failed, which was logged
	notes    []func()  // lines for the log
}

// item is a message that waits.
type item struct {
	*notification
	tries    int
	next     time.Time // when it is tried
	by       time.Time // when it is given up
	inFlight bool      // it is being tried
}

func newEndpoint(t target, o *Options, catchUp func(context.Context)) *endpoint {
	transport := o.Transport
	if transport == nil {
		transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	return &endpoint{target: t, opts: o, catchUp: catchUp,
		wake: make(chan struct{}, 1), client: &http.Client{
			Transport: transport,
			// A redirect is a failure: the signed message is for the address that was configured.
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		}}
}

// put adds a message, unless it waits already or was delivered just now.
func (e *endpoint) put(m *notification) {
	e.mu.Lock()
	defer e.mu.Unlock()
	waits := slices.ContainsFunc(e.queue,
		func(i *item) bool { return m.obsoleteAfter(i.notification) })
	if waits || e.gone || slices.ContainsFunc(e.recent, m.obsoleteAfter) {
		return
	}
	if len(e.queue) >= e.opts.Queue {
		e.overflow()
	}
	now := time.Now()
	e.queue = append(e.queue, &item{notification: m, next: now, by: now.Add(e.opts.GiveUp)})
	wait.Wake(e.wake)
}

// overflow drops the oldest message that is not being tried. Once there is room again what is still
// true is sent after all.
func (e *endpoint) overflow() {
	i := slices.IndexFunc(e.queue, func(i *item) bool { return !i.inFlight })
	if i < 0 {
		return
	}
	e.queue = slices.Delete(e.queue, i, i+1)
	if !e.full {
		e.note(slog.LevelWarn,
			"too many notifications wait for this endpoint; the oldest are dropped",
			"waiting", e.opts.Queue)
	}
	e.full = true
}

// run delivers until ctx ends.
func (e *endpoint) run(ctx context.Context) {
	defer e.client.CloseIdleConnections()
	defer e.report()
	for ctx.Err() == nil {
		e.report()
		i, pause := e.pick(time.Now())
		switch {
		case i == nil:
			_ = wait.Until(ctx, pause, e.wake) // the loop asks whether ctx has ended
		case e.outdated(ctx, i.notification):
			e.drop(i)
		default:
			e.deliver(ctx, i)
		}
		if e.emptied() {
			e.catchUp(ctx)
		}
	}
}

// outdated reports whether the message need not be sent any more: people are not called to a
// settled question.
func (e *endpoint) outdated(ctx context.Context, m *notification) bool {
	if !e.openOnly {
		return false
	}
	q, err := e.opts.Questions.Get(ctx, m.question.ID)
	return errors.Is(err, inquiry.ErrNotFound) || err == nil && !q.Open()
}

func (e *endpoint) deliver(ctx context.Context, i *item) {
	o := e.attempt(ctx, i.notification)
	if o.ok() {
		e.receipt(ctx, i.notification)
	} else if ctx.Err() != nil {
		return // the end of ctx has broken the attempt off
	}
	e.settle(i, o)
}

// pick takes the message that is due, or says how long until one is. Messages about one question
// keep their order.
func (e *endpoint) pick(now time.Time) (*item, time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	pause, before := time.Hour, map[string]bool{}
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
			i.inFlight = true
			return i, 0
		}
		pause = min(pause, at.Sub(now))
	}
	return nil, pause
}

// receipt notes a delivery, even when ctx ends meanwhile.
func (e *endpoint) receipt(ctx context.Context, m *notification) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := e.opts.Ledger.Delivered(ctx, m.receipt(e.name)); err != nil {
		e.opts.Log.Error("a delivery cannot be noted; after a restart the message is sent again",
			"endpoint", e.name, "err", err)
	}
}
