package telemetry

import (
	"context"
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
	log      *slog.Logger

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

// Open returns what the environment asks for: nil without OTEL_EXPORTER_OTLP_ENDPOINT and its like,
// and when what is set cannot be met, which is logged. It waits for no collector. The caller
// closes it.
func Open(ctx context.Context, o *Options) *Traces {
	to, err := readDestination(o.Getenv)
	if err != nil {
		o.Log.Warn("no traces are sent", "err", err)
	}
	if to == nil {
		return nil
	}
	exporter, err := otlptrace.New(ctx, newClient(to, o))
	if err != nil {
		o.Log.Warn("no traces are sent", "err", err)
		return nil
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "taploop"),
			attribute.String("service.version", o.Version)),
		resource.WithFromEnv())
	if err != nil {
		o.Log.Warn("what traces say of the service is not whole", "err", err)
	}
	p := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about),
		sdk.WithIDGenerator(ids{}))
	return &Traces{provider: p, tracer: p.Tracer("github.com/taploop/taploop"),
		log: o.Log, under: map[string]stretch{}}
}

// closing bounds how long the last spans may take to be sent: a server that ends has five seconds.
const closing = time.Second

// Close sends what was not sent yet, for at most a second.
func (t *Traces) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Warn("the last traces were not sent", "err", err)
	}
}
