package screen_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/screen"
)

func anyCoordinates(t *rapid.T) screen.Coordinates {
	return screen.Coordinates{YFirst: rapid.Bool().Draw(t, "y first"),
		Unit: rapid.SampledFrom([]float64{0, 1, 999, 1000}).Draw(t, "unit")}
}

// The law: what a model sees at a pixel of the screen, whatever the size in which it is shown, is
// hit within one pixel when it is named exactly; named by whole numbers, within one pixel and half
// of what such a number can tell apart.
func TestATargetIsHitWithinOnePixelInEveryConvention(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frame := anySize(t, "frame")
		if rapid.Bool().Draw(t, "turned") {
			frame = frame.Turned()
		}
		c, shown := anyCoordinates(t), anyFit(t).Size(frame)
		px := rapid.IntRange(0, frame.W-1).Draw(t, "px")
		py := rapid.IntRange(0, frame.H-1).Draw(t, "py")
		target := screen.Point{X: (float64(px) + 0.5) / float64(frame.W),
			Y: (float64(py) + 0.5) / float64(frame.H)}
		first, second := c.Numbers(target, shown)
		// What a number leaves open, in pixels of the frame.
		aside := func(n int) float64 { return 0 }
		if rapid.Bool().Draw(t, "whole numbers") && c.Unit != 1 {
			first, second = math.Round(first), math.Round(second)
			aside = func(n int) float64 { return float64(n) / max(c.Unit, 1) / 2 }
			if c.Unit == 0 {
				per := max(float64(frame.W)/float64(shown.W), float64(frame.H)/float64(shown.H))
				aside = func(int) float64 { return per / 2 }
			}
		}
		p, err := c.Point(first, second, shown)
		if off, is := err.(*screen.OffScale); is && off.Fractions {
			return // below one of a thousandth or of a pixel
		}
		require.NoError(t, err)
		hit := p.Pixel(frame)
		require.LessOrEqual(t, math.Abs(float64(hit.X-px)), 1+aside(frame.W))
		require.LessOrEqual(t, math.Abs(float64(hit.Y-py)), 1+aside(frame.H))
	})
}

func TestEdgesAreOnTheScreenAndBeyondThemIsNot(t *testing.T) {
	shown := screen.Size{W: 1092, H: 2408}
	for _, c := range []screen.Coordinates{{}, {Unit: 1}, {Unit: 999}, {Unit: 1000},
		{YFirst: true}, {Unit: 1000, YFirst: true}} {
		for _, edge := range []screen.Point{{}, {X: 1}, {Y: 1}, {X: 1, Y: 1}} {
			first, second := c.Numbers(edge, shown)
			got, err := c.Point(first, second, shown)
			require.NoError(t, err)
			require.Equal(t, edge, got)
		}
		for _, beyond := range []screen.Point{{X: 1.01}, {Y: 1.01}, {X: -0.01}, {Y: -0.01},
			{X: math.NaN()}, {Y: math.Inf(1)}, {X: math.Inf(-1)}} {
			first, second := c.Numbers(beyond, shown)
			_, err := c.Point(first, second, shown)
			require.ErrorContains(t, err, "is off the screen, where x ", "%v %v", c, beyond)
		}
	}
}

func TestWhatIsNoPlaceSaysWhatItMayBe(t *testing.T) {
	picture := screen.Size{W: 606, H: 1280}
	for _, c := range []struct {
		set           string
		first, second float64
		want          string
		fit           []string
	}{
		{"1000", 540, 1200, "is off the screen, where x and y go from 0 to 1000",
			[]string{"pixels"}},
		{"1000", 5000, 1, "is off the screen, where x and y go from 0 to 1000", nil},
		{"1000", 0.5, 0.25, "looks like fractions, but x and y go from 0 to 1000",
			[]string{"1", "1 yx"}},
		{"999", 0, 1000, "is off the screen, where x and y go from 0 to 999",
			[]string{"1000", "pixels", "1000 yx"}},
		{"pixels", 900, 500, "is off the screen, where x goes from 0 to 606 and y from 0 to 1280",
			[]string{"1000", "1000 yx", "pixels yx"}},
		{"pixels", 0.9, 0.5, "looks like fractions, but x goes from 0 to 606 and y from 0 to 1280",
			[]string{"1", "1 yx"}},
		{"1", 512, 92, "is off the screen, where x and y go from 0 to 1",
			[]string{"1000", "pixels", "1000 yx", "pixels yx"}},
		{"pixels yx", 600, 1200, "is off the screen, where x goes from 0 to 606 and y from 0 to " +
			"1280", []string{"pixels"}},
		{"1000", -5, 5, "is off the screen, where x and y go from 0 to 1000", nil},
	} {
		set, err := screen.ParseCoordinates(c.set)
		require.NoError(t, err)
		require.Equal(t, c.set, set.String())
		_, err = set.Point(c.first, c.second, picture)
		require.EqualError(t, err, c.want, c.set)
		var fit []string
		for _, f := range err.(*screen.OffScale).Fit {
			fit = append(fit, f.String())
		}
		require.Equal(t, c.fit, fit, "%s %v,%v", c.set, c.first, c.second)
	}
	for _, corner := range [][2]float64{{0, 0}, {1, 1}, {0, 1}, {1, 0}} {
		_, err := screen.Coordinates{Unit: 1000}.Point(corner[0], corner[1], picture)
		require.NoError(t, err, "whole numbers are no fractions")
	}
}

func TestCoordinatesThatCannotBeAreRefused(t *testing.T) {
	for _, s := range []string{"", "auto", "0", "-1", "10001", "1.5", "pixels xy", "pixel",
		"1000yx", "1000  yx", " yx", "yx"} {
		_, err := screen.ParseCoordinates(s)
		require.ErrorContains(t, err, "want 1000, 999", "%q", s)
	}
}
