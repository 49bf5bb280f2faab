package telemetry

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// stretch is a span of a run that is carried out, with the context of the spans below it.
type stretch struct {
	ctx  context.Context
	span trace.Span
}

type runKey struct{}

// ids gives all spans of a run one trace, also those of a process that continues it.
type ids struct{}

var _ sdk.IDGenerator = ids{}

// NewIDs implements sdk.IDGenerator.
func (g ids) NewIDs(ctx context.Context) (id trace.TraceID, span trace.SpanID) {
	if run, ok := ctx.Value(runKey{}).(string); ok {
		sum := sha256.Sum256([]byte("taploop run " + run))
		copy(id[:], sum[:])
	}
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID implements sdk.IDGenerator.
func (ids) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	_, _ = rand.Read(id[:]) // it does not fail
	return id
}

// Observe makes spans of what a run does.
func (t *Traces) Observe(e runs.Event) {
	if t == nil || t.tracer == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s, under := t.under[e.RunID]
	switch {
	case e.Kind == runs.StateChanged && e.State == store.Running:
		if !under {
			t.under[e.RunID] = t.begin(e)
		}
	case !under:
	case e.Kind == runs.StateChanged:
		end(s.span, e)
		delete(t.under, e.RunID)
	case e.Kind == agentloop.Stepped:
		t.step(s, e.Step, e.At)
	case e.Kind == agentloop.Ended && len(e.Ending.Begun.Proposal.Tries) > 0:
		t.step(s, e.Ending.Begun, e.At)
	}
}

func (t *Traces) begin(e runs.Event) stretch {
	ctx := context.WithValue(context.Background(), runKey{}, e.RunID)
	ctx, span := t.tracer.Start(ctx, "invoke_agent taploop", trace.WithTimestamp(e.At),
		trace.WithAttributes(attribute.String("gen_ai.operation.name", "invoke_agent"),
			attribute.String("gen_ai.provider.name", "taploop"),
			attribute.String("gen_ai.agent.name", "taploop"),
			attribute.String("gen_ai.conversation.id", e.SessionID),
			attribute.String("taploop.run.id", e.RunID)))
	return stretch{ctx, span}
}

func end(span trace.Span, e runs.Event) {
	span.SetAttributes(attribute.String("taploop.run.state", strings.ToLower(string(e.State))))
	if e.Run != nil && e.Run.StopReason != "" {
		span.SetAttributes(attribute.String("taploop.run.stop_reason", string(e.Run.StopReason)))
		if e.State == store.Failed {
			span.SetAttributes(attribute.String("error.type", string(e.Run.StopReason)))
		}
	}
	if e.State == store.Failed {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(e.At))
}

// step makes the spans of a step that was over at the time: of itself, of each request to a model,
// and of its action.
func (t *Traces) step(under stretch, s agentloop.Step, over time.Time) {
	spent := s.Timing
	began := s.StartedAt
	if began.IsZero() { // what was begun at the end of a run
		began = over.Add(-spent.Total())
	}
	clock := func(at time.Time) trace.SpanEventOption {
		if at.After(over) {
			at = over
		}
		return trace.WithTimestamp(at)
	}
	ctx, span := t.tracer.Start(under.ctx, "step", clock(began),
		trace.WithAttributes(attribute.Int("taploop.step", s.Index)))
	for _, p := range spent.Parts() {
		if p.Time > 0 {
			span.SetAttributes(attribute.Float64("taploop.seconds."+p.Name, p.Time.Seconds()))
		}
	}
	at := began.Add(spent.Settle + spent.Look)
	for _, try := range s.Proposal.Tries {
		_, chat := t.tracer.Start(ctx, strings.TrimSpace("chat "+try.Model), clock(at),
			trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(aboutTry(try)...))
		if try.Error != "" {
			chat.SetStatus(codes.Error, "")
		}
		at = at.Add(try.Took)
		chat.End(clock(at))
	}
	if s.Proposal.Action != nil && spent.Touch > 0 {
		at = began.Add(spent.Settle + spent.Look + spent.Decide + spent.Ask + spent.Intent +
			spent.Check)
		t.touch(ctx, s, clock(at)).End(clock(at.Add(spent.Touch)))
	}
	span.End(clock(over))
}

// touch begins the span of a step's action.
func (t *Traces) touch(ctx context.Context, s agentloop.Step, at trace.SpanStartOption) trace.Span {
	verb := s.Proposal.Action.Verb()
	_, tool := t.tracer.Start(ctx, "execute_tool "+verb, at,
		trace.WithAttributes(attribute.String("gen_ai.operation.name", "execute_tool"),
			attribute.String("gen_ai.tool.name", verb),
			attribute.String("gen_ai.tool.type", "function")))
	if s.Refusal != "" {
		tool.SetAttributes(attribute.String("error.type", "refused"))
		tool.SetStatus(codes.Error, "")
	}
	return tool
}

// aboutTry describes a request to a model: neither its prompt nor its reply.
func aboutTry(try agentloop.Try) []attribute.KeyValue {
	about := []attribute.KeyValue{attribute.String("gen_ai.operation.name", "chat"),
		// endpoints speak the protocol of this one
		attribute.String("gen_ai.provider.name", "openai"),
		attribute.Int("gen_ai.usage.input_tokens", try.PromptTokens),
		attribute.Int("gen_ai.usage.output_tokens", try.CompletionTokens)}
	if try.Model != "" {
		about = append(about, attribute.String("gen_ai.request.model", try.Model))
	}
	if try.Error != "" {
		about = append(about, attribute.String("error.type", "unusable_reply"))
	}
	return about
}
