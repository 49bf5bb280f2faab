package screen_test

import (
	"image"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/screen"
)

// wild draws any float64, the odd ones (NaN, infinities, the edges) often.
func wild() *rapid.Generator[float64] {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1,
		math.Nextafter(1, 0), math.Nextafter(1, 2),
		-1e-300, math.MaxFloat64, -math.MaxFloat64, 1e18, -7.6e18}
	return rapid.OneOf(rapid.SampledFrom(odd), rapid.Float64())
}

func TestAPixelIsAlwaysInsideTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := screen.Size{W: rapid.IntRange(1, 16384).Draw(t, "w"),
			H: rapid.IntRange(1, 16384).Draw(t, "h")}
		p := screen.Point{X: wild().Draw(t, "x"), Y: wild().Draw(t, "y")}
		require.True(t, p.Pixel(size).In(image.Rect(0, 0, size.W, size.H)), "%v of %s is %v", p,
			size, p.Pixel(size))
	})
}

func TestAPixelOfNoScreenIsTheOrigin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := screen.Size{W: rapid.IntRange(-3, 0).Draw(t, "w"),
			H: rapid.IntRange(-3, 0).Draw(t, "h")}
		p := screen.Point{X: wild().Draw(t, "x"), Y: wild().Draw(t, "y")}
		require.Equal(t, image.Point{}, p.Pixel(size))
	})
}

func TestThePointInTheMiddleOfAPixelIsThatPixel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := screen.Size{W: rapid.IntRange(1, 16384).Draw(t, "w"),
			H: rapid.IntRange(1, 16384).Draw(t, "h")}
		want := image.Pt(rapid.IntRange(0, size.W-1).Draw(t, "px"),
			rapid.IntRange(0, size.H-1).Draw(t, "py"))
		p := screen.Point{X: (float64(want.X) + 0.5) / float64(size.W),
			Y: (float64(want.Y) + 0.5) / float64(size.H)}
		require.Equal(t, want, p.Pixel(size))
	})
}

func TestThousandthsAreTheFormOfThePrompt(t *testing.T) {
	size := screen.Size{W: 1080, H: 2400}
	for _, c := range []struct {
		x, y float64
		want image.Point
	}{
		{0, 0, image.Pt(0, 0)},
		{500, 500, image.Pt(540, 1200)},
		{999, 999, image.Pt(1078, 2397)},
		{1000, 1000, image.Pt(1079, 2399)},
		{-5, 2000, image.Pt(0, 2399)},
	} {
		require.Equal(t, c.want, screen.Point{X: c.x / 1000, Y: c.y / 1000}.Pixel(size))
	}
}

func TestOnlyPointsOnTheFrameAreValid(t *testing.T) {
	for _, p := range []screen.Point{{}, {X: 1, Y: 1}, {X: 0.5, Y: 0}} {
		require.True(t, p.Valid(), "%v", p)
	}
	for _, p := range []screen.Point{{X: -0.001}, {Y: 1.001}, {X: math.NaN()}, {Y: math.NaN()},
		{X: math.Inf(1)}, {Y: math.Inf(-1)}} {
		require.False(t, p.Valid(), "%v", p)
	}
}

func TestASizeKnowsItsShape(t *testing.T) {
	upright := screen.Size{W: 1080, H: 2400}
	require.Equal(t, screen.Size{W: 2400, H: 1080}, upright.Turned())
	require.True(t, upright.Turned().Landscape())
	require.False(t, upright.Landscape())
	require.False(t, screen.Size{W: 5, H: 5}.Landscape())
	require.Equal(t, "1080x2400", upright.String())
	require.True(t, screen.Size{W: 1, H: 1}.Valid())
	require.False(t, screen.Size{W: 1}.Valid())
	require.False(t, screen.Size{H: 1, W: -1}.Valid())
}
