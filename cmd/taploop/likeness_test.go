package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/screen"
)

// With the settings as they come, a replay notices another language, start page, layout, way of
// holding the phone, one switch and one word in every app with at least half as much again to
// spare, and neither another time of another day nor another smoothing of edges. Dates that an app
// itself shows are text as any other: they want a mask.
func TestWhatAReplayNotices(t *testing.T) {
	t.Parallel()
	const launcher, clock = "com.android.launcher3", "com.android.deskclock"
	const notes, settings = "com.taploop.sandbox.notes", "com.android.settings"
	like := defaultLikeness(t)
	began, day := time.Now(), time.Date(2026, 5, 6, 10, 8, 0, 0, time.UTC)
	seen := func(app string, later time.Duration, o sandbox.Options, change func(*apps.Data),
		turned bool) []byte {
		o.Now = func() time.Time { return day.Add(later).Add(time.Since(began)) }
		o.AnimationScale = new(float64)
		p := sandbox.New(&o)
		if app != launcher {
			require.NoError(t, p.Apps.Launch(app))
		}
		if turned {
			p.Display.SetRotation(1)
		}
		if change != nil {
			p.Edit(change)
		}
		f, err := screen.NewFrame(p.Screenshot())
		require.NoError(t, err)
		small, err := f.Thumbnail()
		require.NoError(t, err)
		return small
	}
	check := func(name, app string, a, b []byte, least, most float64) {
		share, err := like.Difference(app, a, b)
		require.NoError(t, err)
		margin := share / like.Tolerance
		t.Logf("%-9s %-26s %6.1f times the tolerance", name, app, margin)
		require.GreaterOrEqual(t, margin, least, "%s of %s", name, app)
		require.LessOrEqual(t, margin, most, "%s of %s", name, app)
	}
	var plain sandbox.Options
	pages := map[string][]byte{}
	for _, app := range []string{launcher, clock, notes, settings} {
		pages[app] = seen(app, 0, plain, nil, false)
	}
	for app, first := range pages {
		check("itself", app, first, seen(app, 0, plain, nil, false), 0, 0)
		if app != notes { // it shows dates
			later := seen(app, 27*time.Hour+33*time.Minute, plain, nil, false)
			check("later", app, first, later, 0, 0.5)
		}
		chinese, dense := sandbox.Options{Locale: "zh"}, sandbox.Options{Density: 480}
		check("chinese", app, first, seen(app, 0, chinese, nil, false), 2, 1e3)
		check("layout", app, first, seen(app, 0, dense, nil, false), 2, 1e3)
		check("landscape", app, first, seen(app, 0, plain, nil, true), 1e3, 1e3)
		for other, page := range pages {
			if other != app {
				check("page", app, first, page, 2, 1e3)
			}
		}
	}
	check("switch", clock, pages[clock], seen(clock, 0, plain,
		func(d *apps.Data) { d.Alarms[0].On = !d.Alarms[0].On }, false), 2, 1e3)
	check("word", notes, pages[notes], seen(notes, 0, plain,
		func(d *apps.Data) { d.Notes[0].Title = "Bought" }, false), 1.5, 1e3)
}

func defaultLikeness(t *testing.T) screen.Likeness {
	conf, err := config.Load(&config.Options{Environ: []string{"HOME=" + t.TempDir()}})
	require.NoError(t, err)
	like := screen.Likeness{Tolerance: conf.Model.ReplayTolerance}
	for _, name := range conf.Model.ReplayMasks {
		mask, err := screen.ParseMask(name)
		require.NoError(t, err)
		like.Masks = append(like.Masks, mask)
	}
	return like
}
