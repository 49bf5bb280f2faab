package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"github.com/taploop/taploop/internal/text"
)

// maxReply bounds the body of a reply. It is more than any model writes. The bytes behind it are
// not read.
const maxReply = 16 << 20

var errAttemptTimeout = errors.New("time-out of one attempt")

// attempts is one call of the endpoint with all its attempts. Not for concurrent use.
type attempts struct {
	opts      *Options
	next      http.RoundTripper
	scrub     text.Mask
	usable    func(body []byte) bool // whether a success has the expected form, nil accepts any
	sight     func() (Sight, error)  // of the request, may be nil
	attempts  int
	httpReply // the last attempt's, with status 0 if there was none
}

// send makes a POST request with the body, or a GET request without one, and retries as the options
// say. It returns the error of the last attempt. A refusal is a reply, not an error.
func (k *attempts) send(ctx context.Context, path string, body []byte) error {
	_, err := failsafe.With(k.retryPolicy(ctx)).WithContext(ctx).Get(func() (httpReply, error) {
		var err error
		k.attempts++
		start := time.Now()
		k.httpReply, err = k.attempt(ctx, path, body)
		k.log(ctx, start, err)
		return k.httpReply, err
	})
	return err
}

// attempt sends the request once and reads the reply to its end, both within the time-out: a body
// that stalls or breaks is an attempt that failed, not a reply.
func (k *attempts) attempt(ctx context.Context, path string, body []byte) (httpReply, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, k.opts.Timeout, errAttemptTimeout)
	defer cancel()
	req, err := k.request(ctx, path, body)
	if err != nil {
		return httpReply{}, permanent{err}
	}
	next, err := k.transport()
	if err != nil {
		return httpReply{}, permanent{err}
	}
	client := http.Client{Transport: next, CheckRedirect: followSameOrigin}
	resp, err := client.Do(req)
	var r httpReply
	if err == nil {
		r = httpReply{status: resp.StatusCode, header: resp.Header}
		r.body, err = readBounded(resp.Body)
	}
	if err == nil {
		return r, nil
	}
	if errors.Is(context.Cause(ctx), errAttemptTimeout) {
		err = errAttemptTimeout
	}
	return httpReply{}, err
}

// cassette is a transport that keeps, or compares, what was seen when a request was made.
type cassette interface {
	roundTrip(req *http.Request, seen *Sight) (*http.Response, error)
}

// sighted is a cassette for the requests about what was seen.
type sighted struct {
	cassette
	seen *Sight
}

func (s sighted) RoundTrip(req *http.Request) (*http.Response, error) {
	return s.roundTrip(req, s.seen)
}

// transport is what this call's requests go through.
func (k *attempts) transport() (http.RoundTripper, error) {
	c, ok := k.next.(cassette)
	if !ok || k.sight == nil {
		return k.next, nil
	}
	s, err := k.sight()
	return sighted{c, &s}, err
}

func (k *attempts) request(ctx context.Context, path string, body []byte) (*http.Request, error) {
	method := http.MethodPost
	if body == nil {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, k.opts.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	if k.opts.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+string(k.opts.APIKey))
	}
	return req, nil
}

func (k *attempts) log(ctx context.Context, start time.Time, err error) {
	outcome := slog.Int("status", k.status)
	if err != nil {
		outcome = slog.String("error", k.scrub.Text(err.Error()))
	}
	k.opts.Log.LogAttrs(ctx, slog.LevelDebug, "model attempt", slog.Int("attempt", k.attempts),
		slog.String("model", k.opts.Name), outcome, slog.Int("bytes", len(k.body)),
		slog.Duration("took", time.Since(start)))
}

// readBounded reads and closes a body, of which it gives the first maxReply bytes.
func readBounded(body io.ReadCloser) ([]byte, error) {
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, maxReply))
	if err != nil {
		return nil, fmt.Errorf("reading the reply: %w", err)
	}
	return b, nil
}

// followSameOrigin lets a redirect through that stays at the endpoint and keeps the method. The
// others come back as they are: the key must not travel, and a POST that turns into a GET asks for
// something else.
func followSameOrigin(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || req.Method != first.Method ||
		req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// retryPolicy tries again what may pass: 429, 5xx, broken connections, and a success that is not
// what was asked for, such as a proxy's page. Its delays are the endpoint's Retry-After or grow
// from half a second. failsafehttp's own builder is not used: it reads no dates, bounds nothing,
// and tries wrong certificates again.
func (k *attempts) retryPolicy(ctx context.Context) retrypolicy.RetryPolicy[httpReply] {
	return retrypolicy.NewBuilder[httpReply]().
		HandleIf(k.retryable).
		WithMaxRetries(k.opts.Retries).
		ReturnLastFailure().
		WithDelayFunc(func(e failsafe.ExecutionAttempt[httpReply]) time.Duration {
			return delay(e.LastResult(), e.Attempts())
		}).
		OnRetryScheduled(func(e failsafe.ExecutionScheduledEvent[httpReply]) {
			k.opts.Log.DebugContext(ctx, "model retry", "after_attempt", k.attempts, "delay",
				e.Delay)
		}).
		Build()
}

func (k *attempts) retryable(r httpReply, err error) bool {
	if err != nil {
		return retryableError(err) && !k.absent(err)
	}
	passes := r.status == http.StatusTooManyRequests || r.status == http.StatusRequestTimeout ||
		r.status == http.StatusTooEarly ||
		r.status >= 500 && r.status != http.StatusNotImplemented ||
		r.status/100 == 2 && k.usable != nil && !k.usable(r.body)
	after, ok := retryAfter(r.header)
	if !passes || ok && after > maxRetryAfter {
		return false
	}
	// No waiting fills an empty purse, which comes as 429 too, and makes a model see.
	message, code, _ := told(r.body, k.scrub)
	return !noMoney().MatchString(strings.ToLower(message+" "+code)) && !sightless(message)
}

// absent reports whether no model is at the address that stands where none is set.
func (k *attempts) absent(err error) bool {
	return k.opts.Unset && errors.Is(err, syscall.ECONNREFUSED)
}

// newTransport returns a new transport, so that closing its connections closes no others.
func newTransport() http.RoundTripper {
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		return t.Clone()
	}
	return http.DefaultTransport
}

func closeIdle(rt http.RoundTripper) {
	if t, ok := rt.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}
