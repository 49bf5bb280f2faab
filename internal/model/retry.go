package model

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
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
	if after, ok := wait.RetryAfter(r.header); ok {
		return min(after, maxRetryAfter)
	}
	return wait.Backoff(firstDelay, maxDelay, done)
}

func bodyOf(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }

// httpReply is what the endpoint answered, read to its end.
type httpReply struct {
	status int
	header http.Header
	body   []byte
}
