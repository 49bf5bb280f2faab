package screen_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
)

// loss is the mean square of the difference between a picture and what a JPEG shows of it, of each
// of its planes.
func loss(t require.TestingT, img *image.YCbCr, b []byte) (planes [3]float64) {
	shown, err := jpeg.Decode(bytes.NewReader(b))
	require.NoError(t, err)
	require.Equal(t, img.Rect, shown.Bounds())
	got := shown.(*image.YCbCr)
	require.Equal(t, image.YCbCrSubsampleRatio420, got.SubsampleRatio)
	for i, p := range [][2][]byte{{img.Y, got.Y}, {img.Cb, got.Cb}, {img.Cr, got.Cr}} {
		size := screen.Size{W: img.Rect.Dx(), H: img.Rect.Dy()}
		stride, step := img.YStride, got.YStride
		if i > 0 {
			size = screen.Size{W: (size.W + 1) / 2, H: (size.H + 1) / 2}
			stride, step = img.CStride, got.CStride
		}
		sum := 0
		for y := range size.H {
			a, b := p[0][y*stride:][:size.W], p[1][y*step:][:size.W]
			for x := range a {
				d := int(a[x]) - int(b[x])
				sum += d * d
			}
		}
		planes[i] = float64(sum) / float64(size.W*size.H)
	}
	return planes
}

func standard(t require.TestingT, img image.Image, quality int) []byte {
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}))
	return b.Bytes()
}

// The pictures that models see and the store keeps are as good as those of image/jpeg, and no
// larger.
func TestAScreenAsJPEGIsAsGoodAsTheStandardEncoders(t *testing.T) {
	b, err := os.ReadFile(golden.Shared(t, "screens/home.png"))
	require.NoError(t, err)
	f, err := decoded(b)
	require.NoError(t, err)
	p := f.Resized(screen.Size{W: 541, H: 601})
	for _, quality := range []int{1, 50, 80, 85, 100} {
		ours, err := p.JPEG(quality)
		require.NoError(t, err)
		theirs := standard(t, p.Image(), quality)
		require.LessOrEqual(t, float64(len(ours)), float64(len(theirs))*1.002+4)
		want, got := loss(t, p.Image(), theirs), loss(t, p.Image(), ours)
		for i := range got {
			require.LessOrEqual(t, got[i], want[i]*1.01+0.02, "quality %d plane %d", quality, i)
		}
	}
}

// Whatever the picture, its size and the quality.
func TestAnyPictureAsJPEGIsAsGoodAsTheStandardEncoders(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		img := image.NewYCbCr(image.Rect(0, 0, rapid.IntRange(1, 50).Draw(r, "w"),
			rapid.IntRange(1, 50).Draw(r, "h")), image.YCbCrSubsampleRatio420)
		quality := rapid.IntRange(-1, 101).Draw(r, "quality")
		values := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 127, 128, 200, 254, 255}), 97, 97).
			Draw(r, "values")
		long := rapid.IntRange(1, 200).Draw(r, "long") // runs of one value
		for i, pix := range [][]byte{img.Y, img.Cb, img.Cr} {
			for j := range pix {
				pix[j] = values[(j/long*(i+1)+i)%len(values)]
			}
		}
		ours, err := screen.NewPicture(img).JPEG(quality)
		require.NoError(r, err)
		want := loss(r, img, standard(r, img, quality))
		got := loss(r, img, ours)
		for i := range got {
			// a half may be rounded the other way, of which large divisors make much
			bound := math.Sqrt(want[i])*1.5 + 12 + 500/float64(max(quality, 1))
			require.LessOrEqual(r, math.Sqrt(got[i]), bound, "plane %d", i)
		}
	})
}

// BenchmarkJPEG is the picture that a model is sent, with our encoder and with image/jpeg.
func BenchmarkJPEG(b *testing.B) {
	data, err := os.ReadFile(golden.Shared(b, "screens/home.png"))
	require.NoError(b, err)
	f, err := decoded(data)
	require.NoError(b, err)
	p := f.Resized(screen.Size{W: 728, H: 728})
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			_, err := p.JPEG(85)
			require.NoError(b, err)
		}
	})
	b.Run("standard", func(b *testing.B) {
		for b.Loop() {
			standard(b, p.Image(), 85)
		}
	})
}
