package model

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

const (
	firstDelay = 500 * time.Millisecond
	maxDelay   = 8 * time.Second
	// maxRetryAfter bounds what an endpoint may ask for. An hour to wait is said to the
	// user at once.
	maxRetryAfter = 60 * time.Second
)

// permanent is an error of our own making that no further attempt would cure.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

func retryableError(err error) bool {
	var (
		p    permanent
		dns  *net.DNSError
		cert *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &p), errors.As(err, &cert), errors.Is(err, http.ErrSchemeMismatch),
		errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &dns):
		return !dns.IsNotFound
	}
	return true
}

// delay returns how long to wait before the next attempt, after done attempts.
func delay(r httpReply, done int) time.Duration {
	if after, ok := retryAfter(r.header); ok {
		return min(after, maxRetryAfter)
	}
	return wait.Backoff(firstDelay, maxDelay, done)
}

// retryAfter reads the header's two forms, seconds and a date.
func retryAfter(h http.Header) (time.Duration, bool) {
	v := h.Get("Retry-After")
	if v == "" {
		return 0, false
	}
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 {
		return time.Duration(min(s, 1e9) * float64(time.Second)), true
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(time.Until(at), 0), true
	}
	return 0, false
}

func bodyOf(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }

// httpReply is what the endpoint answered, read to its end.
type httpReply struct {
	status int
	header http.Header
	body   []byte
}
