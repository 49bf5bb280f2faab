// Genfonts writes the fonts of the simulated phone, compressed, into the folder that it is given:
// the Go family unchanged, and one face of the bitmap font. The module of the font
// would link six faces.
package main

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"unicode"

	"github.com/hajimehoshi/bitmapfont/v4"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/math/fixed"

	"github.com/taploop/taploop/internal/files"
)

func main() {
	bits, err := bitmaps()
	for name, b := range map[string][]byte{"regular.ttf.gz": goregular.TTF,
		"bold.ttf.gz": gobold.TTF, "bitmaps.gz": bits} {
		if err == nil {
			err = files.Pack(filepath.Join(os.Args[1], name), b)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "genfonts:", err)
		os.Exit(1)
	}
}

// bitmaps has 25 bytes for each rune of the basic plane: its width, 0 when the font draws none, and
// 12 columns of 16 pixels, the first in the highest bit, behind each other.
func bitmaps() ([]byte, error) {
	b := make([]byte, 25<<16)
	for r := rune(0); r < 1<<16; r++ {
		box, mask, at, advance, ok := bitmapfont.FaceSC.Glyph(fixed.Point26_6{}, r)
		if !ok {
			continue
		}
		if width := advance.Round(); box != image.Rect(0, -12, width, 4) || width > 12 {
			return nil, fmt.Errorf("rune %U fills %v and advances by %d", r, box, width)
		}
		record, drawn := b[25*r:25*r+25], unicode.IsSpace(r)
		for i := range 16 * box.Dx() {
			x, y := i%box.Dx(), i/box.Dx()
			if _, _, _, alpha := mask.At(at.X+x, at.Y+y).RGBA(); alpha > 0 {
				bit := 16*x + y
				record[1+bit/8] |= 0x80 >> (bit % 8)
				drawn = true
			}
		}
		if drawn { // others are in the font's table, and blank
			record[0] = byte(box.Dx())
		}
	}
	return b, nil
}
