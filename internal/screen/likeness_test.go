package screen_test

import (
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
)

func thumb(t *testing.T, f *screen.Frame) []byte {
	b, err := f.Thumbnail()
	require.NoError(t, err)
	return b
}

func TestALikenessComparesWhatIsNotMasked(t *testing.T) {
	first, minute := thumb(t, page(t, 6, 29)), thumb(t, page(t, 6, 30))
	other := thumb(t, page(t, 3, 29))
	share := func(app string, a, b []byte, masks ...string) float64 {
		var l screen.Likeness
		for _, s := range masks {
			m, err := screen.ParseMask(s)
			require.NoError(t, err)
			l.Masks = append(l.Masks, m)
		}
		d, err := l.Difference(app, a, b)
		require.NoError(t, err)
		return d
	}
	require.Zero(t, share("x", first, first))
	require.Positive(t, share("x", first, minute))
	require.Zero(t, share("x", first, minute, "status_bar"))
	require.Greater(t, share("x", first, other, "status_bar"), 0.2)
	require.Zero(t, share("x", first, other, "0 0 1 1"))
	require.Positive(t, share("x", first, other, "y 0 0 1 1"), "of another app only")
	require.Zero(t, share("y", first, other, "y 0 0 1 1"))
	require.Zero(t, share("com.miui.home", first, minute, "home_clock"))
	require.Positive(t, share("com.example.homework", first, minute, "home_clock"))

	wide := thumb(t, plain(t, 2400, 1080, color.White))
	require.Equal(t, 1.0, share("x", thumb(t, plain(t, 1080, 2400, color.White)), wide))
	small := thumb(t, plain(t, 540, 1200, color.White))
	require.Zero(t, share("x", thumb(t, plain(t, 1080, 2400, color.White)), small))
}

func TestAThumbnailThatIsNoneIsRefused(t *testing.T) {
	_, err := screen.Likeness{}.Difference("", []byte("x"), nil)
	require.ErrorContains(t, err, "reading a thumbnail")
}

func TestAMaskThatIsNoneSaysWhatOneIs(t *testing.T) {
	for _, s := range []string{"", "clock", "0 0 1", "0 0 1 1.1", "0 0 1 -1", "0 0 1 NaN",
		"0,0,1,1", "a b 0 0 1 1"} {
		_, err := screen.ParseMask(s)
		require.ErrorContains(t, err, "left, top, width, height", s)
	}
}

// A region lies on the screen.
func TestARegionIsFourFractionsOfTheScreen(t *testing.T) {
	for _, right := range []string{"0 0.5 1 0.25", "0, 0.5, 1, 0.25", "0.9,0.7,0.1,0.3"} {
		_, err := screen.ParseRegion(right)
		require.NoError(t, err, right)
	}
	for _, wrong := range []string{"0 0 1", "0.9 0 0.2 1", "0 0 0 1", "a 0 0 1 1"} {
		_, err := screen.ParseRegion(wrong)
		require.ErrorContains(t, err, "is not four fractions of the screen", wrong)
	}
}
