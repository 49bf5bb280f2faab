package serve

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/VictoriaMetrics/metrics"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// counters count what a server has done since it began, for Prometheus.
type counters struct{ *metrics.Set }

// NewCounters returns counters at zero: a series is there before the first event that it counts.
func NewCounters() counters {
	metrics.ExposeMetadata(true)
	c := counters{metrics.NewSet()}
	c.NewCounter("taploop_steps_total")
	for _, kind := range []string{"prompt", "completion"} {
		c.labelled("taploop_model_tokens_total{kind=%q}", kind)
	}
	for _, kind := range faults {
		c.labelled("taploop_phone_faults_total{kind=%q}", kind)
	}
	for _, s := range store.States() {
		if counts(s) {
			c.labelled("taploop_runs_ended_total{outcome=%q}", strings.ToLower(string(s)))
		}
	}
	for _, way := range channel.All() {
		c.labelled("taploop_answers_total{channel=%q}", way.Stored)
	}
	for _, p := range (agentloop.Timing{}).Parts() {
		c.part(p.Name)
	}
	c.model()
	return c
}

// The upper bounds of the buckets, in seconds.
var (
	stepBuckets  = []float64{.005, .02, .05, .1, .25, .5, 1, 2, 5, 10, 30}
	modelBuckets = []float64{.1, .25, .5, 1, 2, 5, 10, 20, 40, 90}
)

// faults are the kinds of trouble with a phone, by the reason why a run stopped.
var faults = map[agentloop.StopReason]string{
	agentloop.DeviceDisconnected: "disconnected",
	agentloop.DeviceError:        "error",
	agentloop.ScreenLocked:       "locked",
	agentloop.SecureScreen:       "secure_screen",
	agentloop.Stuck:              "stuck",
}

// Observe counts what a run does.
func (c counters) Observe(e runs.Event) {
	switch e.Kind {
	case agentloop.Stepped:
		c.labelled("taploop_steps_total").Inc()
		c.spend(e.Step)
	case agentloop.Ended:
		if kind := faults[e.Ending.Reason]; kind != "" {
			c.labelled("taploop_phone_faults_total{kind=%q}", kind).Inc()
		}
		c.spend(e.Ending.Begun)
	case runs.StateChanged:
		if counts(e.State) {
			c.labelled("taploop_runs_ended_total{outcome=%q}",
				strings.ToLower(string(e.State))).Inc()
		}
	}
}

// Settled counts an answer.
func (c counters) Settled(q inquiry.Question) {
	if q.Resolution != nil && q.Resolution.Channel != "" {
		c.labelled("taploop_answers_total{channel=%q}", q.Resolution.Channel).Inc()
	}
}

// counts reports whether a run that comes to the state has ended, for now or for good.
func counts(s store.State) bool { return s.Terminal() || s == store.Paused }

func (c counters) labelled(format string, labels ...any) *metrics.Counter {
	return c.GetOrCreateCounter(fmt.Sprintf(format, labels...))
}

func (c counters) part(name string) *metrics.PrometheusHistogram {
	return c.GetOrCreatePrometheusHistogramExt(
		fmt.Sprintf("taploop_step_seconds{part=%q}", name), stepBuckets)
}

func (c counters) model() *metrics.PrometheusHistogram {
	return c.GetOrCreatePrometheusHistogramExt("taploop_model_seconds", modelBuckets)
}

// spend counts what a step has cost.
func (c counters) spend(s agentloop.Step) {
	for _, p := range s.Timing.Parts() {
		if p.Time > 0 {
			c.part(p.Name).Update(p.Time.Seconds())
		}
	}
	if s.Timing.Model > 0 {
		c.model().Update(s.Timing.Model.Seconds())
	}
	for _, t := range s.Proposal.Tries {
		c.labelled("taploop_model_tokens_total{kind=%q}", "prompt").Add(t.PromptTokens)
		c.labelled("taploop_model_tokens_total{kind=%q}", "completion").Add(t.CompletionTokens)
	}
}

// handler serves the counters, and what measure writes, to those who may use /mcp.
func (c counters) handler(conf config.HTTP, auth *authenticator,
	measure func(*http.Request, *gauges)) http.HandlerFunc {
	guard := &httpguard.Guard{Hosts: conf.Hosts, Origins: conf.Origins}
	return func(w http.ResponseWriter, r *http.Request) {
		if err := guard.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		switch _, err := auth.authorize(r); {
		case errors.Is(err, errTokens):
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		case err != nil:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, err.Error(), http.StatusUnauthorized)
		default:
			w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
			g := gauges{metrics.NewSet()}
			measure(r, &g)
			g.WritePrometheus(w)
			c.WritePrometheus(w)
		}
	}
}

// gauges are the values at the time of one request for the metrics.
type gauges struct{ *metrics.Set }

func (g gauges) set(value float64, format string, labels ...any) {
	g.GetOrCreateGauge(fmt.Sprintf(format, labels...), nil).Set(value)
}
