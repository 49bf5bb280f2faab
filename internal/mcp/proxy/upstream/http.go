package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// remote is a server behind an address, over Streamable HTTP.
type remote struct {
	t      *Target
	limits Limits
	mask   text.Mask
	r      Receiver
	client *http.Client
	ctx    context.Context // of all requests
	cancel context.CancelFunc
	under  sync.WaitGroup

	mu      sync.Mutex
	session string
	version string
	closed  bool
}

func open(ctx context.Context, t *Target, l Limits, m text.Mask, r Receiver) Conn {
	c := &remote{t: t, limits: l, mask: m, r: r, client: &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute,
	}, CheckRedirect: sameOrigin}}
	c.ctx, c.cancel = context.WithCancel(ctx)
	return c
}

// maxRedirects is how many redirects of a request are followed.
const maxRedirects = 3

// sameOrigin follows a redirect that keeps the method and the body, and that leads to the same
// origin: headers go only to the server that they were given for. Any other is the answer.
func sameOrigin(r *http.Request, before []*http.Request) error {
	first := before[0]
	if len(before) > maxRedirects || r.Method != first.Method ||
		r.URL.Scheme != first.URL.Scheme || r.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// start runs f in a goroutine that close waits for.
func (c *remote) start(f func()) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errClosed
	}
	c.under.Go(f)
	return nil
}

// maxRefusal is how many bytes of an answer that is not a message are read.
const maxRefusal = 4 << 10

// cause returns the innermost error, without the address, which may contain a secret.
func cause(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

func (c *remote) sessionID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// ForgottenError says that a request was refused for the session that it was made in: it did not
// run.
type ForgottenError struct {
	c       *remote
	session string
}

// From is the connection that the request was made on.
func (e *ForgottenError) From() Conn { return e.c }

// Forget forgets the session as the server did. It reports whether it was still the one in use.
func (e *ForgottenError) Forget() bool { return e.c.forget(e.session) }

// Error implements error.
func (*ForgottenError) Error() string {
	return "it has forgotten the session, also the one of another handshake"
}

// forget forgets a session as the server did. It reports whether it was the one in use.
func (c *remote) forget(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != session {
		return false
	}
	c.session, c.version = "", ""
	return true
}

// recordHandshake keeps what the handshake has agreed on.
func (c *remote) recordHandshake(m, answer *Message, h http.Header) {
	if m.Method != string(mcp.MethodInitialize) || answer.Error != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = h.Get(mcp.HeaderSessionID)
	c.version = wire.Text(wire.At(answer.Result, "protocolVersion"))
}

func (c *remote) post(ctx context.Context, m *Message) (*http.Response, error) {
	data, err := m.Encode()
	if err != nil {
		return nil, err
	}
	return c.do(ctx, http.MethodPost, data, func(h http.Header) {
		h.Set("Content-Type", "application/json")
		h.Set("Accept", "application/json, text/event-stream")
		if !m.Modern() {
			return
		}
		version := m.Protocol()
		h.Del(mcp.HeaderSessionID)
		h.Set(mcp.HeaderProtocolVersion, version)
		for name, value := range mcp.StandardHeaders(version, mcp.MCPMethod(m.Method), m.Params) {
			h.Set(name, value)
		}
		for name, value := range m.Headers {
			h.Set(name, value)
		}
	})
}

// do makes a request with the headers of the target and the session, and as set has them.
func (c *remote) do(ctx context.Context, method string, body []byte, set func(http.Header)) (
	*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.t.URL, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("its address cannot be used")
	}
	for name, value := range c.t.Headers {
		r.Header.Set(name, value)
	}
	c.mu.Lock()
	if c.session != "" {
		r.Header.Set(mcp.HeaderSessionID, c.session)
	}
	if c.version != "" {
		r.Header.Set(mcp.HeaderProtocolVersion, c.version)
	}
	c.mu.Unlock()
	set(r.Header)
	resp, err := c.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("it cannot be reached: %w", cause(err))
	}
	return resp, nil
}

// Close ends the session, "clients SHOULD send an HTTP DELETE".
func (c *remote) Close() {
	c.mu.Lock()
	closed, session := c.closed, c.session
	c.closed = true
	c.mu.Unlock()
	if !closed && session != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), c.limits.Grace)
		defer cancel()
		if resp, err := c.do(ctx, http.MethodDelete, nil, func(http.Header) {}); err == nil {
			resp.Body.Close()
		}
	}
	c.cancel()
	c.under.Wait()
	c.client.CloseIdleConnections()
}
