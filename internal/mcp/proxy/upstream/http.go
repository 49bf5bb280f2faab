package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
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
	mask   mask
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

func open(ctx context.Context, t *Target, l Limits, m mask, r Receiver) Conn {
	c := &remote{t: t, limits: l, mask: m, r: r, client: &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute,
	}, CheckRedirect: noRedirect}}
	c.ctx, c.cancel = context.WithCancel(ctx)
	return c
}

// noRedirect keeps headers from other addresses than the one that they were given for.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

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

// Send sends a message as the body of a POST. Notifications and answers are there when it returns;
// the end of ctx ends the wait for a response of the others.
func (c *remote) Send(ctx context.Context, m *Message) error {
	if !m.IsRequest() {
		return c.deliver(ctx, m)
	}
	return c.start(func() {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.ctx, cancel)()
		err := c.exchange(ctx, m)
		if err == nil || ctx.Err() != nil {
			return
		}
		if _, is := errors.AsType[*ForgottenError](err); !is {
			err = errors.New(c.mask.text(err.Error()))
		}
		c.r.Receive(c, &Message{Message: wire.Message{ID: m.ID}, Fault: err})
	})
}

func (c *remote) deliver(ctx context.Context, m *Message) error {
	resp, err := c.post(ctx, m)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxRefusal) // for the connection to be used again
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("it refused a message: HTTP status %d", resp.StatusCode)
	}
	if m.Method == "notifications/initialized" {
		return c.start(c.listen)
	}
	return nil
}

// exchange sends a request and receives all that belongs to it.
func (c *remote) exchange(ctx context.Context, m *Message) error {
	resp, err := c.post(ctx, m)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if c.forgotten(ctx, resp) {
		return &ForgottenError{c, resp.Request.Header.Get(mcp.HeaderSessionID)}
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && kind == "text/event-stream" {
		return c.follow(ctx, m, resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(c.limits.Line)))
	if err != nil {
		return fmt.Errorf("its answer did not arrive whole: %w", cause(err))
	}
	all, err := Read(append(c.mask.bytes(bytes.TrimSpace(body)), ' '))
	switch {
	case err == nil && len(all) == 1 && all[0].IsResponse():
		answer := all[0]
		if string(answer.ID) == "null" {
			answer.ID = m.ID
		}
		if !bytes.Equal(answer.ID, m.ID) { // and nothing else comes
			return fmt.Errorf("it answered another request, with the id %s",
				text.Quote(string(answer.ID), 60))
		}
		c.recordHandshake(m, answer, resp.Header)
		c.r.Receive(c, answer)
		return nil
	case resp.StatusCode != http.StatusOK && m.Method == string(mcp.MethodInitialize) &&
		c.speaksOldTransport(ctx):
		return errOldTransport
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("it answered with HTTP status %d: %s", resp.StatusCode,
			text.Quote(string(body[:min(len(body), maxRefusal)]), maxQuote))
	}
	return fmt.Errorf("it answered with what is no message: %s",
		text.Quote(string(body[:min(len(body), maxRefusal)]), maxQuote))
}

// errOldTransport is about the first of the transports over HTTP, which was replaced in 2025-03-26.
var errOldTransport = errors.New("it speaks only HTTP+SSE of 2024-11-05 at this address, which " +
	"is not spoken here: give the address of its Streamable HTTP (often /mcp, in the place of " +
	"/sse), or put a bridge between, as in taploop proxy -- npx -y mcp-remote URL")

// speaksOldTransport reports whether a GET gives "an SSE stream, and an endpoint event as the first
// event", as servers of 2024-11-05 do.
func (c *remote) speaksOldTransport(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	resp, err := c.resume(ctx, &cursor{})
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	for e, err := range wire.Events(resp.Body, maxRefusal) {
		return err == nil && e.Name == "endpoint"
	}
	return false
}

// maxRefusal is how much of an answer that is none is read.
const maxRefusal = 4 << 10

// cause is err without the address, which may hold a secret.
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

// forgotten reports whether a request was refused because the server does not know its session:
// "it MUST respond to requests containing that session ID with HTTP 404". Many say 400, as they do
// of other requests that they do not like; then they would not take a ping either.
func (c *remote) forgotten(ctx context.Context, resp *http.Response) bool {
	session := resp.Request.Header.Get(mcp.HeaderSessionID)
	switch {
	case session == "":
		return false
	case resp.StatusCode == http.StatusNotFound:
		return true
	case resp.StatusCode != http.StatusBadRequest:
		return false
	case c.sessionID() != session: // as another request has found out
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, c.limits.Probe)
	defer cancel()
	again, err := c.post(ctx, Request(wire.Encode("ping"), string(mcp.MethodPing), nil))
	if err != nil {
		return false
	}
	defer again.Body.Close()
	return again.StatusCode == http.StatusNotFound || again.StatusCode == http.StatusBadRequest
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
		if !Modern(m.Params) {
			return
		}
		version := wire.Text(wire.At(m.Params, "_meta", mcp.MetaKeyProtocolVersion))
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
