package screen_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/screen"
)

func frameOf(t require.TestingT, img image.Image) *screen.Frame {
	f, err := screen.NewFrame(img)
	require.NoError(t, err)
	return f
}

// plain is a frame of one colour.
func plain(t require.TestingT, w, h int, c color.Color) *screen.Frame {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return frameOf(t, img)
}

// requireColour holds a colour against another, each channel within a bound.
func requireColour(t require.TestingT, want color.RGBA, got color.Color, bound float64) {
	c := color.RGBAModel.Convert(got).(color.RGBA)
	require.InDeltaSlice(t, []float64{float64(want.R), float64(want.G), float64(want.B)},
		[]float64{float64(c.R), float64(c.G), float64(c.B)}, bound)
}

func TestAFrameIsOpaqueAndWholeWhateverThePicture(t *testing.T) {
	whole := picture(8, 6)
	rgba := image.NewRGBA(whole.Rect)
	draw.Draw(rgba, rgba.Rect, whole, image.Point{}, draw.Src)
	glass := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	glass.SetNRGBA(0, 0, color.NRGBA{R: 200, A: 128})

	for name, c := range map[string]struct {
		img  image.Image
		want color.RGBA // of the first pixel
		size screen.Size
	}{
		"RGBA":  {rgba, color.RGBA{A: 255}, screen.Size{W: 8, H: 6}},
		"NRGBA": {whole, color.RGBA{A: 255}, screen.Size{W: 8, H: 6}},
		"a corner of an RGBA": {rgba.SubImage(image.Rect(0, 0, 3, 2)), color.RGBA{A: 255},
			screen.Size{W: 3, H: 2}},
		"a corner of an NRGBA": {whole.SubImage(image.Rect(0, 0, 3, 2)), color.RGBA{A: 255},
			screen.Size{W: 3, H: 2}},
		"the top of an RGBA": {rgba.SubImage(image.Rect(0, 0, 8, 2)), color.RGBA{A: 255},
			screen.Size{W: 8, H: 2}},
		"a part of an RGBA": {rgba.SubImage(image.Rect(2, 1, 5, 4)),
			color.RGBA{R: 2, G: 1, B: 3, A: 255}, screen.Size{W: 3, H: 3}},
		"what shows through": {glass, color.RGBA{R: 100, A: 255}, screen.Size{W: 2, H: 1}},
		"another kind of picture": {image.NewGray(image.Rect(-4, -4, 0, 0)), color.RGBA{A: 255},
			screen.Size{W: 4, H: 4}},
		"a picture of nothing there": {image.NewNRGBA(image.Rect(0, 0, 2, 2)), color.RGBA{A: 255},
			screen.Size{W: 2, H: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			f := frameOf(t, c.img)
			require.Equal(t, c.size, f.Size())
			require.Len(t, f.Image().Pix, c.size.W*c.size.H*4, "pixels that are not the frame's")
			require.True(t, f.Image().Opaque())
			require.Equal(t, c.want, f.Image().RGBAAt(0, 0))
		})
	}

	_, err := screen.NewFrame(image.NewRGBA(image.Rectangle{}))
	require.EqualError(t, err, "empty picture")
}

func TestResizedIsExactlyTheSizeAskedFor(t *testing.T) {
	f := plain(t, 108, 240, color.RGBA{R: 10, G: 200, B: 30, A: 255})
	rapid.Check(t, func(t *rapid.T) {
		want := screen.Size{W: rapid.IntRange(1, 200).Draw(t, "w"),
			H: rapid.IntRange(1, 200).Draw(t, "h")}
		small := f.Resized(want)
		require.Equal(t, want, small.Size())
		requireColour(t, color.RGBA{R: 10, G: 200, B: 30}, small.Image().At(want.W/2, want.H/2), 2)
	})
	for _, s := range []screen.Size{{}, {W: -5, H: 4}, {W: 4}} {
		require.Equal(t, screen.Size{W: max(s.W, 1), H: max(s.H, 1)}, f.Resized(s).Size())
	}
}

func TestWithinKeepsTheShapeAndNeverEnlarges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := screen.Size{W: rapid.IntRange(1, 300).Draw(t, "w"),
			H: rapid.IntRange(1, 300).Draw(t, "h")}
		side := rapid.IntRange(-1, 400).Draw(t, "side")
		f := plain(t, size.W, size.H, color.White)
		got := f.Within(side).Size()

		long := max(size.W, size.H)
		if side >= long {
			require.Equal(t, size, got)
			return
		}
		side = max(side, 1)
		require.LessOrEqual(t, max(got.W, got.H), side)
		require.GreaterOrEqual(t, 3*max(got.W, got.H), 2*side)
		scale := float64(max(got.W, got.H)) / float64(long)
		require.LessOrEqual(t, math.Abs(float64(got.W)-max(1, float64(size.W)*scale)), 1.0,
			"%s within %d is %s", size, side, got)
		require.LessOrEqual(t, math.Abs(float64(got.H)-max(1, float64(size.H)*scale)), 1.0,
			"%s within %d is %s", size, side, got)
	})
}

func TestAJPEGShowsTheFrame(t *testing.T) {
	f := plain(t, 33, 17, color.RGBA{R: 200, G: 40, B: 90, A: 255})
	b, err := f.JPEG(85)
	require.NoError(t, err)
	img, err := jpeg.Decode(bytes.NewReader(b))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 33, 17), img.Bounds())
	requireColour(t, color.RGBA{R: 200, G: 40, B: 90}, img.At(20, 10), 4)

	busy := frameOf(t, picture(200, 200))
	poor, err := busy.JPEG(20)
	require.NoError(t, err)
	fine, err := busy.JPEG(95)
	require.NoError(t, err)
	require.Less(t, len(poor), len(fine))
}

func TestAFrameTooLargeForJPEGIsAnError(t *testing.T) {
	_, err := plain(t, 1<<16, 1, color.White).JPEG(85)
	require.ErrorContains(t, err, "encoding a picture of 65536x1")
}
