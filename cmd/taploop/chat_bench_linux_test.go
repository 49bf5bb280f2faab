package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// How soon a chat client reads of a step: from when the step is stored to its line.
func BenchmarkChat(b *testing.B) {
	var first, each []time.Duration
	for b.Loop() {
		e := newTestEnv(b, demoTask, "")
		s, token := e.openAs("laptop", modern)
		v := newHTTPClient(b, s.url, token)
		lines := v.talks(map[string]string{"role": "user", "content": e.task.Goal})
		session := e.questions()[0].SessionID
		var steps struct {
			Steps []struct {
				DoneAt time.Time `json:"done_at"`
			}
		}
		resp := v.open("GET", "/v1/sessions/"+session+"/steps", "")
		require.NoError(b, json.NewDecoder(resp.Body).Decode(&steps))
		n := 0
		for _, c := range lines {
			if n == len(steps.Steps) || len(c.Choices) == 0 ||
				!strings.HasPrefix(c.Choices[0].Delta.Content, string(rune('1'+n))+". ") {
				continue
			}
			each = append(each, c.at.Sub(steps.Steps[n].DoneAt))
			if n == 0 {
				first = append(first, each[len(each)-1])
			}
			n++
		}
		require.Positive(b, n)
	}
	b.ReportMetric(float64(median(first).Microseconds())/1000, "ms/first-step-to-line")
	b.ReportMetric(float64(median(each).Microseconds())/1000, "ms/step-to-line")
	b.ReportMetric(0, "ns/op")
}
