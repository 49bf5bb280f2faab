package phone_test

import (
	"cmp"
	"image"
	"image/draw"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/screen"
)

// The picture is the same though the elements are, too: where an edit touches, where a finger is
// drawn to, and all else but what says that it moves, such as a banner.
func TestWhatIsDrawnOverAnotherPlaceOfTheActionIsAChange(t *testing.T) {
	d := newFixture(t, payPage, "Pay now", phone.Options{})
	look, err := d.Look(t.Context())
	require.NoError(t, err)
	look.Elements, err = d.Elements(t.Context())
	require.NoError(t, err)
	banner := screen.Rect{Min: screen.Point{X: 0.1, Y: 0.85}, Max: screen.Point{X: 0.9, Y: 0.95}}
	look.Elements = append(look.Elements, screen.Element{Bounds: banner, Depth: 2,
		Class: "com.shop.BannerView"})
	pay, back := find(t, look.Elements, "Pay now"), find(t, look.Elements, "Back")
	painted := func(at screen.Point) screen.Observation {
		img := image.NewRGBA(look.Frame.Image().Bounds())
		draw.Draw(img, img.Rect, look.Frame.Image(), image.Point{}, draw.Src)
		mid := at.Pixel(look.Frame.Size())
		draw.Draw(img, image.Rect(-60, -30, 60, 30).Add(mid), image.Black, image.Point{}, draw.Src)
		now := look
		now.Frame, err = screen.NewFrame(img)
		require.NoError(t, err)
		return now
	}
	elsewhere := screen.Point{X: 0.5, Y: 0.6}
	for name, c := range map[string]struct {
		asked, done actions.Action
		kind        string
	}{
		"an edit": {actions.Click{At: pay}, actions.Click{At: back}, agentloop.Edit},
		"an end":  {actions.Drag{From: pay, To: back}, nil, agentloop.Approve},
	} {
		q := d.asks(look, actions.Decision{Action: c.asked})
		a := actions.Decision{Action: cmp.Or(c.done, c.asked)}
		allowed := func(look screen.Observation) bool {
			v, err := d.gate.Check(t.Context(), agentloop.Situation{Screen: look,
				Progress: agentloop.Progress{Pending: &agentloop.Pending{Decision: a,
					Ruling: &agentloop.Ruling{Type: c.kind, Bound: q.Review.Bound,
						Severity: "critical", At: d.now}}}}, a)
			require.NoError(t, err)
			return v.Allowed()
		}
		require.True(t, allowed(look), name)
		require.True(t, allowed(painted(banner.Center())), name)
		require.False(t, allowed(painted(elsewhere)), name)
		require.False(t, allowed(painted(back)), name)
	}
}
