package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcptransport"
	"github.com/taploop/taploop/internal/text"
)

// News of a server, that lists or resources have changed, are broadcasts with resources/subscribe
// in the older era, and the stream of a subscriptions/listen in the newer one.

// mostSubscribed is how many resources one client may subscribe to, across the eras.
const mostSubscribed = 100

// listen is a subscriptions/listen in the place of a server of the older era, until the client or
// the server is gone.
func (l *link) listen(ctx context.Context, up upstream, m *message, of,
	greeting json.RawMessage) (*message, error) {
	var asks struct {
		Notifications mcp.SubscriptionFilter `json:"notifications"`
	}
	if err := json.Unmarshal(m.Params, &asks); err != nil {
		return &message{ID: m.ID, Error: wrong(mcp.INVALID_PARAMS,
			"the notifications that are wanted cannot be read")}, nil
	}
	f := asks.Notifications
	if len(f.ResourceSubscriptions) > mostSubscribed {
		return &message{ID: m.ID, Error: wrong(mcp.INVALID_PARAMS, fmt.Sprintf(
			"want at most %d resourceSubscriptions", mostSubscribed))}, nil
	}
	says := func(of, what string) bool {
		return string(at(greeting, "capabilities", of, what)) == "true"
	}
	f.ToolsListChanged = f.ToolsListChanged && says("tools", "listChanged")
	f.PromptsListChanged = f.PromptsListChanged && says("prompts", "listChanged")
	f.ResourcesListChanged = f.ResourcesListChanged && says("resources", "listChanged")
	if !says("resources", "subscribe") {
		f.ResourceSubscriptions = nil
	}
	x := l.begin(ctx, &message{}, nil)
	defer l.finish(x)
	set(l, func() { x.wants = &f }) // before the first can come
	var uris []string
	defer func() { l.unsubscribe(up, uris) }()
	for _, uri := range f.ResourceSubscriptions {
		if l.subscribe(ctx, up, uri) {
			uris = append(uris, uri)
		}
	}
	set(l, func() { x.wants.ResourceSubscriptions = uris })
	if err := l.tell(ctx, x, of); err != nil {
		return nil, err
	}
	meta := object{mcp.MetaKeySubscriptionID: of}.raw()
	return &message{ID: m.ID,
		Result: object{"resultType": quoted("complete"), "_meta": meta}.raw()}, nil
}

// tell sends a client of the newer era what it listens for, the acknowledgement first, until
// nothing more can come.
func (l *link) tell(ctx context.Context, x *exchange, of json.RawMessage) error {
	tagged := func(params object, method string) error {
		meta := members(params["_meta"])
		if meta == nil {
			meta = object{}
		}
		meta[mcp.MetaKeySubscriptionID] = of
		params["_meta"] = meta.raw()
		data, err := (&message{Method: method, Params: params.raw()}).encode()
		if err != nil {
			return err
		}
		return mcptransport.Send(ctx, data)
	}
	established, err := encode(x.wants)
	if err != nil {
		return err
	}
	err = tagged(object{"notifications": established},
		mcp.MethodNotificationSubscriptionsAcknowledged)
	if x.wants.IsEmpty() {
		return err
	}
	for err == nil {
		select {
		case in := <-x.inbox:
			if in.fault != nil {
				return nil // the client listens again
			}
			params := members(in.Params)
			if params == nil {
				params = object{}
			}
			err = tagged(params, in.Method)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return err
}

// unasked reports whether it is news, which a client hears of that listens for it.
func unasked(m *message) bool {
	switch m.Method {
	case string(mcp.MethodNotificationToolsListChanged),
		string(mcp.MethodNotificationPromptsListChanged),
		string(mcp.MethodNotificationResourcesListChanged),
		string(mcp.MethodNotificationResourceUpdated):
		return true
	}
	return false
}

// wanted reports whether a client listens for this.
func wanted(f *mcp.SubscriptionFilter, m *message) bool {
	switch m.Method {
	case string(mcp.MethodNotificationToolsListChanged):
		return f.ToolsListChanged
	case string(mcp.MethodNotificationPromptsListChanged):
		return f.PromptsListChanged
	case string(mcp.MethodNotificationResourcesListChanged):
		return f.ResourcesListChanged
	case string(mcp.MethodNotificationResourceUpdated):
		return slices.Contains(f.ResourceSubscriptions, textOf(at(m.Params, "uri")))
	}
	return false
}

// news gives what a server of the older era says unasked to the clients that listen for it. One
// that does not read misses what is too much.
func (l *link) news(m *message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.exchanges {
		if x.wants == nil || !wanted(x.wants, m) {
			continue
		}
		select {
		case x.inbox <- m:
		default:
			l.p.opts.Log.Warn("a client does not listen: a notification is dropped", "server",
				l.p.opts.Name, "method", text.Line(m.Method))
		}
	}
}

// subscribe makes sure of a subscription at a server of the older era, which knows one for all.
func (l *link) subscribe(ctx context.Context, up upstream, uri string) bool {
	l.subscribing.Lock()
	defer l.subscribing.Unlock()
	n := 0
	set(l, func() { n = l.subscribers[uri] })
	if n == 0 {
		resp, err := l.over(ctx, up, &message{Method: string(mcp.MethodResourcesSubscribe),
			Params: object{"uri": quoted(uri)}.raw()}, nil)
		if err != nil || resp.Error != nil {
			return false
		}
	}
	set(l, func() { l.subscribers[uri]++ })
	return true
}

// unsubscribe takes them back.
func (l *link) unsubscribe(up upstream, uris []string) {
	l.subscribing.Lock()
	defer l.subscribing.Unlock()
	ctx, cancel := context.WithTimeout(l.life, discoverTime)
	defer cancel()
	for _, uri := range uris {
		last := false
		set(l, func() {
			l.subscribers[uri]--
			if last = l.subscribers[uri] <= 0; last {
				delete(l.subscribers, uri)
			}
		})
		if last && ctx.Err() == nil { // else it says too much
			_, _ = l.over(ctx, up, &message{Method: string(mcp.MethodResourcesUnsubscribe),
				Params: object{"uri": quoted(uri)}.raw()}, nil)
		}
	}
}

// remember keeps a subscription of an older client, for when its server is started again.
func (l *link) remember(m *message) {
	uri := textOf(at(m.Params, "uri"))
	set(l, func() {
		switch {
		case m.Method != string(mcp.MethodResourcesSubscribe):
			delete(l.subscribers, uri)
		case len(l.subscribers) < mostSubscribed:
			l.subscribers[uri] = 1
		}
	})
}

// levels of what is logged, the least first.
var levels = []mcp.LoggingLevel{mcp.LoggingLevelDebug, mcp.LoggingLevelInfo,
	mcp.LoggingLevelNotice, mcp.LoggingLevelWarning, mcp.LoggingLevelError,
	mcp.LoggingLevelCritical, mcp.LoggingLevelAlert, mcp.LoggingLevelEmergency}

func rank(level json.RawMessage) int {
	return slices.Index(levels, mcp.LoggingLevel(textOf(level)))
}

// logs sees to it that a server of the older era logs what a request wants to hear: it knows one
// level for all.
func (l *link) logs(ctx context.Context, up upstream, level, greeting json.RawMessage) {
	n := rank(level)
	if n < 0 || at(greeting, "capabilities", "logging") == nil {
		return
	}
	l.subscribing.Lock()
	defer l.subscribing.Unlock()
	m := &message{Method: string(mcp.MethodSetLogLevel), Params: object{"level": level}.raw()}
	enough := false
	set(l, func() { enough = l.level != nil && rank(at(l.level.Params, "level")) <= n })
	if enough {
		return
	}
	if resp, err := l.over(ctx, up, m, nil); err == nil && resp.Error == nil {
		set(l, func() { l.level = m })
	}
}
