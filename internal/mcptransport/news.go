package mcptransport

import (
	"fmt"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/wait"
)

// mostSubscriptions is how many resources a client may subscribe to in a session, or by one
// subscriptions/listen.
const mostSubscriptions = 100

// news is what a client wants to hear of resources, and has not heard. What changes again before
// the client has heard of it is told once, so that a client that does not listen costs no more than
// its subscriptions. It is safe for concurrent use.
type news struct {
	wake chan struct{} // holds one token when there is something unheard

	mu         sync.Mutex
	subscribed map[string]bool // by URI
	changed    []string        // of those; each once, in the order in which they changed first
	relisted   bool            // the list of resources has changed
}

// SubscribeToResource adds a subscription, unless there are as many as there may be.
func (w *news) SubscribeToResource(uri string) { _ = w.subscribe(uri) }

func (w *news) subscribe(uri string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.subscribed) >= mostSubscriptions && !w.subscribed[uri] {
		return fmt.Errorf("there are %d subscriptions already (at most %d): unsubscribe from one",
			len(w.subscribed), mostSubscriptions)
	}
	if w.subscribed == nil {
		w.subscribed = map[string]bool{}
	}
	w.subscribed[uri] = true
	return nil
}

// UnsubscribeFromResource takes a subscription back.
func (w *news) UnsubscribeFromResource(uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.subscribed, uri)
	w.changed = slices.DeleteFunc(w.changed, func(u string) bool { return u == uri })
}

// SubscribedResources are the URIs.
func (w *news) SubscribedResources() (uris []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range w.subscribed {
		uris = append(uris, uri)
	}
	return uris
}

// IsSubscribedToResource reports whether there is a subscription.
func (w *news) IsSubscribedToResource(uri string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.subscribed[uri]
}

// Updated tells the client that resources have changed, of those that it has subscribed to. It
// waits for nobody.
func (w *news) Updated(uris ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, uri := range uris {
		if w.subscribed[uri] && !slices.Contains(w.changed, uri) {
			w.changed = append(w.changed, uri)
			wait.Wake(w.wake)
		}
	}
}

// Relisted tells the client that the list of resources has changed. It waits for nobody.
func (w *news) Relisted() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.relisted = true
	wait.Wake(w.wake)
}

// unheard is what the client has not heard.
func (w *news) unheard() (list []mcp.JSONRPCNotification) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.relisted {
		list = append(list, note(mcp.MethodNotificationResourcesListChanged, nil, nil))
	}
	for _, uri := range w.changed {
		list = append(list, note(mcp.MethodNotificationResourceUpdated, nil,
			map[string]any{"uri": uri}))
	}
	w.changed, w.relisted = nil, false
	return list
}

// SubscribeToResourceErr is asked by mcp-go for each resource of a resources/subscribe or a
// subscriptions/listen.
func (c *call) SubscribeToResourceErr(uri string) error {
	if c.opts.Subscribe != nil {
		if err := c.opts.Subscribe(c.ctx, uri); err != nil {
			return err
		}
	}
	return c.subscribe(uri)
}

// Relisted tells a client of 2026-07-28 only when it has asked for that.
func (c *call) Relisted() {
	if f, _ := c.SubscriptionFilter(); f.ResourcesListChanged {
		c.news.Relisted()
	}
}
