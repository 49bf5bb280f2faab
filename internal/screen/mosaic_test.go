package screen_test

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
)

// digits draws seven-bar digits of a phone's body text, 30 pixels high, from x on.
func digits(img draw.Image, at image.Point, text string) {
	bars := map[rune]uint8{'0': 0x77, '1': 0x24, '2': 0x5d, '3': 0x6d, '4': 0x2e, '5': 0x6b,
		'6': 0x7b, '7': 0x25, '8': 0x7f, '9': 0x6f}
	places := []image.Rectangle{image.Rect(2, 0, 14, 3), image.Rect(0, 2, 3, 14),
		image.Rect(13, 2, 16, 14), image.Rect(2, 13, 14, 16), image.Rect(0, 15, 3, 28),
		image.Rect(13, 15, 16, 28), image.Rect(2, 27, 14, 30)}
	for _, r := range text {
		for i, p := range places {
			if bars[r]>>i&1 == 1 {
				draw.Draw(img, p.Add(at), image.NewUniform(color.Gray{Y: 90}), image.Point{},
					draw.Src)
			}
		}
		at.X += 22
	}
}

func sum(t *testing.T, text string) *screen.Frame {
	img := image.NewRGBA(image.Rect(0, 0, 1080, 2400))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	digits(img, image.Pt(101, 703), text)
	return frameOf(t, img)
}

// One digit that is another one is seen, and where: a fingerprint does not notice it.
func TestAMosaicTellsOneDigit(t *testing.T) {
	was := sum(t, "500")
	for _, text := range []string{"600", "300", "508", "5000", "50", "501"} {
		now := sum(t, text)
		changed := was.Mosaic().Changed(now.Mosaic())
		require.False(t, changed.Empty(), text)
		around := screen.Rect{Min: screen.Point{X: 0.08, Y: 0.28}, Max: screen.Point{X: 0.2, Y: 0.32}}
		require.True(t, changed.Without(around).Empty(), text)
		require.False(t, changed.Within(around).Empty(), text)
		require.Less(t, was.Fingerprint().Distance(now.Fingerprint()), 0.005)
	}
	require.True(t, was.Mosaic().Changed(sum(t, "500").Mosaic()).Empty())
}

func TestAMosaicTellsColoursOfTheSameBrightness(t *testing.T) {
	red := plain(t, 100, 200, color.RGBA{R: 200, A: 255})
	green := plain(t, 100, 200, color.RGBA{G: 102, A: 255})
	require.Equal(t, 1.0, red.Mosaic().Changed(green.Mosaic()).Share())
}

func TestMosaicsOfOtherSizesDifferEverywhere(t *testing.T) {
	small, large := plain(t, 100, 200, color.White), plain(t, 200, 100, color.White)
	require.Equal(t, 1.0, small.Mosaic().Changed(large.Mosaic()).Share())
	require.Equal(t, 1.0, screen.Mosaic{}.Changed(screen.Mosaic{}).Share(), "nothing is known")
	torn := small.Mosaic()
	torn.Cells = torn.Cells[:7]
	require.Equal(t, 1.0, torn.Changed(torn).Share())
	require.True(t, screen.Area{}.Empty())
	one := plain(t, 1, 1, color.White).Mosaic()
	require.True(t, one.Changed(one).Empty())
}

func TestAreasAreCutAndJoined(t *testing.T) {
	half := image.NewRGBA(image.Rect(0, 0, 80, 160))
	draw.Draw(half, image.Rect(0, 0, 40, 160), image.White, image.Point{}, draw.Src)
	left := frameOf(t, half).Mosaic().Changed(plain(t, 80, 160, color.Black).Mosaic())
	require.Equal(t, 0.5, left.Share())
	right := frameOf(t, half).Mosaic().Changed(plain(t, 80, 160, color.White).Mosaic())
	require.True(t, left.And(right).Empty())
	require.Equal(t, left, left.Except(right))
	require.True(t, left.Except(left).Empty())
	top := screen.Rect{Max: screen.Point{X: 1, Y: 0.5}}
	require.Equal(t, 0.25, left.Within(top).Share())
	require.Equal(t, 0.25, left.Without(top).Share())
	require.True(t, left.And(screen.Area{}).Empty(), "of no screen")
	require.Equal(t, left, left.Except(screen.Area{}))
}

func TestAMosaicIsReadAsItWasStored(t *testing.T) {
	m := sum(t, "500").Mosaic()
	b, err := m.MarshalText()
	require.NoError(t, err)
	require.Less(t, len(b), 1000, "most of a page is one colour")
	var again screen.Mosaic
	require.NoError(t, again.UnmarshalText(b))
	require.Equal(t, m, again)
	for _, bad := range []string{"", "x", "5x", "2x2 ?", "2x2 AAAA"} {
		require.Error(t, again.UnmarshalText([]byte(bad)), bad)
		require.Equal(t, m, again)
	}
	require.NoError(t, again.UnmarshalText([]byte("-1x9 AwA")))
	require.Equal(t, 1.0, again.Changed(again).Share(), "what is no mosaic is like none")
}

func TestACursorIsNoChangeAndADigitIs(t *testing.T) {
	was := sum(t, "500")
	line := func(r image.Rectangle) *screen.Frame {
		img := image.NewRGBA(was.Image().Rect)
		draw.Draw(img, img.Rect, was.Image(), image.Point{}, draw.Src)
		draw.Draw(img, r, image.Black, image.Point{}, draw.Src)
		return frameOf(t, img)
	}
	cursors := func(now *screen.Frame) (all, rest screen.Area) {
		all = was.Mosaic().Changed(now.Mosaic())
		return all, all.Except(was.Cursors(now, all))
	}
	all, rest := cursors(line(image.Rect(301, 700, 306, 760)))
	require.False(t, all.Empty())
	require.True(t, rest.Empty())
	for name, now := range map[string]*screen.Frame{
		"a digit":      sum(t, "501"),
		"wide":         line(image.Rect(301, 700, 320, 760)),
		"a line below": line(image.Rect(301, 700, 600, 705)),
		"a rule":       line(image.Rect(301, 700, 306, 1500)),
	} {
		_, rest = cursors(now)
		require.False(t, rest.Empty(), name)
	}
}
