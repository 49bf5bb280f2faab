package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/config"
	"github.com/taploop/taploop/sandbox"
	"github.com/taploop/taploop/sandbox/apps"
	"github.com/taploop/taploop/screen"
)

// With the settings as they come, a replay notices one switch and another language with room to
// spare, and neither another time of another day nor another smoothing of edges.
func TestWhatAReplayNotices(t *testing.T) {
	const launcher, clock = "com.android.launcher3", "com.android.deskclock"
	conf, err := config.Load(&config.Options{Environ: []string{"HOME=" + t.TempDir()}})
	require.NoError(t, err)
	like := screen.Likeness{Tolerance: conf.Model.ReplayTolerance}
	for _, name := range conf.Model.ReplayMasks {
		mask, err := screen.ParseMask(name)
		require.NoError(t, err)
		like.Masks = append(like.Masks, mask)
	}
	began, day := time.Now(), time.Date(2026, 5, 6, 10, 8, 0, 0, time.UTC)
	phone := func(later time.Duration, o sandbox.Options) *sandbox.Simulator {
		o.Now = func() time.Time { return day.Add(later).Add(time.Since(began)) }
		still := 0.0
		o.AnimationScale = &still
		return sandbox.New(&o)
	}
	seen := func(p *sandbox.Simulator) []byte {
		f, err := screen.NewFrame(p.Screenshot())
		require.NoError(t, err)
		small, err := f.Thumbnail()
		require.NoError(t, err)
		return small
	}
	differs := func(app string, a, b []byte) float64 {
		share, err := like.Difference(app, a, b)
		require.NoError(t, err)
		return share / like.Tolerance
	}

	first := phone(0, sandbox.Options{})
	later := phone(27*time.Hour+33*time.Minute, sandbox.Options{})
	chinese := phone(0, sandbox.Options{Locale: "zh"})
	require.LessOrEqual(t, differs(launcher, seen(first), seen(later)), 0.5)
	require.Greater(t, differs(launcher, seen(first), seen(chinese)), 2.0)
	for _, p := range []*sandbox.Simulator{first, later, chinese} {
		require.NoError(t, p.Launch(clock))
	}
	require.LessOrEqual(t, differs(clock, seen(first), seen(later)), 0.5)
	require.Greater(t, differs(clock, seen(first), seen(chinese)), 2.0)
	before := seen(first)
	first.Edit(func(d *apps.Data) { d.Alarms[0].On = !d.Alarms[0].On })
	require.Greater(t, differs(clock, before, seen(first)), 2.0)
}
