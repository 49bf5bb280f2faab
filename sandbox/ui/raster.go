package ui

import (
	"image"
	"image/color"
	"math"
	"sync"

	"golang.org/x/image/draw"
)

// Draw carries the ops out on dst, which keeps fully opaque. The glyph cache behind it is shared
// and safe.
func Draw(dst *image.RGBA, ops []Op) {
	for i := range ops {
		o := &ops[i]
		clip := o.Clip.Intersect(dst.Rect)
		switch o.Shape {
		case Fill:
			drawRound(dst, o, clip)
		case Shadow:
			drawShadow(dst, o, clip)
		case Glyphs:
			drawText(dst, o, clip)
		case Drawing:
			m := iconMask(o.Text, o.Box.Dx())
			blendMask(dst, m, o.Box.Min, clip, o.Color)
		}
	}
}

func drawText(dst *image.RGBA, o *Op, clip image.Rectangle) {
	withGlyphs(o.Size, o.Bold, func(get func(rune) *glyph) {
		pen := o.Box.Min
		for _, r := range o.Text {
			g := get(r)
			if g.mask != nil {
				blendMask(dst, g.mask, pen.Add(g.at), clip, o.Color)
			}
			pen.X += g.advance
		}
	})
}

func drawShadow(dst *image.RGBA, o *Op, clip image.Rectangle) {
	layer := *o
	layer.Shape, layer.Color.A = Fill, o.Color.A/4
	for i := range 4 {
		grow := o.Size * (3 - i) / 4
		layer.Box = o.Box.Inset(-grow).Add(image.Pt(0, o.Size/3))
		layer.Radius = o.Radius + grow
		drawRound(dst, &layer, clip)
	}
}

// drawRound fills a rectangle; its corners are rounded with smooth edges.
func drawRound(dst *image.RGBA, o *Op, clip image.Rectangle) {
	r := min(o.Radius, o.Box.Dx()/2, o.Box.Dy()/2)
	area := o.Box.Intersect(clip)
	var corner []uint8
	if r > 0 {
		corner = cornerMask(r)
	}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		c := o.rowColor(y)
		inset := min(y-o.Box.Min.Y, o.Box.Max.Y-1-y)
		if r <= 0 || inset >= r {
			fillRow(dst, y, area.Min.X, area.Max.X, c)
			continue
		}
		edge := corner[inset*r : inset*r+r]
		left, right := o.Box.Min.X+r, o.Box.Max.X-r
		fillRow(dst, y, max(left, area.Min.X), min(right, area.Max.X), c)
		for i, a := range edge {
			if x := o.Box.Min.X + i; x >= area.Min.X && x < area.Max.X {
				blend(dst, x, y, c, a)
			}
			if x := o.Box.Max.X - 1 - i; x >= area.Min.X && x < area.Max.X {
				blend(dst, x, y, c, a)
			}
		}
	}
}

func (o *Op) rowColor(y int) color.RGBA {
	if o.To == (color.RGBA{}) {
		return o.Color
	}
	n, i := max(o.Box.Dy()-1, 1), y-o.Box.Min.Y
	mix := func(a, b uint8) uint8 { return uint8((int(a)*(n-i) + int(b)*i) / n) }
	return color.RGBA{mix(o.Color.R, o.To.R), mix(o.Color.G, o.To.G), mix(o.Color.B, o.To.B),
		mix(o.Color.A, o.To.A)}
}

var corners sync.Map // int -> []uint8

// cornerMask is the coverage of the top left corner of radius r, row by row.
func cornerMask(r int) []uint8 {
	if m, ok := corners.Load(r); ok {
		return m.([]uint8)
	}
	m := make([]uint8, r*r)
	for y := range r {
		for x := range r {
			dx, dy := float64(r)-float64(x)-0.5, float64(r)-float64(y)-0.5
			m[y*r+x] = uint8(255 * min(max(float64(r)-math.Hypot(dx, dy)+0.5, 0), 1))
		}
	}
	corners.Store(r, m)
	return m
}

func fillRow(dst *image.RGBA, y, x0, x1 int, c color.RGBA) {
	if x0 >= x1 {
		return
	}
	row := dst.Pix[dst.PixOffset(x0, y) : dst.PixOffset(x1-1, y)+4]
	if c.A != 255 {
		for i := 0; i < len(row); i += 4 {
			mix(row[i:i+4:i+4], c, uint32(c.A))
		}
		return
	}
	row[0], row[1], row[2], row[3] = c.R, c.G, c.B, 255
	for n := 4; n < len(row); n *= 2 {
		copy(row[n:], row[:n])
	}
}

func blend(dst *image.RGBA, x, y int, c color.RGBA, cover uint8) {
	i := dst.PixOffset(x, y)
	mix(dst.Pix[i:i+4:i+4], c, uint32(c.A)*uint32(cover)/255)
}

// mix puts c over an opaque pixel with opacity a, 0 to 255.
func mix(px []uint8, c color.RGBA, a uint32) {
	b := 255 - a
	px[0] = uint8((uint32(c.R)*a + uint32(px[0])*b + 127) / 255)
	px[1] = uint8((uint32(c.G)*a + uint32(px[1])*b + 127) / 255)
	px[2] = uint8((uint32(c.B)*a + uint32(px[2])*b + 127) / 255)
	px[3] = 255
}

// blendMask draws c through m, whose top left corner is at.
func blendMask(
	dst *image.RGBA, m *image.Alpha, at image.Point, clip image.Rectangle, c color.RGBA,
) {
	area := m.Rect.Add(at).Intersect(clip)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		src := m.Pix[m.PixOffset(area.Min.X-at.X, y-at.Y):]
		i := dst.PixOffset(area.Min.X, y)
		for x := range area.Dx() {
			if a := src[x]; a != 0 {
				mix(dst.Pix[i:i+4:i+4], c, uint32(c.A)*uint32(a)/255)
			}
			i += 4
		}
	}
}

// Opaque is plain black.
var Opaque = color.RGBA{A: 255}

// Scale is the picture at another size.
func Scale(img *image.RGBA, size image.Point) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: size})
	draw.ApproxBiLinear.Scale(out, out.Rect, img, img.Rect, draw.Src, nil)
	return out
}
