package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
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

// attempt sends a message to the target once.
func attempt(ctx context.Context, client *http.Client, t target, m *notification,
	o *Options) outcome {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Try, errSlow)
	defer cancel()
	r, err := t.request(ctx, m, o)
	if err != nil {
		return outcome{err: err}
	}
	r.Header.Set("User-Agent", "taploop")
	resp, err := client.Do(r)
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
	if u, is := errors.AsType[*url.Error](err); is {
		return u.Err
	}
	return err
}

// maxRetryAfter bounds what an endpoint may ask for.
const maxRetryAfter = time.Hour

// retryAfter reads the header's two forms, seconds and a date; 0 if missing.
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
