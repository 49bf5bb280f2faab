package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// News of a server, that lists or resources have changed, are broadcasts with resources/subscribe
// in the older era, and the stream of a subscriptions/listen in the newer one.

// maxSubscribed is how many resources one client may subscribe to, across the eras.
const maxSubscribed = 100

// listen is a subscriptions/listen in the place of a server of the older era, until the client or
// the server is gone.
func (s *serverState) listen(
	ctx context.Context, up upstream, m *message, initResult json.RawMessage,
) (*message, error) {
	var f mcp.SubscriptionFilter
	if json.Unmarshal(or(at(m.Params, "notifications"), empty), &f) != nil {
		return m.errorResponse(mcp.INVALID_PARAMS,
			"the notifications that are wanted cannot be read"), nil
	}
	if len(f.ResourceSubscriptions) > maxSubscribed {
		return m.errorResponse(mcp.INVALID_PARAMS,
			fmt.Sprintf("want at most %d resourceSubscriptions", maxSubscribed)), nil
	}
	says := func(of, what string) bool {
		return string(at(initResult, "capabilities", of, what)) == "true"
	}
	f.ToolsListChanged = f.ToolsListChanged && says("tools", "listChanged")
	f.PromptsListChanged = f.PromptsListChanged && says("prompts", "listChanged")
	f.ResourcesListChanged = f.ResourcesListChanged && says("resources", "listChanged")
	if !says("resources", "subscribe") {
		f.ResourceSubscriptions = nil
	}
	// before the first can come
	x := s.conn.open.begin(&exchange{m: &message{}, ctx: ctx, wants: &f})
	defer s.conn.open.finish(x)
	var uris []string
	defer func() { s.unsubscribe(up, uris) }()
	for _, uri := range f.ResourceSubscriptions {
		if s.subscribe(ctx, up, uri) {
			uris = append(uris, uri)
		}
	}
	s.conn.open.mu.do(func() { f.ResourceSubscriptions = uris })
	if err := x.tell(ctx, m.ID); err != nil {
		return nil, err
	}
	return m.response(object{"resultType": "complete",
		"_meta": object{mcp.MetaKeySubscriptionID: m.ID}}), nil
}

// tell sends a client of the newer era what it listens for, the acknowledgement first, until
// nothing more can come.
func (x *exchange) tell(ctx context.Context, of json.RawMessage) error {
	tagged := func(params json.RawMessage, method string) error {
		meta := with(orEmpty(at(params, "_meta")), of, mcp.MetaKeySubscriptionID)
		return notify(ctx, &message{Method: method, Params: with(orEmpty(params), meta, "_meta")})
	}
	err := tagged(encode(object{"notifications": x.wants}),
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
			err = tagged(in.Params, in.Method)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return err
}

// matchesFilter reports whether a client listens for a notification, and whether it is news at all,
// which a client hears of that listens for it.
func matchesFilter(f *mcp.SubscriptionFilter, m *message) (wants, news bool) {
	switch m.Method {
	case string(mcp.MethodNotificationToolsListChanged):
		return f.ToolsListChanged, true
	case string(mcp.MethodNotificationPromptsListChanged):
		return f.PromptsListChanged, true
	case string(mcp.MethodNotificationResourcesListChanged):
		return f.ResourcesListChanged, true
	case string(mcp.MethodNotificationResourceUpdated):
		return slices.Contains(f.ResourceSubscriptions, textOf(at(m.Params, "uri"))), true
	}
	return false, false
}
