package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// maxResumes is how often the stream of one request is resumed without a new event.
const maxResumes = 5

// follow receives the stream of a request until its response, and resumes it when it breaks off.
func (c *remote) follow(ctx context.Context, m *Message, resp *http.Response) error {
	var at cursor
	h := resp.Header
	for tries := 0; ; tries++ {
		before := at.id
		done, err := c.stream(resp.Body, &at, m, h)
		resp.Body.Close()
		if at.id != before {
			tries = 0
		}
		switch {
		case done:
			return nil
		case errors.Is(err, wire.ErrLong):
			return errors.New("its answer broke off: it sent a line that is too long")
		case at.id == "" || tries >= maxResumes:
			return fmt.Errorf("its answer broke off: %w", cause(err))
		}
		if resp, err = c.resume(ctx, &at); err != nil {
			return err
		}
	}
}

// resume asks for what follows the last event.
func (c *remote) resume(ctx context.Context, at *cursor) (*http.Response, error) {
	if err := wait.For(ctx, at.retry); err != nil {
		return nil, err
	}
	resp, err := c.do(ctx, http.MethodGet, nil, func(h http.Header) {
		h.Set("Accept", "text/event-stream")
		if at.id != "" {
			h.Set(mcp.HeaderLastEventID, at.id)
		}
	})
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		resp.Body.Close()
		return nil, errNoStream
	}
	return resp, nil
}

var errNoStream = errors.New("its answer broke off and cannot be resumed")

// listen receives what belongs to no request, as long as the server offers that.
func (c *remote) listen() {
	at, session := cursor{retry: time.Millisecond}, c.sessionID()
	for c.sessionID() == session {
		resp, err := c.resume(c.ctx, &at)
		if errors.Is(err, errNoStream) || c.ctx.Err() != nil {
			return
		}
		at.retry = max(at.retry, time.Second)
		if err == nil {
			_, _ = c.stream(resp.Body, &at, nil, nil)
			resp.Body.Close()
		}
	}
}

// cursor is where a stream is.
type cursor struct {
	id    string
	retry time.Duration
}

// note takes over what an event says of how to resume the stream after it.
func (at *cursor) note(e wire.Event) {
	if e.ID != "" {
		at.id = e.ID
	}
	if e.Retry > 0 {
		at.retry = min(e.Retry, time.Minute)
	}
}

// stream receives events until the response to m, which is nil for none, or the end.
func (c *remote) stream(body io.Reader, at *cursor, m *Message, h http.Header) (
	done bool, err error) {
	malformed := 0
	for e, err := range wire.Events(body, c.limits.Line) {
		if err != nil {
			return false, err
		}
		at.note(e)
		if len(bytes.TrimSpace(e.Data)) == 0 {
			continue
		}
		done, err := c.event(e.Data, m, h)
		if done {
			return true, nil
		}
		if malformed++; err == nil {
			malformed = 0
		}
		if malformed == maxMalformed {
			return false, fmt.Errorf("it sent %d events that are no messages", malformed)
		}
	}
	return false, io.ErrUnexpectedEOF
}

// event receives one event. It reports whether the event is the response to m, and returns an error
// if it is not a message.
func (c *remote) event(data []byte, m *Message, h http.Header) (done bool, err error) {
	all, err := Read(c.mask.Bytes(bytes.TrimSpace(data)))
	if err != nil {
		c.r.Malformed(text.Quote(c.mask.Text(string(data[:min(len(data), maxRefusal)])), maxQuote))
		return false, err
	}
	for _, in := range all {
		if m != nil {
			in.During = m.ID
			if in.IsResponse() && bytes.Equal(in.ID, m.ID) {
				c.recordHandshake(m, in, h)
				done = true
			}
		}
		c.r.Receive(c, in)
	}
	return done, nil
}
