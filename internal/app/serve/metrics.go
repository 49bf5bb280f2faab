package serve

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/VictoriaMetrics/metrics"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/runs"
)

// Counters count what a server's runs have done since it began, for Prometheus.
type Counters struct{ *metrics.Set }

// NewCounters returns counters at zero.
func NewCounters() Counters { return Counters{metrics.NewSet()} }

// Observe counts what a run does.
func (c Counters) Observe(e runs.Event) {
	switch e.Kind {
	case agentloop.Stepped:
		c.GetOrCreateCounter("taploop_steps_total").Inc()
		again := c.GetOrCreateCounter("taploop_steps_asked_again_total")
		if e.Step.Timing.Again > 0 {
			again.Inc()
		}
		c.spend(e.Step)
	case agentloop.Ended:
		c.GetOrCreateCounter(
			fmt.Sprintf("taploop_runs_ended_total{reason=%q}", e.Ending.Reason)).Inc()
		c.spend(e.Ending.Begun)
	}
}

// spend counts what a step has cost.
func (c Counters) spend(s agentloop.Step) {
	for _, p := range s.Timing.Parts() {
		c.GetOrCreateFloatCounter(
			fmt.Sprintf("taploop_step_seconds_total{part=%q}", p.Name)).Add(p.Time.Seconds())
	}
	for _, t := range s.Proposal.Tries {
		c.GetOrCreateCounter("taploop_model_calls_total").Inc()
		c.GetOrCreateCounter("taploop_prompt_tokens_total").Add(t.PromptTokens)
		c.GetOrCreateCounter("taploop_completion_tokens_total").Add(t.CompletionTokens)
	}
}

// handler serves the counters to those who may use /mcp.
func (c Counters) handler(conf config.HTTP, auth *authenticator) http.HandlerFunc {
	guard := &httpguard.Guard{Hosts: conf.Hosts, Origins: conf.Origins}
	return func(w http.ResponseWriter, r *http.Request) {
		if err := guard.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		switch _, err := auth.authorize(r); {
		case errors.Is(err, errTokens):
			http.Error(w, err.Error(), http.StatusInternalServerError)
		case err != nil:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, err.Error(), http.StatusUnauthorized)
		default:
			w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
			c.WritePrometheus(w)
		}
	}
}
