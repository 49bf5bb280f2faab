package ui

import (
	"image"
	"image/draw"
	"testing"
	"unicode"

	"github.com/hajimehoshi/bitmapfont/v4"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/math/fixed"
)

func TestTheFontsAreThoseOfTheirModules(t *testing.T) {
	require.Equal(t, goregular.TTF, unpack("regular.ttf"))
	require.Equal(t, gobold.TTF, unpack("bold.ttf"))
	drawn := 0
	for r := rune(0); r < 1<<16; r++ {
		box, mask, at, advance, ok := bitmapfont.FaceSC.Glyph(fixed.Point26_6{}, r)
		got := bitmap(r)
		if got == nil {
			if ok && !unicode.IsSpace(r) {
				want := image.NewAlpha(image.Rectangle{Max: box.Size()})
				draw.Draw(want, want.Rect, mask, at, draw.Src)
				require.NotContains(t, want.Pix, uint8(0xff), "%U", r)
			}
			continue
		}
		want := image.NewAlpha(image.Rectangle{Max: box.Size()})
		draw.Draw(want, want.Rect, mask, at, draw.Src)
		require.Equal(t, want, got, "%U", r)
		require.Equal(t, advance.Round(), got.Rect.Dx())
		drawn++
	}
	require.Greater(t, drawn, 20_000)
}
