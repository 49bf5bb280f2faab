package ui

import (
	"embed"
	"fmt"
	"image"
	"image/draw"
	"sync"
	"unicode"

	"github.com/disintegration/imaging"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/taploop/taploop/internal/files"
)

//go:generate go run ./genfonts fonts

// fontFiles are what genfonts writes.
//
//go:embed fonts/*.gz
var fontFiles embed.FS

// glyph is one drawn rune: coverage, and where it lies from the pen on the baseline.
type glyph struct {
	mask    *image.Alpha
	at      image.Point
	advance int
}

// faceKey is a size and a weight of the Go family.
type faceKey struct {
	px   int
	bold bool
}

type glyphKey struct {
	r rune
	faceKey
}

// fonts caches glyphs for all phones of the process.
var fonts = struct {
	sync.Mutex
	faces  map[faceKey]font.Face
	glyphs map[glyphKey]*glyph
}{faces: map[faceKey]font.Face{}, glyphs: map[glyphKey]*glyph{}}

// families are the Go family's fonts, regular and bold.
var families = map[bool]func() *opentype.Font{
	false: sync.OnceValue(func() *opentype.Font { return parse(unpack("regular.ttf")) }),
	true:  sync.OnceValue(func() *opentype.Font { return parse(unpack("bold.ttf")) }),
}

// bitmaps are the glyphs of the 12 pixel font, as genfonts lays them out.
var bitmaps = sync.OnceValue(func() []byte { return unpack("bitmaps") })

// unpack reads a file that is compiled in.
func unpack(name string) []byte {
	b, err := fontFiles.ReadFile("fonts/" + name + ".gz")
	if err != nil {
		panic(err)
	}
	return files.Unpack(b)
}

// maxGlyphs bounds the cache. A screen full of text needs some hundreds.
const maxGlyphs = 8192

func parse(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		// it is compiled in
		panic(fmt.Sprintf("ui: a font of the Go family does not parse: %v", err))
	}
	return f
}

// withGlyphs calls f with a look-up of glyphs of one size, under the cache's lock.
func withGlyphs(px int, bold bool, f func(get func(rune) *glyph)) {
	fonts.Lock()
	defer fonts.Unlock()
	f(func(r rune) *glyph { return lookUp(r, px, bold) })
}

func lookUp(r rune, px int, bold bool) *glyph {
	key := glyphKey{r, faceKey{px, bold}}
	g, ok := fonts.glyphs[key]
	if !ok {
		if len(fonts.glyphs) >= maxGlyphs {
			clear(fonts.glyphs)
		}
		g = render(r, px, bold)
		fonts.glyphs[key] = g
	}
	return g
}

func render(r rune, px int, bold bool) *glyph {
	switch {
	case invisible(r):
		return &glyph{}
	case r == '\t':
		r = ' '
	}
	if has(r, bold) {
		return copyGlyph(face(px, bold), r)
	}
	if g := bitmapGlyph(r, px, bold); g != nil {
		return g
	}
	return numberBox(r, px)
}

// invisible reports runes that only steer how others look.
func invisible(r rune) bool {
	return r == 0x200d || r == 0x200b || r == 0xfeff || r >= 0xfe00 && r <= 0xfe0f ||
		r >= 0x1f3fb && r <= 0x1f3ff ||
		unicode.IsControl(r) && r != '\t'
}

func face(px int, bold bool) font.Face {
	key := faceKey{px, bold}
	if f, ok := fonts.faces[key]; ok {
		return f
	}
	f, err := opentype.NewFace(families[bold](), &opentype.FaceOptions{Size: float64(px), DPI: 72,
		Hinting: font.HintingNone})
	if err != nil {
		panic(fmt.Sprintf("ui: font of %d pixels: %v", px, err)) // px is at least 1
	}
	fonts.faces[key] = f
	return f
}

func has(r rune, bold bool) bool {
	i, err := families[bold]().GlyphIndex(nil, r)
	return err == nil && i != 0
}

func copyGlyph(f font.Face, r rune) *glyph {
	box, mask, at, adv, ok := f.Glyph(fixed.Point26_6{}, r)
	g := &glyph{at: box.Min, advance: adv.Round()}
	if ok && !box.Empty() {
		g.mask = image.NewAlpha(image.Rectangle{Max: box.Size()})
		draw.Draw(g.mask, g.mask.Rect, mask, at, draw.Src)
	}
	return g
}

// bitmapGlyph enlarges a glyph of the 12 pixel font, smoothly, or returns nil when that font has
// none.
func bitmapGlyph(r rune, px int, bold bool) *glyph {
	small := bitmap(r)
	if small == nil {
		return nil
	}
	scale, width := float64(px)/12, float64(small.Rect.Dx())
	size := image.Pt(int(width*scale+0.5), int(16*scale+0.5))
	big := image.NewAlpha(image.Rectangle{Max: size})
	gray := imaging.Resize((*image.Gray)(small), size.X, size.Y, imaging.CatmullRom)
	for i := range big.Pix {
		big.Pix[i] = gray.Pix[4*i]
	}
	thicken(big, bold)
	return &glyph{
		mask: big, at: image.Pt(0, int(-12*scale)), advance: int(width*scale + 0.5),
	}
}

// bitmap is a glyph of the 12 pixel font, or nil when that font has none.
func bitmap(r rune) *image.Alpha {
	if r < 0 || r >= 1<<16 {
		return nil
	}
	record := bitmaps()[25*r : 25*r+25]
	if record[0] == 0 {
		return nil
	}
	m := image.NewAlpha(image.Rect(0, 0, int(record[0]), 16))
	for y := range 16 {
		for x := range m.Rect.Dx() {
			if bit := 16*x + y; record[1+bit/8]&(0x80>>(bit%8)) != 0 {
				m.Pix[y*m.Stride+x] = 0xff
			}
		}
	}
	return m
}

// thicken sharpens the soft edges of an enlarged glyph, and bold takes in more of them.
func thicken(m *image.Alpha, bold bool) {
	low, high := 70, 150
	if bold {
		low, high = 25, 95
	}
	for i, a := range m.Pix {
		m.Pix[i] = uint8(255 * min(max(int(a)-low, 0), high-low) / (high - low))
	}
}

// numberBox draws what no font has, emoji above all, as a frame with its number.
func numberBox(r rune, px int) *glyph {
	name := fmt.Sprintf("U+%04X", r)
	f := face(max(px*6/10, 8), false)
	pad := px / 5
	w, h := font.MeasureString(f, name).Round()+2*pad, px*11/10
	m := image.NewAlpha(image.Rect(0, 0, w, h))
	line := max(px/16, 1)
	draw.Draw(m, m.Rect, image.Opaque, image.Point{}, draw.Src)
	draw.Draw(m, m.Rect.Inset(line), image.Transparent, image.Point{}, draw.Src)
	d := font.Drawer{Dst: m, Src: image.Opaque, Face: f, Dot: fixed.P(pad, h*7/10)}
	d.DrawString(name)
	return &glyph{mask: m, at: image.Pt(px/12, -h*8/10), advance: w + px/6}
}
