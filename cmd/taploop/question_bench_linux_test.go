package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkQuestion is a question over MCP: from the model's reply that asks until the caller has
// it, and from the caller's answer until the model is asked again.
func BenchmarkQuestion(b *testing.B) {
	for _, w := range []route{{false, legacy}, {false, modern}, {true, legacy}, {true, modern}} {
		b.Run(w.String(), func(b *testing.B) {
			requests, replied := make(chan time.Time, 1), make(chan time.Time, 1)
			asks := true
			model := httptest.NewServer(http.HandlerFunc(
				func(to http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					if r.Method != http.MethodPost {
						_, _ = io.WriteString(to, `{"data": []}`)
						return
					}
					text := "<THINK>end</THINK>\n" +
						"explain:end\taction:COMPLETE\treturn:done\tsummary:s"
					if asks {
						text = "<THINK>ask</THINK>\n" +
							"explain:ask\taction:INFO\tvalue:Which size?\tsummary:s"
					} else {
						requests <- time.Now()
					}
					_ = json.NewEncoder(to).Encode(map[string]any{"choices": []any{map[string]any{
						"finish_reason": "stop",
						"message":       map[string]any{"role": "assistant", "content": text}}}})
					if asks {
						replied <- time.Now()
						asks = false
					}
				}))
			b.Cleanup(model.Close)
			bench := newTestEnv(b, demoTask, "", "TAPLOOP_MODEL_BASE_URL="+model.URL+"/v1")
			s := bench.open(w)
			var toCaller, toModel []time.Duration
			for b.Loop() {
				asks = true
				asked := s.asks(bench.task.Goal)
				toCaller = append(toCaller, time.Since(<-replied))
				answered := time.Now()
				done := s.follow(s.call("ask_agent_continue", map[string]any{
					"session_id": asked.SessionID, "reply_from_client": "42"}))
				toModel = append(toModel, (<-requests).Sub(answered))
				require.Equal(b, "COMPLETED", string(done.State), "%s", done.words)
			}
			b.ReportMetric(float64(median(toCaller).Microseconds())/1000, "ms/asked-to-caller")
			b.ReportMetric(float64(median(toModel).Microseconds())/1000, "ms/answered-to-model")
			b.ReportMetric(0, "ns/op")
		})
	}
}
