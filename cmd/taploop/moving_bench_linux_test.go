package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox"
)

// BenchmarkMovingStep is BenchmarkClickStep on a phone whose pages slide in after a touch, and
// whose captures take a while: of raw pixels longer than as PNG, and the other way round. The floor
// makes as many captures as the agent, which has a data folder of earlier tasks. Walls are told
// beyond the slide, also that from the start to the first request, which includes going to the home
// screen. From the last look to the touch it is from where that look's own capture begins, with a
// model that thinks for a while. In vain are requests about a screen that then moved on.
func BenchmarkMovingStep(b *testing.B) {
	for _, c := range []struct{ raw, png time.Duration }{
		{150 * time.Millisecond, 50 * time.Millisecond},
		{50 * time.Millisecond, 150 * time.Millisecond},
	} {
		b.Run(fmt.Sprintf("raw=%v/png=%v", c.raw, c.png), func(b *testing.B) {
			const slide = 250 * time.Millisecond
			scale := float64(slide) / float64(300*time.Millisecond) // a transition's at scale 1
			w := newStepBench(b, &sandbox.Options{AnimationScale: &scale})
			w.findPlaces()
			w.slowCaptures(c.raw, c.png)
			const short, long = 2, 12
			// Made by the first task, which no figure is of.
			folder := "TAPLOOP_DATA_DIR=" + b.TempDir()
			used := func(steps int) *exec.Cmd {
				cmd := w.agent(steps)
				cmd.Env = append(cmd.Env, folder)
				return cmd
			}
			w.measure(used(short))
			agent := &stepCosts{parts: map[string][]time.Duration{}}
			socket := &stepCosts{}
			var firsts, looks []time.Duration
			var captures, bare, asked, again []float64
			for b.Loop() {
				before := w.captures()
				few := w.measure(used(short))
				between := w.captures()
				many := w.measure(used(long))
				agent.add(few, many, long-short)
				captures = append(captures, float64(w.captures()-2*between+before)/(long-short))
				w.thinks = 400 * time.Millisecond
				thought := w.measure(used(long))
				w.thinks = 0
				looks = append(looks, w.looked...)
				again = append(again, float64(few.again+many.again+thought.again))
				asked = append(asked, short+2*long+3+again[len(again)-1])
				firsts = append(firsts, w.measure(fromHome(used(0))).first-slide)
				before = w.captures()
				few = w.measure(w.floor(short, nil))
				between = w.captures()
				socket.add(few, w.measure(w.floor(long, nil)), long-short)
				bare = append(bare, float64(w.captures()-2*between+before)/(long-short))
			}
			agent.report(b, "")
			socket.report(b, "socket-")
			b.ReportMetric(mean(captures), "captures/step")
			b.ReportMetric(times(agent.phone, socket.phone)*mean(bare)/mean(captures),
				"phone/same-captures")
			b.ReportMetric(ms(median(agent.wall)-slide), "wall-beyond-ms/step")
			b.ReportMetric(100*mean(again)/mean(asked), "%in-vain")
			b.ReportMetric(ms(median(firsts)), "first-request-beyond-ms")
			b.ReportMetric(ms(median(looks)), "look-to-touch-ms")
			b.ReportMetric(ms(slices.Max(looks)), "longest-look-to-touch-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// fromHome has the agent go to the home screen first.
func fromHome(cmd *exec.Cmd) *exec.Cmd {
	cmd.Args = slices.DeleteFunc(cmd.Args, func(s string) bool { return s == "--keep-environment" })
	return cmd
}

// slowCaptures makes the phone's captures take so long, and counts them.
func (w *stepBench) slowCaptures(raw, png time.Duration) {
	raw -= w.capture(io.Discard)
	png -= w.capture(io.Discard, "-p")
	name := filepath.Join(w.commands, "screencap")
	real := filepath.Join(w.commands, "fast", "screencap")
	require.NoError(w.b, os.Mkdir(filepath.Dir(real), 0o700))
	require.NoError(w.b, os.Rename(name, real))
	script := fmt.Sprintf("#!/bin/sh\necho x >>%[1]s\ncase \"$*\" in *-p*) sleep %[2]v;; "+
		"*) sleep %[3]v;; esac\n: >%[1]s.last\nexec %[4]s \"$@\"\n", w.counted, png.Seconds(),
		raw.Seconds(), real)
	require.NoError(w.b, os.WriteFile(name, []byte(script), 0o700))
}

// captures is how many the phone has made.
func (w *stepBench) captures() int {
	b, err := os.ReadFile(w.counted)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(w.b, err)
	}
	return bytes.Count(b, []byte("x"))
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return sum / float64(max(len(all), 1))
}
