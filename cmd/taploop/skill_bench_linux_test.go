package main

import (
	"encoding/json"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/store/export"
)

// BenchmarkReplayedStep is a step of `taploop skill run` behind the real adb server and the real
// adbd, of a skill that was made from a run of taps. What a start costs is taken off, by the
// difference of a long and a short skill. It is held against a step of the runs that were recorded,
// whose model answers at once.
func BenchmarkReplayedStep(b *testing.B) {
	w := newStepBench(b, &sandbox.Options{AnimationScale: new(float64),
		Photo: photograph(1080, 560)})
	w.findPlaces()
	const short, long = 4, 24
	env := append(w.agent(0).Env, "TAPLOOP_DATA_DIR="+b.TempDir())
	taploop := func(args ...string) []byte {
		cmd := exec.Command("taploop", args...)
		cmd.Env = env
		out, err := cmd.Output()
		require.NoError(b, err, "%s: %s", args, said(err))
		return out
	}
	recorded := map[string]time.Duration{}
	for name, steps := range map[string]int{"short": short, "long": long} {
		w.steps, w.told, w.opens = steps, true, "Settings"
		var ran struct {
			Session string `json:"session_id"`
		}
		began := time.Now()
		out := taploop("run", "Tap the two places in turn", "--json")
		recorded[name] = time.Since(began)
		require.NoError(b, json.Unmarshal(out, &ran))
		taploop("skill", "make", ran.Session, "--name", name)
	}
	replay := func(name string) (c costs) {
		var result struct {
			Timing struct {
				Parts export.Parts `json:"parts_ms"`
			}
		}
		began := time.Now()
		out := taploop("skill", "run", name, "--heal", "off", "--json")
		c.wall = time.Since(began)
		require.NoError(b, json.Unmarshal(out, &result))
		c.parts = result.Timing.Parts
		return c
	}
	replayed := &stepCosts{parts: map[string][]time.Duration{}}
	for b.Loop() {
		few := replay("short")
		replayed.add(few, replay("long"), long-short)
	}
	replayed.report(b, "")
	first := (recorded["long"] - recorded["short"]) / (long - short)
	b.ReportMetric(float64(median(replayed.wall))/float64(first), "of-the-recorded")
	b.ReportMetric(0, "ns/op")
}

// said is what a command that failed wrote to its standard error.
func said(err error) string {
	if failed, is := err.(*exec.ExitError); is {
		return string(failed.Stderr)
	}
	return ""
}
