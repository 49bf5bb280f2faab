package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
)

// maxReply bounds the body of a reply: more than any model says, less than what would hurt.
const maxReply = 16 << 20

var errAttemptTimeout = errors.New("time-out of one attempt")

// call is one call of the endpoint with all its attempts. It is go-openai's HTTP client for this call, which is how the
// parameters of the request get into the body and the bytes of the reply out again. Not for concurrent use.
type call struct {
	opts     *Options
	next     http.RoundTripper
	set      []field // what to write into the body; nil leaves it alone
	attempts int
	body     []byte // the last reply's
	header   http.Header
	status   int
	failure  error // why the last attempt got no reply
	scrub    scrubber
}

// Do implements the interface that go-openai wants of a client.
func (k *call) Do(req *http.Request) (*http.Response, error) {
	if k.set != nil {
		if err := k.reshape(req); err != nil {
			return nil, permanent{err}
		}
	}
	client := http.Client{
		Transport:     failsafehttp.NewRoundTripper(roundTrip(k.attempt), k.retryPolicy(req.Context())),
		CheckRedirect: followSameOrigin,
	}
	return client.Do(req)
}

func (k *call) reshape(req *http.Request) error {
	old, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	body, err := shape(old, k.set)
	if err != nil {
		return fmt.Errorf("building the request: %w", err)
	}
	req.ContentLength = int64(len(body))
	req.Body = bodyOf(body)
	req.GetBody = func() (io.ReadCloser, error) { return bodyOf(body), nil }
	return nil
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// attempt sends the request once and reads the reply to its end, both within the time-out: a body that stalls or breaks is
// an attempt that failed, not a reply.
func (k *call) attempt(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(req.Context(), k.opts.Timeout, errAttemptTimeout)
	defer cancel()
	k.attempts++
	k.body, k.header, k.status = nil, nil, 0
	start := time.Now()
	resp, err := k.next.RoundTrip(req.WithContext(ctx))
	if err == nil {
		k.body, err = readBounded(resp.Body, maxReply)
	}
	if err != nil && errors.Is(context.Cause(ctx), errAttemptTimeout) {
		err = errAttemptTimeout
	}
	k.failure = err
	if err != nil {
		k.log(ctx, start, slog.String("error", k.scrub.text(err.Error())))
		return nil, err
	}
	k.header, k.status = resp.Header, resp.StatusCode
	k.log(ctx, start, slog.Int("status", resp.StatusCode))
	resp.Body = bodyOf(k.body)
	resp.Request = req
	return resp, nil
}

func (k *call) log(ctx context.Context, start time.Time, outcome slog.Attr) {
	k.opts.Log.LogAttrs(ctx, slog.LevelDebug, "model attempt", slog.Int("attempt", k.attempts),
		slog.String("model", k.opts.Name), outcome, slog.Int("bytes", len(k.body)), slog.Duration("took", time.Since(start)))
}

// readBounded reads and closes a body of at most limit bytes.
func readBounded(body io.ReadCloser, limit int64) ([]byte, error) {
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading the reply: %w", err)
	}
	if int64(len(b)) > limit {
		return nil, permanent{fmt.Errorf("the reply is longer than %d MiB", limit>>20)}
	}
	return b, nil
}

// followSameOrigin lets a redirect through that stays at the endpoint and keeps the method. The others come back as they
// are: the key must not travel, and a POST that turns into a GET asks for something else.
func followSameOrigin(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || req.Method != first.Method || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}
