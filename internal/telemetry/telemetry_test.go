package telemetry_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/telemetry"
)

// collector takes spans as one of the OpenTelemetry project does. The first answers may be others.
type collector struct {
	mu      sync.Mutex
	refuse  []int // what the next requests are answered
	asked   []*http.Request
	spans   []*tracepb.Span
	service map[string]string
}

const endpoint = "http://collector.example:4318"

// RoundTrip implements http.RoundTripper.
func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, r)
	w := httptest.NewRecorder()
	if len(c.refuse) > 0 {
		w.WriteHeader(c.refuse[0])
		c.refuse = c.refuse[1:]
	} else if err := c.take(r); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

func (c *collector) take(r *http.Request) error {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		body = z
	}
	b, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var all tracepb.TracesData
	if err := proto.Unmarshal(b, &all); err != nil {
		return err
	}
	c.service = map[string]string{}
	for _, of := range all.ResourceSpans {
		for _, a := range of.Resource.Attributes {
			c.service[a.Key] = a.Value.GetStringValue()
		}
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	return nil
}

// traced are the spans that come of the events, with the environment.
func (c *collector) traced(t *testing.T, env map[string]string, events ...runs.Event) string {
	t.Helper()
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) { c.trace(t, &log, env, events) })
	return log.String()
}

func (c *collector) trace(t *testing.T, log io.Writer, env map[string]string, events []runs.Event) {
	x := telemetry.Open(t.Context(), &telemetry.Options{Version: "1.2.3",
		Getenv:    func(name string) string { return env[name] },
		Transport: c, Log: slog.New(slog.NewTextHandler(log, nil))})
	for _, e := range events {
		x.Observe(e)
	}
	err := x.Close()
	require.Equal(t, strings.Contains(fmt.Sprint(log), "WARN"), err != nil, "%v", err)
}

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func state(after time.Duration, s store.State, reason agentloop.StopReason) runs.Event {
	return runs.Event{SessionID: "s1", RunID: "r1", State: s,
		Run:   &store.Run{Task: "private task", StopReason: reason},
		Event: agentloop.Event{Kind: runs.StateChanged, At: start.Add(after)}}
}

func stepped() runs.Event {
	s := agentloop.Step{Index: 3, StartedAt: start.Add(time.Second),
		Timing: agentloop.Timing{Settle: time.Second, Decide: 5 * time.Second,
			Model: 4 * time.Second, Touch: 2 * time.Second}}
	s.Proposal.Action = actions.Type{Text: "private text"}
	s.Proposal.Tries = []agentloop.Try{
		{Model: "m", Prompt: "private prompt", Reply: "private reply", Error: "private error",
			Took: time.Second, PromptTokens: 100, CompletionTokens: 10},
		{Model: "m", Took: 3 * time.Second, PromptTokens: 120, CompletionTokens: 20}}
	return runs.Event{SessionID: "s1", RunID: "r1", State: store.Running,
		Event: agentloop.Event{Kind: agentloop.Stepped, At: start.Add(10 * time.Second), Step: s}}
}

// line is a span in a line: what it is under, its name, its seconds, what is said of it.
func (c *collector) lines() (list []string) {
	names := map[string]string{}
	for _, s := range c.spans {
		names[string(s.SpanId)] = s.Name
	}
	for _, s := range c.spans {
		since := func(ns uint64) string {
			return time.Unix(0, int64(ns)).Sub(start).String()
		}
		words := []string{names[string(s.ParentSpanId)] + " > " + s.Name,
			since(s.StartTimeUnixNano) + "-" + since(s.EndTimeUnixNano)}
		for _, a := range s.Attributes {
			v := strings.NewReplacer("string_value:", "", "int_value:", "", "double_value:", "",
				`"`, "", " ", "").Replace(a.Value.String())
			words = append(words, a.Key+"="+v)
		}
		if s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR {
			words = append(words, "ERROR")
		}
		list = append(list, strings.Join(words, " "))
	}
	return list
}

func TestARunIsOneTraceOfItsRequestsAndActions(t *testing.T) {
	c := new(collector)
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint + "/"}
	require.Empty(t, c.traced(t, env, state(0, store.Queued, ""),
		state(0, store.Running, agentloop.StillRunning), stepped(),
		state(11*time.Second, store.WaitingReply, agentloop.InfoNeedsReply)))
	require.Equal(t, []string{
		"step > chat m 2s-3s gen_ai.operation.name=chat gen_ai.provider.name=openai " +
			"gen_ai.usage.input_tokens=100 gen_ai.usage.output_tokens=10 " +
			"gen_ai.request.model=m error.type=unusable_reply ERROR",
		"step > chat m 3s-6s gen_ai.operation.name=chat gen_ai.provider.name=openai " +
			"gen_ai.usage.input_tokens=120 gen_ai.usage.output_tokens=20 gen_ai.request.model=m",
		"step > execute_tool TYPE 7s-9s gen_ai.operation.name=execute_tool " +
			"gen_ai.tool.name=TYPE gen_ai.tool.type=function",
		"invoke_agent taploop > step 1s-10s taploop.step=3 taploop.seconds.settle=1 " +
			"taploop.seconds.decide=5 taploop.seconds.model=4 taploop.seconds.touch=2",
		" > invoke_agent taploop 0s-11s gen_ai.operation.name=invoke_agent " +
			"gen_ai.provider.name=taploop gen_ai.agent.name=taploop " +
			"gen_ai.conversation.id=s1 taploop.run.id=r1 taploop.run.state=waiting_reply " +
			"taploop.run.stop_reason=INFO_ACTION_NEEDS_REPLY",
	}, c.lines())
	require.Equal(t, "/v1/traces", c.asked[0].URL.Path)
	require.Equal(t, "taploop", c.service["service.name"])
	require.Equal(t, "1.2.3", c.service["service.version"])

	// another process continues the run, and it fails
	require.Empty(t, c.traced(t, env, state(time.Minute, store.Running, agentloop.StillRunning),
		state(2*time.Minute, store.Failed, agentloop.ModelError)))
	lines := c.lines()
	require.Len(t, lines, 6)
	require.True(t, strings.HasSuffix(lines[5], "error.type=MODEL_ERROR ERROR"), lines[5])
	var keys []attribute.Key
	for _, s := range c.spans {
		require.Equal(t, c.spans[0].TraceId, s.TraceId)
		require.NotContains(t, s.String(), "private")
		for _, a := range s.Attributes {
			if !strings.HasPrefix(a.Key, "taploop.") {
				keys = append(keys, attribute.Key(a.Key))
			}
		}
	}
	require.Subset(t, []attribute.Key{semconv.ErrorTypeKey, semconv.GenAIAgentNameKey,
		semconv.GenAIConversationIDKey, semconv.GenAIOperationNameKey, semconv.GenAIProviderNameKey,
		semconv.GenAIRequestModelKey, semconv.GenAIToolNameKey, semconv.GenAIToolTypeKey,
		semconv.GenAIUsageInputTokensKey, semconv.GenAIUsageOutputTokensKey}, keys,
		"the names of the conventions")
}

func TestTheEnvironmentSaysWhereTracesGo(t *testing.T) {
	c := new(collector)
	t.Setenv("OTEL_SERVICE_NAME", "phones") // the library reads this one itself
	c.traced(t, map[string]string{
		"OTEL_TRACES_EXPORTER":               "otlp",
		"OTEL_EXPORTER_OTLP_ENDPOINT":        "http://127.0.0.1:1",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": endpoint + "/own",
		"OTEL_EXPORTER_OTLP_HEADERS":         "authorization=Bearer%20k, x-team = a=b",
		"OTEL_EXPORTER_OTLP_COMPRESSION":     "gzip",
		"OTEL_EXPORTER_OTLP_PROTOCOL":        "http/protobuf",
	}, state(0, store.Running, ""), state(1, store.Completed, agentloop.TaskCompleted))
	require.Len(t, c.asked, 1)
	require.Equal(t, "/own", c.asked[0].URL.Path)
	require.Equal(t, "Bearer k", c.asked[0].Header.Get("Authorization"))
	require.Equal(t, "a=b", c.asked[0].Header.Get("X-Team"))
	require.Len(t, c.spans, 1)
	require.Equal(t, "phones", c.service["service.name"])
}

func TestWithoutAWishThereAreNoTraces(t *testing.T) {
	c := new(collector)
	for name, env := range map[string]map[string]string{
		"nothing is set": {},
		"disabled":       {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint},
		"none":           {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint},
	} {
		require.Empty(t, c.traced(t, env, state(0, store.Running, ""),
			state(1, store.Completed, "")), name)
	}
	require.Empty(t, c.asked)
}

func TestWhatCannotBeMetIsLoggedAndNothingIsSent(t *testing.T) {
	c := new(collector)
	for name, set := range map[string][2]string{
		"console":         {"OTEL_TRACES_EXPORTER", "console"},
		"grpc":            {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
		"no URL":          {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "localhost:4318"},
		"no milliseconds": {"OTEL_EXPORTER_OTLP_TIMEOUT", "10s"},
		"headers":         {"OTEL_EXPORTER_OTLP_HEADERS", "sk-secret"},
		"no file":         {"OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere/ca.pem"},
	} {
		log := c.traced(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, set[0]: set[1]},
			state(0, store.Running, ""), state(1, store.Completed, ""))
		require.Contains(t, log, "no traces are sent", name)
		require.NotContains(t, log, "sk-secret")
	}
	require.Empty(t, c.asked)
}

func TestACollectorThatIsBusyIsAskedAgainAndOneThatRefusesIsLogged(t *testing.T) {
	c := new(collector)
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
		"OTEL_EXPORTER_OTLP_HEADERS": "authorization=sk-secret"}
	c.refuse = []int{http.StatusUnauthorized}
	log := c.traced(t, env, state(0, store.Running, ""), state(1, store.Completed, ""))
	require.Contains(t, log, "traces do not get through")
	require.Contains(t, log, "HTTP 401")
	require.NotContains(t, log, "sk-secret")
	require.NotContains(t, log, endpoint)
	require.Len(t, c.asked, 1)

	c.refuse = []int{http.StatusServiceUnavailable}
	c.traced(t, env, state(0, store.Running, ""), state(1, store.Completed, ""))
	require.Len(t, c.asked, 3)
}
