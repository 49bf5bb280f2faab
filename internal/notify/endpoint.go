package notify

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/wait"
)

// endpoint delivers to one target, one message at a time.
type endpoint struct {
	target
	opts    *Options
	client  *http.Client
	queue   *queue
	catchUp func(context.Context) // puts again what was dropped
}

func newEndpoint(t target, o *Options, catchUp func(context.Context)) *endpoint {
	transport := o.Transport
	if transport == nil {
		transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	return &endpoint{target: t, opts: o, catchUp: catchUp,
		queue: &queue{name: t.name, opts: o, wake: make(chan struct{}, 1)}, client: &http.Client{
			Transport: transport,
			// A redirect is a failure: the signed message is for the address that was configured.
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		}}
}

// run delivers until ctx ends.
func (e *endpoint) run(ctx context.Context) {
	defer e.client.CloseIdleConnections()
	defer e.queue.report()
	for ctx.Err() == nil {
		e.queue.report()
		i, pause := e.queue.pick(time.Now())
		switch {
		case i == nil:
			_ = wait.Until(ctx, pause, e.queue.wake) // the loop asks whether ctx has ended
		case e.outdated(ctx, i.notification):
			e.queue.drop(i)
		default:
			e.deliver(ctx, i)
		}
		if e.queue.emptied() {
			e.catchUp(ctx)
		}
	}
}

// outdated reports whether the message need not be sent any more: people are not called to a
// settled question.
func (e *endpoint) outdated(ctx context.Context, m *notification) bool {
	if !e.openOnly || m.notice != nil {
		return false
	}
	q, err := e.opts.Questions.Get(ctx, m.question.ID)
	return errors.Is(err, inquiry.ErrNotFound) || err == nil && !q.Open()
}

func (e *endpoint) deliver(ctx context.Context, i *item) {
	o := attempt(ctx, e.client, e.target, i.notification, e.opts)
	if e.gone != nil && (o.status == http.StatusNotFound || o.status == http.StatusGone) {
		o.status = http.StatusGone
		if err := e.gone(); err != nil {
			e.opts.Log.Error("a subscription cannot be removed", "endpoint", e.name, "err", err)
		}
	}
	if o.ok() {
		e.receipt(ctx, i.notification)
	} else if ctx.Err() != nil {
		return // the end of ctx has broken the attempt off
	}
	e.queue.settle(i, o)
}

// writing bounds one entry of the ledger.
const writing = 5 * time.Second

// receipt notes a delivery, even when ctx ends meanwhile.
func (e *endpoint) receipt(ctx context.Context, m *notification) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writing)
	defer cancel()
	if err := e.opts.Ledger.Delivered(ctx, m.receipt(e.name)); err != nil {
		e.opts.Log.Error("a delivery cannot be noted; after a restart the message is sent again",
			"endpoint", e.name, "err", err)
	}
}
