package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/mcp/wire"
)

// HTTP is Streamable HTTP on one endpoint, for both eras of the protocol.
//
// Under 2025-11-25 and older a client has a session from its handshake on, which belongs to its
// principal. A request outlives its connection for ResumeGrace if the client can resume the stream.
// After that, or at once if it cannot, the handler's context ends with ErrDropped, and its result
// can still be fetched by resuming. Under 2026-07-28 there are no sessions, and closing the
// connection cancels the request.
type HTTP struct {
	srv  Server
	opts Options

	mu       sync.Mutex
	closing  bool
	sessions map[string]*session
	calls    map[*call]struct{} // of all clients
	places   places
	// HTTP requests and calls under way, added while mu is held and closing is false
	under   sync.WaitGroup
	sweeper *time.Timer // ends idle sessions, or nil if there are none
}

// NewHTTP returns a handler that serves srv. Close ends its sessions and requests.
func NewHTTP(srv Server, opts *Options) *HTTP {
	o := settings(opts)
	return &HTTP{srv: srv, opts: o, sessions: map[string]*session{}, calls: map[*call]struct{}{},
		places: places{httpguard.NewShares(o.MaxSessions), httpguard.NewShares(8 * o.MaxCalls),
			httpguard.NewShares(o.MaxSessions)}}
}

// places are shared among the clients.
type places struct{ sessions, calls, listeners *httpguard.Shares }

// httpRequest is one HTTP request of a client.
type httpRequest struct {
	h            *HTTP
	w            http.ResponseWriter
	r            *http.Request
	principal    string
	authorizedAt time.Time       // when the credential was last checked
	changed      <-chan struct{} // closed when it must be checked again
}

func (v *httpRequest) refuse(status int, text string) { refuse(v.w, status, invalid(text)) }

// reply answers with a message. A client that does not read it loses its connection.
func (v *httpRequest) reply(status int, message []byte) {
	v.extend() // net/http lifts it when the answer has ended
	write(v.w, status, message)
}

// extend sets the deadline for writing to WriteTimeout from now.
func (v *httpRequest) extend() {
	// not every writer can
	_ = http.NewResponseController(v.w).SetWriteDeadline(time.Now().Add(v.h.opts.WriteTimeout))
}

// context returns the context for handlers. It has the values of the HTTP request's context, but
// does not end with it.
func (v *httpRequest) context() context.Context {
	ctx := context.WithoutCancel(v.r.Context())
	ctx = context.WithValue(ctx, callerKey{}, caller{v.principal, v.h.opts.Person})
	if v.h.opts.Context != nil {
		ctx = v.h.opts.Context(ctx, v.r)
	}
	return ctx
}

func (h *HTTP) authorize(w http.ResponseWriter, r *http.Request) (principal string, ok bool) {
	if h.opts.Authorize == nil {
		return "", true
	}
	principal, err := h.opts.Authorize(r)
	if err == nil {
		return principal, true
	}
	if errors.Is(err, ErrNotNow) {
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, invalid(hint.Text(err)))
		return "", false
	}
	challenge := `Bearer realm="taploop"`
	if r.Header.Get("Authorization") != "" {
		challenge += `, error="invalid_token"`
	}
	w.Header().Set("WWW-Authenticate", challenge)
	refuse(w, http.StatusUnauthorized, invalid(hint.Text(err)))
	return "", false
}

// ErrNotNow is a cause of errors of Authorize that say nothing of who asks.
var ErrNotNow = errors.New("it cannot be told for now")

// errRevoked ends a connection whose credential does not hold any more.
var errRevoked = errors.New("the credential of this connection was revoked")

// reauthorize checks the credential of a long connection again before a write, at most once a
// second.
func (v *httpRequest) reauthorize() error {
	if v.h.opts.Authorize == nil || time.Since(v.authorizedAt) < time.Second {
		return nil
	}
	v.authorizedAt = time.Now()
	if principal, err := v.h.opts.Authorize(v.r); err != nil || principal != v.principal {
		return errRevoked
	}
	return nil
}

// enter counts an HTTP request as under way, unless the server is closing.
func (h *HTTP) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	h.under.Add(1)
	return true
}

// startCall runs the call, and then done, in a goroutine that Close waits for. If it returns an
// error, which is a *wire.Error, nothing runs.
func (h *HTTP) startCall(c *call, m *wire.Message, s sink, done func()) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return &wire.Error{ID: m.ID, Code: mcp.INVALID_REQUEST, Text: "the server is closing"}
	}
	give, ok := h.places.calls.Take(c.principal, h.opts.Operator(c.principal))
	if !ok {
		return &wire.Error{ID: m.ID, Code: mcp.INVALID_REQUEST,
			Text: fmt.Sprintf("as many requests are under way as your share of the server's %d "+
				"allows; wait for one of them to end", 8*h.opts.MaxCalls)}
	}
	h.calls[c] = struct{}{}
	h.under.Go(func() {
		c.run(h.srv, m.Raw, s)
		done()
		give()
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.calls, c)
	})
	return nil
}

// Close refuses further requests, ends all sessions and the contexts of all handlers with
// ErrClosed, and waits until the handlers have returned and their answers are written. It returns
// an error if ctx ends first. The remaining handlers then end by themselves.
func (h *HTTP) Close(ctx context.Context) error {
	for _, s := range h.closeSessions() {
		s.close(ErrClosed)
		h.srv.UnregisterSession(ctx, s.id)
	}
	h.mu.Lock()
	for c := range h.calls {
		c.cancel(ErrClosed)
	}
	h.mu.Unlock()
	ended := make(chan struct{})
	go func() { h.under.Wait(); close(ended) }() // ends with the last handler
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		h.mu.Lock()
		defer h.mu.Unlock()
		return fmt.Errorf("closing the MCP endpoint: %d requests are still under way: %w",
			len(h.calls), context.Cause(ctx))
	}
}

func (h *HTTP) closeSessions() []*session {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closing = true
	var all []*session
	for id, s := range h.sessions {
		all = append(all, s)
		delete(h.sessions, id)
		s.give()
	}
	if h.sweeper != nil {
		h.sweeper.Stop()
	}
	return all
}
