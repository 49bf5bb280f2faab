package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// headroom is what the heap may at least grow by between two collections. The runtime's own rule,
// to collect when the heap has doubled, has a small program that works through large pictures
// collect several times a step.
const headroom = 32 << 20

// collectSeldom has garbage collected when the heap has grown by headroom, or doubled if that is
// more. GOGC and GOMEMLIMIT of the environment come first.
func collectSeldom(getenv func(string) (string, bool)) {
	for _, own := range []string{"GOGC", "GOMEMLIMIT"} {
		if _, set := getenv(own); set {
			return
		}
	}
	const least = 4 << 20 // the runtime's heap at which it collects first, at 100 percent
	debug.SetGCPercent(percentFor(least))
	type sentinel struct{ _ *byte } // found dead by each collection
	var collected func(*sentinel)
	collected = func(s *sentinel) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(percentFor(live[0].Value.Uint64()))
		runtime.SetFinalizer(s, collected)
	}
	runtime.SetFinalizer(new(sentinel), collected)
}

// percentFor is GOGC for a heap with so much in it after a collection.
func percentFor(live uint64) int { return int(max(100, headroom*100/max(live, 1<<20))) }
