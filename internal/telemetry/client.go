package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/taploop/taploop/internal/wait"
)

// client sends spans by OTLP over HTTP. It stands in for otlptracehttp, which brings gRPC: 4 MB.
type client struct {
	to      *destination
	http    *http.Client
	trouble *trouble
	failing atomic.Bool // which was logged
}

func newClient(to *destination, o *Options, t *trouble) *client {
	road := o.Transport
	if road == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.TLSClientConfig = to.tls
		road = own
	}
	return &client{to: to, trouble: t, http: &http.Client{Transport: road,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // keys go nowhere else
		}}}
}

// Start implements otlptrace.Client.
func (c *client) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *client) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. A collector that does not take them is logged once, and
// the spans are lost: a run waits for no collector.
func (c *client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// TracesData has the same form as the request, whose own type brings gRPC.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	if c.to.gzip {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body) // a buffer takes all
		_ = w.Close()
		body = b.Bytes()
	}
	ctx, cancel := context.WithTimeout(ctx, c.to.timeout)
	defer cancel()
	switch err := c.send(ctx, body); {
	case err != nil && !c.failing.Swap(true):
		c.trouble.warn("traces do not get through", err)
	case err == nil && c.failing.Swap(false):
		c.trouble.log.InfoContext(ctx, "traces get through again")
	}
	return nil
}

// send sends until the body is taken, refused, or ctx ends.
func (c *client) send(ctx context.Context, body []byte) error {
	for tries := 1; ; tries++ {
		again, err := c.try(ctx, body)
		if err == nil || !again {
			return err
		}
		if wait.For(ctx, wait.Backoff(500*time.Millisecond, 5*time.Second, tries)) != nil {
			return err
		}
	}
}

// try sends once, and says whether it may be tried again.
func (c *client) try(ctx context.Context, body []byte) (again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.to.url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header = c.to.headers.Clone()
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "taploop")
	if c.to.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := c.http.Do(r)
	if err != nil {
		var of *url.Error // has the address, which may hold a key
		if errors.As(err, &of) {
			err = of.Err
		}
		return true, err
	}
	defer resp.Body.Close()
	// What it says does not matter, but reading it lets the connection be used again.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		again = true
	}
	return again, fmt.Errorf("the collector answers HTTP %d", resp.StatusCode)
}
