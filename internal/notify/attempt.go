package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// outcome is what became of one attempt.
type outcome struct {
	status int
	after  time.Duration // what the endpoint asked for in Retry-After
	err    error         // there was no answer
}

func (o outcome) ok() bool { return o.err == nil && o.status >= 200 && o.status < 300 }

// ofMessage reports whether the failure is that message's own, so that others may still get
// through.
func (o outcome) ofMessage() bool {
	return o.err == nil && o.status >= 400 && o.status < 500 &&
		o.status != http.StatusRequestTimeout && o.status != http.StatusTooManyRequests
}

func (o outcome) String() string {
	if o.err != nil {
		return o.err.Error()
	}
	return fmt.Sprintf("HTTP %d", o.status)
}

var errSlow = errors.New("it did not answer in time")

// attempt sends a message once.
func (e *endpoint) attempt(ctx context.Context, m *notification) outcome {
	ctx, cancel := context.WithTimeoutCause(ctx, e.opts.Try, errSlow)
	defer cancel()
	r, err := e.request(ctx, m, e.opts)
	if err != nil {
		return outcome{err: err}
	}
	r.Header.Set("User-Agent", "taploop")
	resp, err := e.client.Do(r)
	if err != nil {
		return outcome{err: withoutAddress(ctx, err)}
	}
	defer resp.Body.Close()
	// What it says does not matter, but reading it lets the connection be used again.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 4<<10))
	return outcome{status: resp.StatusCode, after: retryAfter(resp.Header)}
}

// withoutAddress is an error of the client without the address, which may be a secret.
func withoutAddress(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// maxRetryAfter bounds what an endpoint may ask for.
const maxRetryAfter = time.Hour

// retryAfter reads the header's two forms, seconds and a date; 0 when there is none.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 {
		return time.Duration(min(s, maxRetryAfter.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return min(max(time.Until(at), 0), maxRetryAfter)
	}
	return 0
}

// note keeps a line for the log, which report writes without the lock that is held here: a slow log
// holds up no other endpoint.
func (e *endpoint) note(level slog.Level, text string, args ...any) {
	e.notes = append(e.notes, func() {
		e.opts.Log.Log(context.Background(), level, text, append(args, "endpoint", e.name)...)
	})
}

// report writes to the log what was noted.
func (e *endpoint) report() {
	e.mu.Lock()
	notes := e.notes
	e.notes = nil
	e.mu.Unlock()
	for _, write := range notes {
		write()
	}
}

// settle takes a message that was delivered or given up out of the queue, or sets the time of its
// next attempt.
func (e *endpoint) settle(i *item, o outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i.inFlight = false
	switch {
	case o.ok():
		e.delivered(i)
	case o.status == http.StatusGone:
		e.gone, e.queue = true, nil
		e.note(slog.LevelWarn,
			"this endpoint is gone (HTTP 410) and gets no more messages until a restart")
	default:
		e.failed(i, o)
	}
}

func (e *endpoint) delivered(i *item) {
	if e.failing {
		e.note(slog.LevelInfo, "notifications get through again")
	}
	e.failing, e.failures = false, 0
	e.until = time.Time{}
	e.remove(i)
	if e.recent = append(e.recent, i.notification); len(e.recent) > e.opts.Queue {
		e.recent = e.recent[1:]
	}
}

func (e *endpoint) failed(i *item, o outcome) {
	now := time.Now()
	i.tries++
	i.next = now.Add(max(e.backoff(i.tries), o.after))
	if !o.ofMessage() || o.after > 0 {
		e.failures++
		e.until = now.Add(max(e.backoff(e.failures), o.after))
		i.next = e.until
	}
	if !e.failing {
		e.failing = true
		e.note(slog.LevelWarn, "a notification did not get through; it is tried again", "why",
			o.String())
	}
	if i.next.After(i.by) {
		e.remove(i)
		e.note(slog.LevelError, "a notification is given up",
			"event", i.event, "question", i.question.ID, "tries", i.tries, "why", o.String())
	}
}

// emptied reports, once, that there is room again after messages were dropped.
func (e *endpoint) emptied() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	room := e.full && !e.gone && len(e.queue) == 0
	e.full = e.full && !room
	return room
}

// drop takes a message out of the queue.
func (e *endpoint) drop(i *item) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.remove(i)
}

func (e *endpoint) remove(i *item) {
	e.queue = slices.DeleteFunc(e.queue, func(x *item) bool { return x == i })
}

func (e *endpoint) backoff(failures int) time.Duration {
	return wait.Backoff(e.opts.FirstWait, e.opts.LastWait, failures)
}
