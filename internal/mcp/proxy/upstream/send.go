package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// Send sends a message as the body of a POST. It waits until a notification or response has
// arrived, and until a request is written, but not for its response. The request is cancelled when
// ctx ends.
func (c *remote) Send(ctx context.Context, m *Message) error {
	if !m.IsRequest() {
		return c.deliver(ctx, m)
	}
	written, wrote := context.WithCancel(ctx)
	defer wrote()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { wrote() }})
	err := c.start(func() {
		defer wrote()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.ctx, cancel)()
		err := c.exchange(ctx, m)
		if err == nil || ctx.Err() != nil {
			return
		}
		if _, is := errors.AsType[*ForgottenError](err); !is {
			err = errors.New(c.mask.Text(err.Error()))
		}
		c.r.Receive(c, &Message{Message: wire.Message{ID: m.ID}, Fault: err})
	})
	if err == nil {
		<-written.Done()
	}
	return err
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
	all, err := Read(append(c.mask.Bytes(bytes.TrimSpace(body)), ' '))
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
	case resp.StatusCode/100 == 3 && resp.Header.Get("Location") != "":
		place := c.mask.Text(resp.Header.Get("Location"))
		return fmt.Errorf("it redirects to %s (HTTP status %d), which is not followed: give the "+
			"address that it means", text.Quote(place, maxQuote), resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("it answered with HTTP status %d: %s", resp.StatusCode,
			text.Quote(string(body[:min(len(body), maxRefusal)]), maxQuote))
	}
	return fmt.Errorf("it answered with what is no message: %s",
		text.Quote(string(body[:min(len(body), maxRefusal)]), maxQuote))
}

// errOldTransport is about the first HTTP transport, which was replaced in 2025-03-26.
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

// forgotten reports whether a request was refused because the server does not know its session:
// "it MUST respond to requests containing that session ID with HTTP 404". Many say 400, as they do
// of other invalid requests. If the session is the reason, they refuse a ping, too.
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
