package phone_test

import (
	"cmp"
	"image"
	"image/draw"
	"strings"
	"testing"
	"time"

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

func TestWithoutElementsThePictureIsBound(t *testing.T) {
	d := newFixture(t, payPage, "Pay now", phone.Options{})
	a := actions.Decision{Action: actions.Click{At: screen.Point{X: 0.5, Y: 0.5}}}
	see := func() screen.Observation {
		look, err := d.Look(t.Context())
		require.NoError(t, err)
		require.NotZero(t, look.Bar)
		look.State.App = "com.mybank"
		return look
	}
	look := see()
	q := d.asks(look, a)
	require.Contains(t, q.Text, "something that is not known")
	require.True(t, d.check(look, a, &q).Allowed())
	d.skew.Add(int64(37 * time.Minute))
	later := see()
	require.NotEqual(t, look.Frame.Image().Pix, later.Frame.Image().Pix, "the clock is another")
	require.True(t, d.check(later, a, &q).Allowed())
	page, err := d.Elements(t.Context())
	require.NoError(t, err)
	later.Elements = page
	require.True(t, d.check(later, a, &q).Allowed(), "the elements can be had this time")
	d.show(t, "com.shop", "Total $31.00 · [Pay now] · [Back]")
	changed := see()
	require.False(t, d.check(changed, a, &q).Allowed(), "one figure is another")
	changed.Elements = page
	require.False(t, d.check(changed, a, &q).Allowed(), "also when elements can be had")
	q.Review.Bound = strings.Repeat("x", 10)
	require.False(t, d.check(look, a, &q).Allowed(), "an approval of nothing known")
}

func TestWhatWasApprovedHoldsOnTheSamePictureWithoutItsElements(t *testing.T) {
	d := newFixture(t, payPage, "Pay now", phone.Options{})
	a := d.policy.decision
	see := func() screen.Observation {
		look, err := d.Look(t.Context())
		require.NoError(t, err)
		return look
	}
	look := see()
	bare := look
	page, err := d.Elements(t.Context())
	require.NoError(t, err)
	look.Elements = page
	q := d.asks(look, a)
	require.Contains(t, q.Text, "Pay now")
	d.skew.Add(int64(37 * time.Minute))
	require.True(t, d.check(see(), a, &q).Allowed(), "the clock is another")
	require.False(t, d.check(see(), actions.Decision{
		Action: actions.Click{At: screen.Point{X: 0.5, Y: 0.9}}}, &q).Allowed(), "another place")
	bare.State.App = "com.other"
	require.False(t, d.check(bare, a, &q).Allowed(), "another app")
	none := see()
	none.Elements = []screen.Element{}
	require.False(t, d.check(none, a, &q).Allowed(), "they were had, and are gone")
	d.show(t, "com.shop", strings.Replace(payPage, "30", "31", 1))
	require.False(t, d.check(see(), a, &q).Allowed(), "one figure is another")
}
