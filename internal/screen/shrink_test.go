package screen_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"testing"

	"github.com/disintegration/imaging"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
)

// far is the mean and the largest difference of brightness of two pictures of one size.
func far(a, b image.Image) (mean, most float64) {
	r := a.Bounds()
	for y := range r.Dy() {
		for x := range r.Dx() {
			d := math.Abs(grey(a, x, y) - grey(b, x, y))
			mean, most = mean+d, max(most, d)
		}
	}
	return mean / float64(r.Dx()*r.Dy()), most
}

func grey(img image.Image, x, y int) float64 {
	if img, ok := img.(*image.YCbCr); ok {
		return float64(img.YCbCrAt(x, y).Y)
	}
	return float64(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
}

// A screen with text, in the sizes that models see and the store keeps: as the kept library makes
// it from all pixels that one pixel covers.
func TestASmallPictureIsTheMeanOfWhatItCovers(t *testing.T) {
	b, err := os.ReadFile(golden.Shared(t, "screens/home.png"))
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(b))
	require.NoError(t, err)
	f, err := decoded(b)
	require.NoError(t, err)
	for _, s := range []screen.Size{{W: 540, H: 1200}, {W: 270, H: 600}, {W: 360, H: 800},
		{W: 1080, H: 2400}} {
		mean, most := far(imaging.Resize(img, s.W, s.H, imaging.Box), f.Resized(s).Image())
		require.LessOrEqual(t, mean, 0.5, s)
		require.LessOrEqual(t, most, 2.0, s)
	}
	for _, s := range []screen.Size{{W: 728, H: 728}, {W: 1000, H: 999}, {W: 24, H: 24}} {
		mean, most := far(exactly(img, s), f.Resized(s).Image())
		require.LessOrEqual(t, mean, 0.7, s)
		require.LessOrEqual(t, most, 4.0, s)
	}
}

// exactly is img at size s, each pixel the mean of what it covers, in floating point.
func exactly(img image.Image, s screen.Size) *image.Gray {
	in := img.Bounds()
	out := image.NewGray(image.Rect(0, 0, s.W, s.H))
	grey := make([]float64, in.Dx()*in.Dy())
	for i := range grey {
		r, g, b, _ := img.At(i%in.Dx(), i/in.Dx()).RGBA()
		grey[i] = (0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)) / 257
	}
	// part is how much of pixel i is between from and to.
	part := func(i int, from, to float64) float64 {
		return math.Min(float64(i+1), to) - math.Max(float64(i), from)
	}
	stepX, stepY := float64(in.Dx())/float64(s.W), float64(in.Dy())/float64(s.H)
	for y := range s.H {
		top, bottom := float64(y)*stepY, float64(y+1)*stepY
		for x := range s.W {
			left, right := float64(x)*stepX, float64(x+1)*stepX
			sum := 0.0
			for v := int(top); v < in.Dy() && float64(v) < bottom; v++ {
				for u := int(left); u < in.Dx() && float64(u) < right; u++ {
					sum += grey[v*in.Dx()+u] * part(v, top, bottom) * part(u, left, right)
				}
			}
			out.SetGray(x, y, color.Gray{Y: uint8(sum/(stepX*stepY) + 0.5)})
		}
	}
	return out
}

// Whatever the sizes and the form of the capture, a small picture is the mean of what it covers.
func TestAnyPictureShrinksToAnySize(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := screen.Size{W: rapid.IntRange(1, 70).Draw(r, "w"),
			H: rapid.IntRange(1, 70).Draw(r, "h")}
		out := screen.Size{W: rapid.IntRange(1, in.W).Draw(r, "to w"),
			H: rapid.IntRange(1, in.H).Draw(r, "to h")}
		if rapid.Bool().Draw(r, "half") {
			in = screen.Size{W: 2 * out.W, H: 2 * out.H}
		}
		img := image.NewNRGBA(image.Rect(0, 0, in.W, in.H))
		blocks := rapid.IntRange(1, 9).Draw(r, "blocks") // of alike rows
		shade := rapid.SliceOfN(rapid.Uint8(), 64, 64).Draw(r, "shades")
		for y := range in.H {
			for x := range in.W {
				at := x + y/blocks*7
				img.SetNRGBA(x, y, color.NRGBA{R: shade[at%64], G: shade[(at+1)%64],
					B: shade[(at+2)%64], A: 255})
			}
		}
		capture := rapid.SampledFrom([][]byte{pngOf(t, img), rawOf(img, 1)}).Draw(r, "capture")
		f, err := decoded(capture)
		require.NoError(r, err)
		_, most := far(exactly(img, out), f.Resized(out).Image())
		require.LessOrEqual(r, most, 4.0)
	})
}

// A form of PNG that screencap does not write, and every filter that an encoder may choose.
func TestEveryFilterOfAPNGIsUndone(t *testing.T) {
	img := picture(120, 90)
	for i := range img.Pix {
		if i%4 != 3 {
			img.Pix[i] = uint8(i*i/7 + i/480*13)
		}
	}
	glass := *img
	glass.Pix = bytes.Clone(img.Pix)
	glass.Pix[3] = 254 // RGBA, where the others are RGB
	for _, level := range []png.CompressionLevel{png.NoCompression, png.BestSpeed,
		png.DefaultCompression, png.BestCompression} {
		for _, one := range []*image.NRGBA{img, &glass} {
			var b bytes.Buffer
			require.NoError(t, (&png.Encoder{CompressionLevel: level}).Encode(&b, one))
			f, err := decoded(b.Bytes())
			require.NoError(t, err)
			require.Equal(t, img.Pix[4:], f.Image().Pix[4:])
		}
	}
}
