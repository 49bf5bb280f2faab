package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Traces makes spans of runs. It is safe for concurrent use. A nil Traces makes none.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	trouble  *trouble

	mu    sync.Mutex
	under map[string]stretch // by the runs that are carried out now
}

// Options say where spans go. Getenv is needed.
type Options struct {
	Getenv  func(string) string
	Version string       // of the program
	Log     *slog.Logger // needed; headers, which may be keys, are never logged

	Transport http.RoundTripper // nil means a copy of http.DefaultTransport
}

// Open returns what the environment asks for: nil without OTEL_EXPORTER_OTLP_ENDPOINT and its like.
// When what is set cannot be met no spans are made. It waits for no collector. The caller closes
// it.
func Open(ctx context.Context, o *Options) *Traces {
	x := &Traces{trouble: &trouble{log: o.Log}, under: map[string]stretch{}}
	to, err := readDestination(o.Getenv)
	if to == nil && err == nil {
		return nil
	}
	var exporter *otlptrace.Exporter
	if err == nil {
		exporter, err = otlptrace.New(ctx, newClient(to, o, x.trouble))
	}
	if err != nil {
		x.trouble.warn("no traces are sent", err)
		return x
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "taploop"),
			attribute.String("service.version", o.Version)),
		resource.WithFromEnv())
	if err != nil {
		x.trouble.warn("what traces say of the service is not whole", err)
	}
	x.provider = sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about),
		sdk.WithIDGenerator(ids{}))
	x.tracer = x.provider.Tracer("github.com/taploop/taploop")
	return x
}

// closing bounds how long the last spans may take to be sent: a server that ends has five seconds.
const closing = time.Second

// Close sends what was not sent yet, for at most a second. It returns the first that kept spans
// from a collector, which is logged, too.
func (t *Traces) Close() error {
	if t == nil {
		return nil
	}
	if t.provider == nil {
		return t.trouble.first
	}
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.trouble.warn("the last traces were not sent", err)
	}
	t.trouble.mu.Lock()
	defer t.trouble.mu.Unlock()
	return t.trouble.first
}

// trouble is what keeps spans from a collector.
type trouble struct {
	log   *slog.Logger
	mu    sync.Mutex
	first error
}

func (t *trouble) warn(what string, err error) {
	t.log.Warn(what, "err", err)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.first = cmp.Or(t.first, fmt.Errorf("%s: %w", what, err))
}
