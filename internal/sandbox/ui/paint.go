package ui

import (
	"image"
	"image/color"
)

// Shape is what an [Op] draws.
type Shape uint8

// The shapes.
const (
	Fill    Shape = iota // a rectangle with rounded corners, perhaps a gradient
	Glyphs               // a line of text
	drawing              // an icon
	Photo                // an unscaled picture, with Box.Min as its top left corner
)

// Op is one thing to draw. Ops are plain values: two equal lists of ops are the same picture.
type Op struct {
	Shape     Shape
	Box, Clip image.Rectangle
	Color, To color.RGBA // To: the lower end of a gradient, when it is not zero
	Radius    int
	Text      string // glyphs, or the icon's name
	Size      int
	Bold      bool
	Picture   *image.RGBA // of a photo
}

// Moved is the op somewhere else, its clip with it.
func (o Op) Moved(by image.Point, within image.Rectangle) Op {
	o.Box = o.Box.Add(by)
	o.Clip = o.Clip.Add(by).Intersect(within)
	return o
}

// Faded is the op with its opacity scaled, 0 to 1.
func (o Op) Faded(by float64) Op {
	o.Color.A = uint8(float64(o.Color.A) * by)
	o.To.A = uint8(float64(o.To.A) * by)
	return o
}

type painter struct {
	theme *Theme
	caret bool
	ops   []Op
}

// Paint lists what draws the view. caret says whether the blinking cursor is shown now.
func Paint(v *Placed, theme *Theme, caret bool) []Op {
	p := &painter{theme: theme, caret: caret}
	p.view(v)
	return p.ops
}

func (p *painter) add(o Op) {
	if o.Color.A > 0 && !o.Clip.Empty() {
		p.ops = append(p.ops, o)
	}
}

func (p *painter) view(v *Placed) {
	if v.Bounds().Empty() {
		return
	}
	first := len(p.ops)
	p.surface(v)
	switch v.kind {
	case kindText:
		p.text(v)
	case kindField:
		p.field(v)
	case kindIcon:
		p.icon(v)
	case kindSwitch:
		p.toggle(v)
	case kindSlider:
		p.slider(v)
	}
	if v.off {
		for i := first; i < len(p.ops); i++ {
			p.ops[i] = p.ops[i].Faded(0.4)
		}
	}
	for _, k := range v.kids {
		p.view(k)
	}
	if v.kind == kindList {
		p.scrollbar(v)
	}
}

func (v *Placed) dp(n int) int { return int(float64(n)*v.unit + 0.5) }

func (p *painter) surface(v *Placed) {
	r := min(v.dp(v.radius), v.box.Dy()/2, v.box.Dx()/2)
	if v.fill == None {
		return
	}
	box := v.box
	if v.border != None {
		p.add(Op{Box: box, Clip: v.clip, Color: p.theme.color(v.border), Radius: r})
		w := max(v.dp(1), 1)
		box, r = box.Inset(w), max(r-w, 0)
	}
	o := Op{Box: box, Clip: v.clip, Color: p.theme.color(v.fill), Radius: r}
	if v.fade != None {
		o.To = p.theme.color(v.fade)
	}
	p.add(o)
}

// baseline is how far below a line's top its letters stand.
func baseline(px int) int { return lineHeight(px)/2 + px*36/100 }

func (v *Placed) inner() image.Rectangle {
	return image.Rect(v.box.Min.X+v.dp(v.pad[0]), v.box.Min.Y+v.dp(v.pad[1]),
		v.box.Max.X-v.dp(v.pad[2]), v.box.Max.Y-v.dp(v.pad[3]))
}

func (p *painter) text(v *Placed) {
	in := v.inner()
	height := len(v.rows) * lineHeight(v.px)
	y := in.Min.Y
	if v.centered || v.height > 0 {
		y += (in.Dy() - height) / 2
	}
	for _, row := range v.rows {
		x := in.Min.X
		if v.centered {
			x += (in.Dx() - Measure(row, v.px, v.bold)) / 2
		}
		p.line(v, row, image.Pt(x, y), p.theme.color(v.ink))
		y += lineHeight(v.px)
	}
}

func (p *painter) line(v *Placed, s string, at image.Point, c color.RGBA) {
	if s == "" || at.Y >= v.clip.Max.Y || at.Y+lineHeight(v.px) <= v.clip.Min.Y {
		return
	}
	w := Measure(s, v.px, v.bold)
	p.add(Op{
		Shape: Glyphs, Box: image.Rect(at.X, at.Y, at.X+w, at.Y+lineHeight(v.px)),
		Clip: v.clip, Color: c,
		Text: s, Size: v.px, Bold: v.bold,
	})
}

func (p *painter) icon(v *Placed) {
	in := v.inner()
	x, y := in.Min.X+(in.Dx()-v.px)/2, in.Min.Y+(in.Dy()-v.px)/2
	p.add(Op{Shape: drawing, Box: image.Rect(x, y, x+v.px, y+v.px), Clip: v.clip,
		Color: p.theme.color(v.ink), Text: v.icon})
}

func (p *painter) toggle(v *Placed) {
	track, thumb := Sunken, Dim
	pad := v.dp(7)
	if v.on {
		track, thumb = Accent, OnAccent
		pad = v.dp(4)
	}
	b := v.box
	p.add(Op{Box: b, Clip: v.clip, Color: p.theme.color(track), Radius: b.Dy() / 2})
	d := b.Dy() - 2*pad
	x := b.Min.X + pad
	if v.on {
		x = b.Max.X - pad - d
	}
	p.add(Op{Box: image.Rect(x, b.Min.Y+pad, x+d, b.Min.Y+pad+d), Clip: v.clip,
		Color: p.theme.color(thumb), Radius: d / 2})
}

// track is where a slider's thumb may be.
func (v *Placed) track() image.Rectangle {
	y, h := (v.box.Min.Y+v.box.Max.Y)/2, v.dp(3)
	return image.Rect(v.box.Min.X+v.dp(12), y-h, v.box.Max.X-v.dp(12), y+h)
}

func (p *painter) slider(v *Placed) {
	t := v.track()
	x := t.Min.X + t.Dx()*v.level/1000
	p.add(Op{Box: t, Clip: v.clip, Color: p.theme.color(Line), Radius: t.Dy() / 2})
	p.add(Op{Box: image.Rect(t.Min.X, t.Min.Y, x, t.Max.Y), Clip: v.clip,
		Color: p.theme.color(Accent), Radius: t.Dy() / 2})
	y, r := (t.Min.Y+t.Max.Y)/2, v.dp(11)
	p.add(Op{Box: image.Rect(x-r, y-r, x+r, y+r), Clip: v.clip, Color: p.theme.color(Accent),
		Radius: r})
}

func (p *painter) scrollbar(v *Placed) {
	in := v.inner()
	if v.extent <= in.Dy() || in.Dy() <= 0 {
		return
	}
	h := max(in.Dy()*in.Dy()/v.extent, v.dp(24))
	y := in.Min.Y + (in.Dy()-h)*v.scrolled/(v.extent-in.Dy())
	x, c := v.box.Max.X-v.dp(5), p.theme.color(Dim)
	c.A = 110
	p.add(Op{Box: image.Rect(x, y, x+v.dp(3), y+h), Clip: v.clip, Color: c, Radius: v.dp(1)})
}
