package sandbox_test

import (
	"testing"
	"time"

	"github.com/taploop/taploop/internal/sandbox"
)

// A full draw: every capture sees another moment of the clock.
func BenchmarkScreenshotDrawn(b *testing.B) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	p := sandbox.New(&sandbox.Options{Now: func() time.Time { return now }})
	if err := p.Apps.Launch("com.taploop.sandbox.shop"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		now = now.Add(time.Minute)
		p.Screenshot()
	}
}

// Nothing changed since the last capture.
func BenchmarkScreenshotIdle(b *testing.B) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	p := sandbox.New(&sandbox.Options{Now: func() time.Time { return now }})
	for b.Loop() {
		p.Screenshot()
	}
}

// In the middle of a transition: two screens are drawn, moved against each other.
func BenchmarkScreenshotMoving(b *testing.B) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	p := sandbox.New(&sandbox.Options{Now: func() time.Time { return now }})
	if err := p.Apps.Launch("com.android.settings"); err != nil {
		b.Fatal(err)
	}
	step := time.Millisecond
	for b.Loop() {
		step = 1 + step%(300*time.Millisecond)
		p.Screenshot()
		now = now.Add(step)
		p.Settings.PutSetting("system", "user_rotation", "0")
	}
}
