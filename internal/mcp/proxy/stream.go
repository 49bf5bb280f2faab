package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// maxResumes is how often the stream of one request is resumed without having brought anything.
const maxResumes = 5

// follow receives the stream of a request until its response, and resumes it when it breaks off.
func (c *remote) follow(ctx context.Context, m *message, resp *http.Response) error {
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
		case at.id == "" || tries >= maxResumes || errors.Is(err, errLong):
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

// stream receives events until the response to m, which is nil for none, or the end.
func (c *remote) stream(body io.Reader, at *cursor, m *message, h http.Header) (
	done bool, err error) {
	lines := bufio.NewReaderSize(body, 16<<10)
	var data []byte
	malformed := 0
	for {
		line, err := readLine(lines)
		switch {
		case len(data) > maxLine:
			return false, errLong
		case malformed == maxMalformed:
			return false, fmt.Errorf("it sent %d events that are no messages", malformed)
		case errors.Is(err, io.EOF):
			return false, io.ErrUnexpectedEOF
		case err != nil:
			return false, err
		}
		name, value, _ := strings.Cut(string(line), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case len(line) == 0:
			if len(bytes.TrimSpace(data)) > 0 {
				done, err := c.event(data, m, h)
				if done {
					return true, nil
				}
				if malformed++; err == nil {
					malformed = 0
				}
			}
			data = nil
		case name == "data" && data == nil:
			data = []byte(value)
		case name == "data":
			data = append(append(data, '\n'), value...)
		case name == "id":
			at.id = value
		case name == "retry":
			if ms, err := time.ParseDuration(value + "ms"); err == nil {
				at.retry = min(max(ms, 0), time.Minute)
			}
		}
	}
}

// event receives one event. It reports whether that is the response to m; an error says that it is
// no message.
func (c *remote) event(data []byte, m *message, h http.Header) (done bool, err error) {
	all, err := read(c.mask.bytes(bytes.TrimSpace(data)))
	if err != nil {
		c.r.malformed(text.Quote(c.mask.text(string(data[:min(len(data), maxRefusal)])), maxQuote))
		return false, err
	}
	for _, in := range all {
		if m != nil {
			in.during = m.ID
			if in.isResponse() && bytes.Equal(in.ID, m.ID) {
				c.recordHandshake(m, in, h)
				done = true
			}
		}
		c.r.receive(c, in)
	}
	return done, nil
}
