package phone_test

import (
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/sandbox/ui"
	"github.com/taploop/taploop/internal/screen"
)

// rig is a simulated phone, and the way over ADB to it. Its apps show what a test wants.
type rig struct {
	*device.Phone
	sim  *sandbox.Simulator
	skew atomic.Int64 // of the phone's clock, in nanoseconds

	// under the simulator's lock
	scene  func() *ui.View
	tapped []string // in a scene
}

func newRig(t testing.TB, locale string, packages ...string) *rig {
	t.Helper()
	r, begun := &rig{}, time.Now()
	noon := time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour) // no alarm rings then
	o := sandbox.Options{AnimationScale: new(float64), Locale: locale,
		Now: func() time.Time { return noon.Add(time.Since(begun) + time.Duration(r.skew.Load())) }}
	o.Size.X, o.Size.Y, o.Density = 540, 1200, 210
	for _, pkg := range packages {
		o.Apps = append(o.Apps, &apps.App{Package: pkg, Activity: ".Scene", EN: pkg, ZH: pkg,
			Icon: "bag", Open: func(*apps.Task) *apps.Page {
				return &apps.Page{Activity: ".Scene", View: func() *ui.View { return r.scene() }}
			}})
	}
	r.sim = sandbox.New(&o)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := adbserver.New()
	served := make(chan error, 1)
	go func() { served <- s.Serve(t.Context(), ln) }()
	t.Cleanup(func() { require.NoError(t, <-served) })
	s.Attach("A", shell.New(r.sim))
	h, err := device.NewHost(&device.Options{Server: ln.Addr().String(),
		Getenv: func(string) string { return "" }})
	require.NoError(t, err)
	r.Phone, err = h.Open(t.Context(), "A")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Phone.Close()) })
	return r
}

// show opens the app with these widgets, in the small language of the tables: [button], {card, its
// lines parted by /}, (field), (*password), <id> an icon, <id=what is read out>, anything else is
// text. They are parted by " · ".
func (r *rig) show(t testing.TB, pkg, widgets string) {
	t.Helper()
	scene := func() *ui.View {
		column := ui.Column().Gap(40).Pad(20, 60)
		for part := range strings.SplitSeq(widgets, " · ") {
			column.Add(r.widget(strings.TrimSpace(part)))
		}
		return column
	}
	r.sim.Edit(func(*apps.Data) { r.scene = scene })
	r.sim.Apps.ForceStop(pkg)
	require.NoError(t, r.sim.Apps.Launch(pkg))
}

// touched is what was tapped in scenes.
func (r *rig) touched() (list []string) {
	r.sim.Inspect(func(*apps.Data) { list = slices.Clone(r.tapped) })
	return list
}

func (r *rig) widget(s string) *ui.View {
	tap := func() { r.tapped = append(r.tapped, s) }
	inner := s[min(1, len(s)):max(len(s)-1, min(1, len(s)))]
	switch {
	case strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]"):
		return ui.Button(inner, tap)
	case strings.HasPrefix(s, "(*"):
		return ui.Input("field", strings.TrimPrefix(inner, "*"), new("secret")).Password()
	case strings.HasPrefix(s, "("):
		return ui.Input("field", inner, new(string))
	case strings.HasPrefix(s, "<"):
		id, desc, _ := strings.Cut(inner, "=")
		return ui.IconButton("bag", desc, tap).Named(id).Width(48)
	case strings.HasPrefix(s, "{"):
		card := ui.Card().OnTap(tap)
		for l := range strings.SplitSeq(inner, "/") {
			card.Add(ui.Text(l))
		}
		return card
	case s == "canvas":
		return ui.Column().Grow(1).OnTap(tap)
	}
	return ui.Text(s)
}

// find is the middle of what says so: the text, the description or the last part of the id.
func find(t testing.TB, list []screen.Element, what string) screen.Point {
	t.Helper()
	i := slices.IndexFunc(list, func(e screen.Element) bool {
		return e.Text == what || e.ContentDesc == what || strings.HasSuffix(e.ResourceID, "/"+what)
	})
	require.GreaterOrEqual(t, i, 0, "%q is not on the screen", what)
	return list[i].Bounds.Center()
}

// open is the simulated phone's own app after these taps.
func (r *rig) open(t testing.TB, pkg string, taps ...string) {
	t.Helper()
	r.sim.Apps.ForceStop(pkg)
	require.NoError(t, r.sim.Apps.Launch(pkg))
	for _, what := range taps {
		hold := strings.HasPrefix(what, "hold ")
		_, err := r.Look(t.Context())
		require.NoError(t, err)
		list, err := r.Elements(t.Context())
		require.NoError(t, err)
		at := find(t, list, strings.TrimPrefix(what, "hold "))
		if hold {
			require.NoError(t, r.LongPress(t.Context(), at, time.Second))
			continue
		}
		require.NoError(t, r.Tap(t.Context(), at))
	}
}
