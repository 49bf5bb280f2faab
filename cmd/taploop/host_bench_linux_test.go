package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox/shell"
)

// pricesScript is a host's model that has two prices looked up, and a phone's that thinks so long
// about each of six steps.
func pricesScript(think time.Duration) string {
	script := "- {when: 'Result of the call', reply: \"The first is cheaper.\"}\n" +
		toolCallRule("Compare the prices",
			`{"tool": "use_phone", "arguments": {"task": "Look up the price here"}}`,
			`{"tool": "use_phone", "arguments": {"task": "Look up the price there"}}`)
	for step := 6; step > 0; step-- {
		when, action := fmt.Sprintf(`\[looked %d\]`, step-1), "HOME"
		if step == 1 {
			when = "Look up the price"
		}
		if step == 6 {
			action = "COMPLETE\\treturn:12 euros"
		}
		rule := modelRule(when, action, fmt.Sprintf("looked %d", step))
		delay := fmt.Sprintf("\n  delay: %v\n", think)
		script += strings.Replace(rule, "\n", delay, 1)
	}
	return script
}

// How much sooner a goal with two tasks is reached with two phones than with one.
func BenchmarkTwoPhonesAgainstOne(b *testing.B) {
	var took [3][]time.Duration // by phones
	for b.Loop() {
		for phones := 1; phones <= 2; phones++ {
			e := newTestEnv(b, demoTask, pricesScript(500*time.Millisecond),
				"TAPLOOP_HOST_TEXTUAL=true")
			if phones == 2 {
				e.sim.ADB.Attach("sandbox-2", shell.New(newPhone()))
			}
			began := time.Now()
			out, errs, code := e.run("host", "Compare the prices")
			took[phones] = append(took[phones], time.Since(began))
			require.Zero(b, code, errs)
			require.Equal(b, "The first is cheaper.\n", out)
			require.Equal(b, 2, strings.Count(errs, "= 12 euros"), errs)
		}
	}
	one, two := median(took[1]), median(took[2])
	b.ReportMetric(one.Seconds(), "s/one-phone")
	b.ReportMetric(two.Seconds(), "s/two-phones")
	b.ReportMetric(one.Seconds()/two.Seconds(), "times-as-fast")
	b.ReportMetric(0, "ns/op")
}
