package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/wait"
)

// known is the state of one client. It is safe for concurrent use.
type known struct {
	id        string
	principal string
	updates

	mu          sync.Mutex
	initialized bool
	info        mcp.Implementation
	caps        mcp.ClientCapabilities
	version     string // "" before the handshake
	level       mcp.LoggingLevel
}

// peer is one client with its requests under way. It is safe for concurrent use.
type peer struct {
	*known

	mu        sync.Mutex
	calls     map[string]context.CancelCauseFunc // of requests under way, by the keys of their ids
	asked     map[int64]chan clientAnswer
	lastAsked int64
	closed    error // why further requests are refused
}

// clientAnswer is the client's answer to a request of the server.
type clientAnswer struct {
	result json.RawMessage
	err    error
}

func newPeer(id, principal string) *peer {
	return &peer{known: &known{id: id, principal: principal, level: mcp.LoggingLevelInfo,
		updates: updates{wake: make(chan struct{}, 1)}},
		calls: map[string]context.CancelCauseFunc{}, asked: map[int64]chan clientAnswer{}}
}

// begin counts a request as under way, and in under, which may be nil. Its error is a *wire.Error.
func (p *peer) begin(id json.RawMessage, cancel context.CancelCauseFunc, most int,
	under *sync.WaitGroup) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := wire.Key(id)
	refused := &wire.Error{ID: id, Code: mcp.INVALID_REQUEST}
	switch {
	case p.closed != nil:
		refused.Text = p.closed.Error()
	case p.calls[k] != nil:
		refused.Text = fmt.Sprintf("a request with the id %s is under way already", id)
	case len(p.calls) >= most:
		refused.Text = fmt.Sprintf("%d requests are under way already; wait for one of them to end",
			most)
	default:
		p.calls[k] = cancel
		if under != nil { // while mu is held, so not after close
			under.Add(1)
		}
		return nil
	}
	return refused
}

func (p *peer) finish(id json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.calls, wire.Key(id))
}

// cancel ends the client's request with that id, if it is under way.
func (p *peer) cancel(id json.RawMessage, cause error) {
	p.mu.Lock()
	end := p.calls[wire.Key(id)]
	p.mu.Unlock()
	if end != nil {
		end(cause)
	}
}

// close ends all requests under way and refuses further ones.
func (p *peer) close(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed == nil {
		p.closed = cause
	}
	for _, end := range p.calls {
		end(cause)
	}
}

func (p *peer) busy() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls)
}

// The following methods of mcp-go's sessions are the same for all requests of a client.

func (k *known) SessionID() string { return k.id }

func (k *known) Initialize()       { set(&k.mu, &k.initialized, true) }
func (k *known) Initialized() bool { return get(&k.mu, &k.initialized) }

func (k *known) ProtocolVersion() string           { return get(&k.mu, &k.version) }
func (k *known) SetProtocolVersion(version string) { set(&k.mu, &k.version, version) }

func (k *known) GetLogLevel() mcp.LoggingLevel      { return get(&k.mu, &k.level) }
func (k *known) SetLogLevel(level mcp.LoggingLevel) { set(&k.mu, &k.level, level) }

func (k *known) GetClientCapabilities() mcp.ClientCapabilities     { return get(&k.mu, &k.caps) }
func (k *known) SetClientCapabilities(caps mcp.ClientCapabilities) { set(&k.mu, &k.caps, caps) }

func (k *known) GetClientInfo() mcp.Implementation { return get(&k.mu, &k.info) }

func (k *known) SetClientInfo(info mcp.Implementation) {
	set(&k.mu, &k.info, mcp.Implementation{Name: words(info.Name), Version: words(info.Version)})
}

func get[T any](mu *sync.Mutex, field *T) T {
	mu.Lock()
	defer mu.Unlock()
	return *field
}

func set[T any](mu *sync.Mutex, field *T, value T) {
	mu.Lock()
	defer mu.Unlock()
	*field = value
}

// mostSubscriptions is how many resources a client may subscribe to in a session, or by one
// subscriptions/listen.
const mostSubscriptions = 100

// updates are the subscriptions of a client to resources, and the notifications that it has not
// got. A resource that changes several times meanwhile causes one notification, so a client that
// does not listen costs no more than its subscriptions. It is safe for concurrent use.
type updates struct {
	wake chan struct{} // holds one token when there is something to take

	mu         sync.Mutex
	subscribed map[string]bool // by URI
	changed    []string        // subscribed URIs, each once, in the order of their first changes
	relisted   bool            // the list of resources has changed
}

// SubscribeToResource adds a subscription, unless there are too many.
func (w *updates) SubscribeToResource(uri string) { _ = w.subscribe(uri) }

func (w *updates) subscribe(uri string) error {
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

// UnsubscribeFromResource removes a subscription.
func (w *updates) UnsubscribeFromResource(uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.subscribed, uri)
	w.changed = slices.DeleteFunc(w.changed, func(u string) bool { return u == uri })
}

// SubscribedResources returns the URIs of the subscriptions.
func (w *updates) SubscribedResources() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.subscribed))
}

// IsSubscribedToResource reports whether there is a subscription.
func (w *updates) IsSubscribedToResource(uri string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.subscribed[uri]
}

// Updated tells the client which of the resources that it has subscribed to have changed. It does
// not block.
func (w *updates) Updated(uris ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, uri := range uris {
		if w.subscribed[uri] && !slices.Contains(w.changed, uri) {
			w.changed = append(w.changed, uri)
			wait.Wake(w.wake)
		}
	}
}

// Relisted tells the client that the list of resources has changed. It does not block.
func (w *updates) Relisted() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.relisted = true
	wait.Wake(w.wake)
}

// takeUpdates removes and returns the pending notifications.
func (w *updates) takeUpdates() (list []mcp.JSONRPCNotification) {
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
