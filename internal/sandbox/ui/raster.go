package ui

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"sync"

	"github.com/disintegration/imaging"
)

// Draw carries the ops out on dst, which keeps fully opaque. The glyph cache behind it is shared
// and safe.
func Draw(dst *image.RGBA, ops []Op) {
	for _, o := range ops {
		part := dst.SubImage(o.Clip).(*image.RGBA)
		switch o.Shape {
		case Fill:
			o.fill(part)
		case Glyphs:
			o.glyphs(part)
		case drawing:
			o.mask(part, iconMask(o.Text, o.Box.Dx()), o.Box.Min)
		case Photo:
			draw.Draw(part, o.Box, o.Picture, o.Picture.Rect.Min, draw.Src)
		}
	}
}

// ink is an op's colour as a picture.
func (o *Op) ink() image.Image { return image.NewUniform(color.NRGBA(o.Color)) }

// mask draws the op's colour through m, whose top left corner is at.
func (o *Op) mask(dst *image.RGBA, m *image.Alpha, at image.Point) {
	draw.DrawMask(dst, m.Rect.Add(at), o.ink(), image.Point{}, m, m.Rect.Min, draw.Over)
}

func (o *Op) glyphs(dst *image.RGBA) {
	withGlyphs(o.Size, o.Bold, func(get func(rune) *glyph) {
		pen := o.Box.Min.Add(image.Pt(0, baseline(o.Size)))
		for _, r := range o.Text {
			g := get(r)
			if g.mask != nil {
				o.mask(dst, g.mask, pen.Add(g.at))
			}
			pen.X += g.advance
		}
	})
}

// fill fills a rectangle: with a gradient, or with corners that are rounded with smooth edges.
func (o *Op) fill(dst *image.RGBA) {
	if o.To != (color.RGBA{}) {
		o.gradient(dst)
		return
	}
	r, b := min(o.Radius, o.Box.Dx()/2, o.Box.Dy()/2), o.Box
	ink := o.ink()
	plain := func(x0, y0, x1, y1 int) {
		draw.Draw(dst, image.Rect(x0, y0, x1, y1), ink, image.Point{}, draw.Over)
	}
	plain(b.Min.X, b.Min.Y+r, b.Max.X, b.Max.Y-r)
	if r <= 0 {
		return
	}
	plain(b.Min.X+r, b.Min.Y, b.Max.X-r, b.Min.Y+r)
	plain(b.Min.X+r, b.Max.Y-r, b.Max.X-r, b.Max.Y)
	disc := discMask(r)
	for _, right := range []int{0, 1} {
		for _, low := range []int{0, 1} {
			at := image.Pt(b.Min.X+right*(b.Dx()-r), b.Min.Y+low*(b.Dy()-r))
			corner, quarter := image.Rectangle{at, at.Add(image.Pt(r, r))}, image.Pt(right*r, low*r)
			draw.DrawMask(dst, corner, ink, image.Point{}, disc, quarter, draw.Over)
		}
	}
}

func (o *Op) gradient(dst *image.RGBA) {
	n := max(o.Box.Dy()-1, 1)
	for i := range o.Box.Dy() {
		mix := func(a, b uint8) uint8 { return uint8((int(a)*(n-i) + int(b)*i) / n) }
		row := Op{Color: color.RGBA{mix(o.Color.R, o.To.R), mix(o.Color.G, o.To.G),
			mix(o.Color.B, o.To.B), mix(o.Color.A, o.To.A)}}
		y := o.Box.Min.Y + i
		row.Box = image.Rect(o.Box.Min.X, y, o.Box.Max.X, y+1)
		row.fill(dst)
	}
}

var discs sync.Map // int -> *image.Alpha

// discMask is the coverage of a disc of radius r.
func discMask(r int) *image.Alpha {
	if m, ok := discs.Load(r); ok {
		return m.(*image.Alpha)
	}
	m := image.NewAlpha(image.Rect(0, 0, 2*r, 2*r))
	for i := range m.Pix {
		x, y := float64(i%m.Stride)+0.5, float64(i/m.Stride)+0.5
		away := math.Hypot(x-float64(r), y-float64(r))
		m.Pix[i] = uint8(255 * min(max(float64(r)-away+0.5, 0), 1))
	}
	discs.Store(r, m)
	return m
}

// Opaque is plain black.
var Opaque = color.RGBA{A: 255}

// Scale is the opaque picture at another size.
func Scale(img *image.RGBA, size image.Point) *image.RGBA {
	out := imaging.Resize(img, size.X, size.Y, imaging.Linear)
	return (*image.RGBA)(out) // as opaque pixels are the same in both
}
