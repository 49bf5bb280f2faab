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

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/wait"
)

// restTime is between two streams of news, when a server ends them.
const restTime = time.Second

// feed is what an older client hears of changes from a server of the newer era.
type feed struct {
	conn      *connection
	broadcast func(*message) // takes them

	mu     lock                   // held while another stream is opened
	wanted mcp.SubscriptionFilter // what the client wants, at first of the lists
	from   upstream               // whose stream is open
	stop   context.CancelFunc     // ends the stream; nil when there is none
}

// handleSubscribe is the answer to a resources/subscribe or resources/unsubscribe.
func (fd *feed) handleSubscribe(ctx context.Context, m *message, meta json.RawMessage) (
	*message, error) {
	uri := textOf(at(m.Params, "uri"))
	on := m.Method == string(mcp.MethodResourcesSubscribe)
	if uri == "" {
		return m.errorResponse(mcp.INVALID_PARAMS, "the uri of the resource is missing"), nil
	}
	fd.mu.Lock()
	defer fd.mu.Unlock()
	f := fd.wanted
	f.ResourceSubscriptions = slices.DeleteFunc(slices.Clone(f.ResourceSubscriptions),
		func(u string) bool { return u == uri })
	if on {
		f.ResourceSubscriptions = append(f.ResourceSubscriptions, uri)
	}
	err := fd.replace(ctx, meta, f)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && on:
		return m.errorResponse(mcp.INVALID_PARAMS, fd.conn.fault("%v", err).Error()), nil
	case on && !slices.Contains(fd.wanted.ResourceSubscriptions, uri):
		return m.errorResponse(mcp.INVALID_PARAMS,
			fd.conn.fault("it tells of no changes of this resource").Error()), nil
	}
	return m.response(object{}), nil
}

// open opens the stream of what is wanted, unless it is open.
func (fd *feed) open(meta json.RawMessage) {
	fd.mu.Lock()
	defer fd.mu.Unlock()
	if fd.from == fd.conn.current() {
		return
	}
	if err := fd.replace(fd.conn.life, meta, fd.wanted); err != nil {
		fd.conn.opts.Log.Info("a server does not tell of changes", "server", fd.conn.opts.Name,
			"error", err)
	}
}

// replace opens a stream in the place of the one before. What the server does not agree to is not
// wanted any more. The caller holds the lock.
func (fd *feed) replace(ctx context.Context, meta json.RawMessage, f mcp.SubscriptionFilter) error {
	if len(f.ResourceSubscriptions) > maxSubscribed {
		return fmt.Errorf("there are %d subscriptions already", maxSubscribed)
	}
	up, stop := fd.conn.current(), func() {}
	var err error
	if up != nil && !f.IsEmpty() {
		var agreed *message
		if agreed, stop, err = fd.openStream(ctx, up, meta, f); err != nil {
			return err
		}
		f = mcp.SubscriptionFilter{}
		err = json.Unmarshal(at(agreed.Params, "notifications"), &f)
	}
	if fd.stop != nil {
		fd.stop()
	}
	fd.wanted = f
	fd.from, fd.stop = up, stop
	return err
}

// openStream opens a stream of news, and gives what the server agrees to.
func (fd *feed) openStream(ctx context.Context, up upstream, meta json.RawMessage,
	f mcp.SubscriptionFilter) (*message, context.CancelFunc, error) {
	m := &message{Method: string(mcp.MethodSubscriptionsListen),
		Params: encode(object{"notifications": f, "_meta": meta})}
	life, stop := context.WithCancel(fd.conn.life)
	first := make(chan *message, 1)
	if !fd.conn.spawn(func() { fd.keepStream(life, up, m, first) }) {
		stop()
		return nil, nil, transport.ErrClosed
	}
	ctx, cancel := context.WithTimeoutCause(ctx, discoverTime,
		errors.New("it does not say whether it tells of changes"))
	defer cancel()
	var err error
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
	}
	stop()
	return nil, nil, err
}

// keepStream passes a stream of news on, and opens it again when it ends, until life does or the
// upstream is gone. What comes first goes to first.
func (fd *feed) keepStream(life context.Context, up upstream, m *message, first chan<- *message) {
	for {
		fd.stream(&exchange{up: up, m: m, ctx: life}, first)
		first = nil
		if wait.For(life, restTime) != nil || fd.conn.current() != up {
			return
		}
	}
}

func (fd *feed) stream(x *exchange, first chan<- *message) {
	fd.conn.open.begin(x)
	defer fd.conn.open.finish(x)
	if err := fd.conn.submit(x.ctx, x); err != nil {
		fd.conn.open.deliver(x, &message{fault: err})
	}
	for {
		select {
		case in := <-x.inbox:
			over := in.fault != nil || in.isResponse()
			switch {
			case first != nil:
				first <- in // it has a place for one
				first = nil
			case over, x.ctx.Err() != nil: // another stream has it
			case in.Method != mcp.MethodNotificationSubscriptionsAcknowledged:
				fd.broadcast(in)
			}
			if over {
				return
			}
		case <-x.ctx.Done():
			fd.conn.cancel(x, errors.New("it is not listened to any more"))
			return
		}
	}
}
