package screen_test

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
)

// page draws a screen of rows under a status bar, with a clock that shows the minute in its own
// way.
func page(t *testing.T, rows int, minute int) *screen.Frame {
	img := image.NewRGBA(image.Rect(0, 0, 1080, 2400))
	fill := func(r image.Rectangle, c color.Color) {
		draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(img.Rect, color.White)
	for i := range rows {
		top := 200 + i*260
		fill(image.Rect(60, top, 1020, top+180), color.Gray{Y: uint8(60 + 20*i)})
	}
	for i := range 4 { // digits of seven bars, lit or not
		for bar := range 7 {
			if (minute>>i+bar)%3 != 0 {
				fill(image.Rect(40+i*30, 20+bar*7, 60+i*30, 24+bar*7), color.Black)
			}
		}
	}
	return frameOf(t, img)
}

func TestScreensAreToldApartByFingerprint(t *testing.T) {
	first := page(t, 6, 29).Fingerprint()

	same := page(t, 6, 29).Fingerprint()
	require.Equal(t, first, same)
	require.Zero(t, first.Distance(same))

	minute := page(t, 6, 30).Fingerprint()
	require.Less(t, first.Distance(minute), 0.02, "a clock's minute looks like another screen")

	other := page(t, 3, 29).Fingerprint()
	require.Greater(t, first.Distance(other), 0.2, "another screen looks the same")
	require.Equal(t, first.Distance(other), other.Distance(first))
}

func TestAFingerprintDoesNotDependOnTheSizeOfThePicture(t *testing.T) {
	full := page(t, 6, 29)
	half := frameOf(t, full.Resized(screen.Size{W: 540, H: 1200}).Image())
	require.Less(t, full.Fingerprint().Distance(half.Fingerprint()), 0.02)
}

func TestTheSmallestFrameHasAFingerprint(t *testing.T) {
	white, black := plain(t, 1, 1, color.White).Fingerprint(),
		plain(t, 1, 1, color.Black).Fingerprint()
	require.Equal(t, 1.0, white.Distance(black))
	require.Zero(t, white.Distance(plain(t, 2000, 3, color.White).Fingerprint()))
}

func TestBlackIsAllOfTheFrameAndNothingElse(t *testing.T) {
	require.True(t, plain(t, 1080, 2400, color.Black).Black())
	require.True(t, plain(t, 10, 10, color.RGBA{R: 8, G: 12, B: 3, A: 255}).Black(),
		"noise of a compressed black")
	require.False(t, plain(t, 10, 10, color.RGBA{B: 13, A: 255}).Black())

	img := image.NewRGBA(image.Rect(0, 0, 100, 100))
	draw.Draw(img, img.Rect, image.Black, image.Point{}, draw.Src)
	img.Set(99, 99, color.White)
	require.False(t, frameOf(t, img).Black(), "one lit pixel")
	require.True(t, frameOf(t, img.SubImage(image.Rect(0, 0, 100, 99))).Black(),
		"the lit pixel is not part of the frame")
	require.True(t, frameOf(t, img.SubImage(image.Rect(0, 0, 50, 50))).Black(),
		"the lit pixel is not part of the frame")
}

func TestWhatIsAboveIsLeftOutOfAFingerprint(t *testing.T) {
	var a, b screen.Fingerprint
	for i := range 2 * 24 { // two rows of 24
		a[i] = 100
	}
	for share, want := range map[float64]int{-1: 48, 0: 48, 0.01: 48, 1.0 / 24: 24, 0.05: 24,
		1.5 / 24: 0, 1: 0, 7: 0} {
		require.InDelta(t, float64(want)/576, a.Below(share).Distance(b.Below(share)), 1e-9, share)
	}
	require.EqualValues(t, 100, a[0], "the fingerprint itself stays")
}

func TestACellIsTheMeanOfItsPixels(t *testing.T) {
	img := picture(24*19, 24*3) // cells of 19x3 pixels
	draw.Draw(img, image.Rect(19, 0, 38, 3), image.White, image.Point{}, draw.Src)
	f := frameOf(t, img)
	grey := f.Within(1280).Image()
	for i, cell := range f.Fingerprint() {
		sum := 0
		for y := range 3 {
			for x := range 19 {
				sum += int(grey.Y[grey.YOffset(i%24*19+x, i/24*3+y)])
			}
		}
		require.EqualValues(t, sum/57, cell, i)
	}
	require.EqualValues(t, 255, f.Fingerprint()[1])
}
