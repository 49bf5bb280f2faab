package marks

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/taploop/taploop/internal/screen"
)

// pen draws labels of one size.
type pen struct {
	digits [10]*image.Alpha
	line   int         // width of a frame
	pad    image.Point // around the digits
}

var bold = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil { // it is compiled in
		panic(fmt.Sprintf("marks: the Go font does not parse: %v", err))
	}
	return f
})

// newPen is a pen for pictures of that size: its digits are as large as the text of an app.
func newPen(size screen.Size) *pen {
	px := max(16, max(size.W, size.H)/64)
	face, err := opentype.NewFace(bold(), &opentype.FaceOptions{Size: float64(px), DPI: 72,
		Hinting: font.HintingFull})
	if err != nil {
		panic(fmt.Sprintf("marks: a font of %d pixels: %v", px, err)) // px is at least 1
	}
	p := &pen{line: max(2, px/10), pad: image.Pt(max(2, px/5), max(2, px/6))}
	high := capHeight(face)
	for i := range p.digits {
		wide := font.MeasureString(face, strconv.Itoa(i)).Ceil()
		p.digits[i] = image.NewAlpha(image.Rect(0, 0, wide, high))
		d := font.Drawer{Dst: p.digits[i], Src: image.Opaque, Face: face,
			Dot: fixed.P(0, high)}
		d.DrawString(strconv.Itoa(i))
	}
	return p
}

// capHeight is how high digits are.
func capHeight(face font.Face) int {
	b, _ := font.BoundString(face, "0")
	return -b.Min.Y.Floor()
}

// size is that of the label of a number.
func (p *pen) size(number int) image.Point {
	at := p.pad.Mul(2)
	for _, c := range strconv.Itoa(number) {
		d := p.digits[c-'0'].Rect
		at.X, at.Y = at.X+d.Dx(), p.pad.Y*2+d.Dy()
	}
	return at
}

// label draws a number on its ground, with an edge that is seen on any picture.
func (p *pen) label(img *image.YCbCr, at image.Rectangle, number int, ground color.YCbCr) {
	fill(img, at, ground)
	outline(img, at, white, 1)
	dot := at.Min.Add(p.pad)
	for _, c := range strconv.Itoa(number) {
		mask := p.digits[c-'0']
		write(img, dot, mask)
		dot.X += mask.Rect.Dx()
	}
}

// write draws white through a mask.
func write(img *image.YCbCr, at image.Point, mask *image.Alpha) {
	for y := range mask.Rect.Dy() {
		for x := range mask.Rect.Dx() {
			a := int(mask.Pix[y*mask.Stride+x])
			if a == 0 {
				continue
			}
			i := img.YOffset(at.X+x, at.Y+y)
			img.Y[i] = uint8((int(img.Y[i])*(255-a) + 255*a) / 255)
			if a > 127 {
				tint(img, at.X+x, at.Y+y, white)
			}
		}
	}
}

// frame draws a line around r, with a light one in it and a dark one around it: one of them is seen
// on any ground.
func frame(img *image.YCbCr, r image.Rectangle, c color.YCbCr, line int) {
	outline(img, r.Inset(-1), black, 1)
	outline(img, r, c, line)
	outline(img, r.Inset(line), white, 1)
}

func outline(img *image.YCbCr, r image.Rectangle, c color.YCbCr, line int) {
	fill(img, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+line), c)
	fill(img, image.Rect(r.Min.X, r.Max.Y-line, r.Max.X, r.Max.Y), c)
	fill(img, image.Rect(r.Min.X, r.Min.Y, r.Min.X+line, r.Max.Y), c)
	fill(img, image.Rect(r.Max.X-line, r.Min.Y, r.Max.X, r.Max.Y), c)
}

func fill(img *image.YCbCr, r image.Rectangle, c color.YCbCr) {
	r = r.Intersect(img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.Y[img.YOffset(x, y)] = c.Y
			tint(img, x, y, c)
		}
	}
}

func tint(img *image.YCbCr, x, y int, c color.YCbCr) {
	i := img.COffset(x, y)
	img.Cb[i], img.Cr[i] = c.Cb, c.Cr
}

// copied is img as one that may be drawn on.
func copied(img *image.YCbCr) *image.YCbCr {
	out := *img
	out.Y, out.Cb, out.Cr = slices.Clone(img.Y), slices.Clone(img.Cb), slices.Clone(img.Cr)
	return &out
}

var (
	white = ink(0xff, 0xff, 0xff)
	black = ink(0, 0, 0)
)

func ink(r, g, b uint8) color.YCbCr {
	y, cb, cr := color.RGBToYCbCr(r, g, b)
	return color.YCbCr{Y: y, Cb: cb, Cr: cr}
}
