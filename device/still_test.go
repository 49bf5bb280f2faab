package device

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"image/color"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
)

// sumOf is what cksum says of a display in one colour.
func sumOf(s screen.Size, c color.RGBA) string {
	return fmt.Sprintf("%08x\n", crc32.ChecksumIEEE(pixelsOf(s, c)))
}

// captures are the services that took a picture or its sum since the last call, a letter each.
func (w *wirePhones) captures() (s string) {
	for _, line := range w.asked() {
		switch {
		case isSum(line):
			s += "s"
		case strings.HasPrefix(line, "exec:"):
			s += "c"
		}
	}
	return s
}

// What the display shows still is not sent again: the phone says that it is the same.
func TestADisplayThatHasNotMovedIsNotCapturedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown := white
		w := &wirePhones{shell: ordinary(nil), sum: func() string { return sumOf(upright, shown) }}
		w.exec = func(_, _ string, to io.Writer) { to.Write(pixelsOf(upright, shown)) }
		p := w.open(t)
		look := func() screen.Observation {
			look, err := p.Look(t.Context())
			require.NoError(t, err)
			return look
		}
		first := look()
		require.Equal(t, "c", w.captures())
		require.Same(t, first.Frame, look().Frame)
		again, err := p.Frame(t.Context())
		require.NoError(t, err)
		require.Same(t, first.Frame, again)
		require.Equal(t, "ss", w.captures())

		require.NoError(t, p.Tap(t.Context(), screen.Point{X: 0.5, Y: 0.5}))
		look()
		require.Equal(t, "c", w.captures(), "another picture is to be expected after a touch")

		shown = color.RGBA{R: 9, A: 255}
		second := look()
		require.NotSame(t, first.Frame, second.Frame)
		require.Equal(t, shown.R, second.Frame.Image().Pix[0])
		require.Equal(t, "sc", w.captures())
	})
}

// The sum is that of the form which the picture came in.
func TestAPictureThatCameAsPNGIsSummedUpAsPNG(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var png bytes.Buffer
		pngOf(&png, upright, white)
		w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, time.Second, 0),
			sum: func() string { return fmt.Sprintf("%08x\n", crc32.ChecksumIEEE(png.Bytes())) }}
		p := w.open(t)
		_, err := p.Look(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.Tap(t.Context(), screen.Point{X: 0.5, Y: 0.5}))
		w.asked()
		first, err := p.Look(t.Context())
		require.NoError(t, err)
		again, err := p.Frame(t.Context())
		require.NoError(t, err)
		require.Same(t, first.Frame, again)
		require.Equal(t, []string{"exec:" + formPNG.command(), "exec:" + formPNG.sum()},
			slices.DeleteFunc(w.asked(), func(line string) bool {
				return !strings.HasPrefix(line, "exec:")
			}))
	})
}

// The sum of a form that takes long is not waited for before the other form was tried.
func TestAfterASlowPictureTheOtherFormIsTriedAndNotItsSum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, time.Second, 0),
			sum: func() string { return sumOf(upright, white) }}
		p := w.open(t)
		for range 2 {
			_, err := p.Frame(t.Context())
			require.NoError(t, err)
		}
		require.Equal(t, []string{"exec:" + formRaw.command(), "exec:" + formPNG.command()},
			slices.DeleteFunc(w.asked(), func(line string) bool {
				return !strings.HasPrefix(line, "exec:")
			}))
	})
}

// Where something moves all the time, the sum is asked for in vain, and seldom.
func TestADisplayThatMovesIsCapturedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, 0, 0),
			sum: func() string { return "0\n" }}
		p := w.open(t)
		for range 200 {
			_, err := p.Frame(t.Context())
			require.NoError(t, err)
		}
		taken := w.captures()
		require.True(t, strings.HasPrefix(taken, "csccsccccs"), taken)
		require.Equal(t, 10, strings.Count(taken, "s"))
		require.Equal(t, 200, strings.Count(taken, "c"))

		w.sum = func() string { return sumOf(upright, white) }
		for range mostInRow + 3 {
			_, err := p.Frame(t.Context())
			require.NoError(t, err)
		}
		require.True(t, strings.HasSuffix(w.captures(), "sss"), "it has come to rest")
	})
}

// A picture that is no sum, another tool's usage, nothing: the phone is not asked again.
func TestAPhoneThatCannotSumUpIsAskedOnce(t *testing.T) {
	for _, answer := range []string{"", "cksum: Unknown option H\n", "-1\n", "123456789\n",
		string(pixelsOf(upright, white))} {
		synctest.Test(t, func(t *testing.T) {
			w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, 0, 0),
				sum: func() string { return answer }}
			p := w.open(t)
			for range 3 {
				_, err := p.Frame(t.Context())
				require.NoError(t, err)
			}
			require.Equal(t, "cscc", w.captures())
		})
	}
}

// A phone that hangs is waited for once, not for its sum and then for its picture.
func TestAPhoneThatHangsIsWaitedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wirePhones{shell: ordinary(nil), exec: shows(upright, white, 0, 0),
			sum: func() string { return sumOf(upright, white) }}
		p := w.open(t)
		_, err := p.Frame(t.Context())
		require.NoError(t, err)
		w.hang("emu", true)
		_, err = p.Frame(t.Context())
		var hung *hungError
		require.ErrorAs(t, err, &hung)
		require.Equal(t, "cs", w.captures())
	})
}
