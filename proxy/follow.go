package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcptransport"
)

// restTime is between two streams of news, when a server ends them.
const restTime = time.Second

// subscribed is the answer to a resources/subscribe or resources/unsubscribe of an older client,
// whose server is of the newer era.
func (l *link) subscribed(ctx context.Context, m *message) (*message, error) {
	uri := textOf(at(m.Params, "uri"))
	on := m.Method == string(mcp.MethodResourcesSubscribe)
	refused := func(why string) (*message, error) {
		return &message{ID: m.ID, Error: wrong(mcp.INVALID_PARAMS, why)}, nil
	}
	if uri == "" {
		return refused("the uri of the resource is missing")
	}
	f, err := l.follow(ctx, func(f *mcp.SubscriptionFilter) {
		f.ResourceSubscriptions = slices.DeleteFunc(f.ResourceSubscriptions,
			func(u string) bool { return u == uri })
		if on {
			f.ResourceSubscriptions = append(f.ResourceSubscriptions, uri)
		}
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && on:
		return refused(l.fault("%v", err).Error())
	case on && !slices.Contains(f.ResourceSubscriptions, uri):
		return refused(l.fault("it tells of no changes of this resource").Error())
	}
	return &message{ID: m.ID, Result: json.RawMessage(`{}`)}, nil
}

// followOn opens the stream of what is wanted, unless it is open.
func (l *link) followOn() {
	if _, err := l.follow(l.life, nil); err != nil {
		l.p.opts.Log.Info("a server does not tell of changes", "server", l.p.opts.Name,
			"error", err)
	}
}

// follow changes what an older client hears from a server of the newer era, by another stream in
// the place of the one before. It gives what the server agrees to; what it does not agree to is
// not wanted any more.
func (l *link) follow(ctx context.Context, change func(*mcp.SubscriptionFilter)) (
	f mcp.SubscriptionFilter, err error) {
	l.subscribing.Lock()
	defer l.subscribing.Unlock()
	var up upstream
	var meta json.RawMessage
	open := false
	set(l, func() { f, up, meta, open = l.wanted, l.up, l.meta, l.followed == l.up })
	switch f.ResourceSubscriptions = slices.Clone(f.ResourceSubscriptions); {
	case change != nil:
		change(&f)
	case open:
		return f, nil
	}
	if len(f.ResourceSubscriptions) > mostSubscribed {
		return f, fmt.Errorf("there are %d subscriptions already", mostSubscribed)
	}
	stop := func() {}
	if up != nil && meta != nil && !f.IsEmpty() {
		var agreed *message
		if agreed, stop, err = l.opened(ctx, up, meta, f); err != nil {
			return f, err
		}
		f = mcp.SubscriptionFilter{}
		err = json.Unmarshal(at(agreed.Params, "notifications"), &f)
	}
	var before context.CancelFunc
	set(l, func() {
		before, l.unfollow = l.unfollow, stop
		l.wanted, l.followed = f, up
	})
	if before != nil {
		before()
	}
	return f, err
}

// opened opens a stream of news, and gives what the server agrees to.
func (l *link) opened(ctx context.Context, up upstream, meta json.RawMessage,
	f mcp.SubscriptionFilter) (*message, context.CancelFunc, error) {
	wants, err := encode(f)
	if err != nil {
		return nil, nil, err
	}
	m := &message{Method: string(mcp.MethodSubscriptionsListen),
		Params: object{"notifications": wants, "_meta": meta}.raw()}
	life, stop := context.WithCancel(l.life)
	first := make(chan *message, 1)
	if !l.spawn(func() { l.heed(life, up, m, first) }) {
		stop()
		return nil, nil, mcptransport.ErrClosed
	}
	late := time.NewTimer(discoverTime)
	defer late.Stop()
	select {
	case in := <-first:
		switch {
		case in.fault != nil:
			err = in.fault
		case in.isResponse():
			err = fmt.Errorf("it tells of no changes: %s",
				cmp.Or(textOf(at(in.Error, "message")), "it gives no reason"))
		default:
			return in, stop, nil
		}
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-late.C:
		err = errors.New("it does not say whether it tells of changes")
	}
	stop()
	return nil, nil, err
}

// heed passes a stream of news on as the broadcasts that an older client knows, and opens it again
// when it ends, until life does or the upstream is gone. What comes first goes to first.
func (l *link) heed(life context.Context, up upstream, m *message, first chan<- *message) {
	for {
		x := l.begin(life, &message{}, nil)
		err := l.submit(life, up, x, m)
		if err != nil {
			l.deliver(x, &message{fault: err})
		}
		for open := true; open; {
			select {
			case in := <-x.inbox:
				open = in.fault == nil && !in.isResponse()
				switch {
				case first != nil:
					first <- in // it has a place for one
					first = nil
				case life.Err() != nil: // another stream has it
				case open && in.Method != mcp.MethodNotificationSubscriptionsAcknowledged:
					l.broadcast(in)
				}
			case <-life.Done():
				l.cancel(up, x, errors.New("it is not listened to any more"))
				l.finish(x)
				return
			}
		}
		l.finish(x)
		rest := time.NewTimer(restTime)
		select {
		case <-rest.C:
		case <-life.Done():
		}
		rest.Stop()
		var gone bool
		set(l, func() { gone = l.up != up })
		if gone || life.Err() != nil {
			return
		}
	}
}
