package main

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app/serve"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/terminal/story"
)

// Results, sessions show, the metrics and the page of the benchmarks name the parts of a step
// alike; the exported page is held to them in its package, and the benchmark reports what results
// tell.
func TestThePartsOfAStepHaveTheSameNamesEverywhere(t *testing.T) {
	var spent agentloop.Timing
	var want []string
	for i, v := 0, reflect.ValueOf(&spent).Elem(); i < v.NumField(); i++ {
		v.Field(i).SetInt(int64(i+1) * int64(time.Second))
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		want = append(want, name)
	}
	names := func(pattern, text string) (list []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			list = append(list, m[1])
		}
		return list
	}

	page, err := os.ReadFile("../../docs/benchmarks.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "| part | ")
	table, _, _ = strings.Cut(table, "\n\n")
	require.Equal(t, want, names("(?m)^\\| `(\\w+)` \\|", table))

	require.Equal(t, want, names(`(?:^|, )(\w+) `, story.In("en").Parts(spent)))

	b, err := json.Marshal(export.NewParts(spent))
	require.NoError(t, err)
	require.ElementsMatch(t, want, names(`"(\w+)":`, string(b)))

	var text strings.Builder
	c := serve.NewCounters()
	c.Observe(runs.Event{Event: agentloop.Event{Kind: agentloop.Stepped,
		Step: agentloop.Step{Timing: spent}}})
	c.WritePrometheus(&text)
	require.ElementsMatch(t, want, names(
		`(?m)^taploop_step_seconds_sum\{part="(\w+)"\} `, text.String()))
}
