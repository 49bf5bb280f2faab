package families_test

import (
	"errors"
	"image"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/screen"
)

// The law: the pixel of the display that a model of any family names is the one that is touched, to
// one pixel, however the display is turned, whatever size it was given by wm size, in whichever of
// the two sizes it is captured, however it is shown, and whatever coordinates were set.
func TestEveryFamilyHitsWhatItNames(t *testing.T) {
	for _, f := range families.Known {
		t.Run(f.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				hits(t, f.Name)
			})
		})
	}
}

func hits(t *rapid.T, family string) {
	size, frame := turned(t)
	o := dialect.Options{Lang: "en"}
	if rapid.Bool().Draw(t, "coordinates are set") {
		o.Coordinates = &screen.Coordinates{YFirst: rapid.Bool().Draw(t, "y first"),
			Unit: rapid.SampledFrom([]float64{0, 1, 999, 1000}).Draw(t, "unit")}
	}
	if rapid.Bool().Draw(t, "the size is set") {
		o.Fit = &screen.Fit{Multiple: rapid.SampledFrom([]int{0, 14, 28, 32}).Draw(t, "multiple"),
			Long: rapid.SampledFrom([]int{0, 100, 333}).Draw(t, "long"),
			Min:  rapid.SampledFrom([]int{0, 90_001}).Draw(t, "min"),
			Max:  rapid.SampledFrom([]int{0, 31_000, 120_000}).Draw(t, "max")}
		if rapid.Bool().Draw(t, "and no aspect is kept") {
			o.Fit = &screen.Fit{Exact: screen.Size{W: rapid.IntRange(28, 500).Draw(t, "exact w"),
				H: rapid.IntRange(28, 500).Draw(t, "exact h")}}
		}
	}
	d, err := families.Known.New(family, &o)
	require.NoError(t, err)
	px := rapid.IntRange(0, size.W-1).Draw(t, "px")
	py := rapid.IntRange(0, size.H-1).Draw(t, "py")
	tap := actions.Click{At: screen.Point{X: (float64(px) + 0.5) / float64(size.W),
		Y: (float64(py) + 0.5) / float64(size.H)}}
	p := d.Profile()
	said, can := families.Known.Writer(family)(actions.Decision{Action: tap, Thought: "t",
		Explain: "e"}, dialect.Scale{Coordinates: p.Coordinates, Picture: p.Fit.Size(frame.Size())})
	require.True(t, can)
	got, err := d.Parse(said, dialect.Situation{Screen: screen.Observation{Frame: frame}})
	parse, refused := errors.AsType[*dialect.ParseError](err)
	if refused && parse.Off != nil && parse.Off.Fractions {
		return // in the corner, below one of a unit that is whole
	}
	require.NoError(t, err, "%+v", said)
	hit := got.Action.(actions.Click).At.Pixel(size)
	require.LessOrEqual(t, math.Abs(float64(hit.X-px)), 1.0, "%+v", said)
	require.LessOrEqual(t, math.Abs(float64(hit.Y-py)), 1.0, "%+v", said)
}

// turned is a display as it is turned now, in the pixels that a touch counts in, and a capture of
// it. A display that was given another size is captured in that one or in the panel's.
func turned(t *rapid.T) (display screen.Size, capture *screen.Frame) {
	panel := screen.Size{W: rapid.IntRange(30, 400).Draw(t, "w"),
		H: rapid.IntRange(30, 400).Draw(t, "h")}
	display = panel
	if by := rapid.SampledFrom([]float64{1, 0.5, 0.667, 1.5}).Draw(t, "wm size"); by != 1 {
		display = screen.Size{W: int(float64(panel.W) * by), H: int(float64(panel.H) * by)}
	}
	seen := rapid.SampledFrom([]screen.Size{panel, display}).Draw(t, "captured")
	if rapid.IntRange(0, 3).Draw(t, "rotation")%2 == 1 {
		display, seen = display.Turned(), seen.Turned()
	}
	capture, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, seen.W, seen.H)))
	require.NoError(t, err)
	return display, capture
}
