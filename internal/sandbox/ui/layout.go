package ui

import (
	"image"
	"math"
	"strings"
)

// Metrics are what dp and text sizes become pixels with.
type Metrics struct {
	Density   int     // dots per inch
	FontScale float64 // 0 means 1
}

// Px is n dp in pixels.
func (m Metrics) Px(n int) int { return int(math.Round(float64(n) * m.unit())) }

func (m Metrics) unit() float64 { return float64(m.Density) / 160 }

func (m Metrics) font(n int) int {
	scale := m.FontScale
	if scale <= 0 {
		scale = 1
	}
	return max(int(math.Round(float64(n)*m.unit()*scale)), 1)
}

type layouter struct {
	Metrics
	mem *Memory
}

// Layout gives the view and all below it their places in r. Scroll positions come from mem and are
// held inside the content there.
func Layout(v *View, r image.Rectangle, m Metrics, mem *Memory) *Placed {
	l := &layouter{m, mem}
	p := l.place(v, r, r)
	mem.Reveal = false
	return p
}

// measure is the size that v wants when it may be avail wide.
func (l *layouter) measure(v *View, avail int) (w, h int) {
	if v.width > 0 {
		avail = min(avail, l.Px(v.width))
	}
	padX, padY := l.Px(v.pad[0])+l.Px(v.pad[2]), l.Px(v.pad[1])+l.Px(v.pad[3])
	inner := max(avail-padX, 0)
	switch v.kind {
	case kindText, kindField:
		w, h = l.measureText(v, inner)
	case kindIcon:
		w = l.Px(v.size)
		h = w
	case kindSlider:
		w = inner
	case kindRow:
		w, h = l.measureRow(v, inner)
	case kindStack:
		for _, k := range v.kids {
			kw, kh := l.measure(k, inner)
			w, h = max(w, kw), max(h, kh)
		}
	case kindColumn, kindList:
		w, h = l.measureColumn(v, inner)
	}
	w, h = w+padX, h+padY
	if v.width > 0 {
		w = l.Px(v.width)
	}
	if v.height > 0 {
		h = l.Px(v.height)
	}
	return w, h
}

func (l *layouter) measureText(v *View, inner int) (w, h int) {
	rows, px := l.rows(v, inner)
	for _, row := range rows {
		w = max(w, Measure(row, px, v.bold))
	}
	if v.field != nil {
		w = inner
	}
	return min(w, inner), len(rows) * lineHeight(px)
}

// rows are the lines of a text, and how high its letters are.
func (l *layouter) rows(v *View, inner int) (rows []string, px int) {
	px = l.font(v.size)
	if v.field != nil && !v.field.Multi {
		return []string{strings.ReplaceAll(v.shown(), "\n", " ")}, px
	}
	return wrap(v.shown(), px, v.bold, inner, v.lines), px
}

func (l *layouter) measureColumn(v *View, inner int) (w, h int) {
	for i, k := range v.kids {
		kw, kh := l.measure(k, inner)
		w, h = max(w, kw), h+kh
		if i > 0 {
			h += l.Px(v.gap)
		}
	}
	return w, h
}

func (l *layouter) measureRow(v *View, inner int) (w, h int) {
	for i, kw := range l.widths(v, inner) {
		_, kh := l.measure(v.kids[i], kw)
		w, h = w+kw, max(h, kh)
	}
	return w + l.Px(v.gap)*max(len(v.kids)-1, 0), h
}

// widths shares a row's width: first views with a fixed size, then views that grow.
func (l *layouter) widths(v *View, inner int) []int {
	out := make([]int, len(v.kids))
	left, grow := inner-l.Px(v.gap)*max(len(v.kids)-1, 0), 0
	for i, k := range v.kids {
		grow += k.grow
		if k.grow == 0 {
			out[i], _ = l.measure(k, max(left, 0))
			left -= out[i]
		}
	}
	share(out, v.kids, max(left, 0), grow)
	return out
}

func share(out []int, kids []*View, left, grow int) {
	for i, k := range kids {
		if k.grow > 0 {
			out[i] = left * k.grow / grow
			left -= out[i]
			grow -= k.grow
		}
	}
}

func (l *layouter) place(v *View, r, clip image.Rectangle) *Placed {
	p := &Placed{spec: &v.spec, box: r, clip: clip, unit: l.unit(), mem: l.mem}
	inner := image.Rect(r.Min.X+l.Px(v.pad[0]), r.Min.Y+l.Px(v.pad[1]), r.Max.X-l.Px(v.pad[2]),
		r.Max.Y-l.Px(v.pad[3])-v.below)
	clip = clip.Intersect(r) // a group shows and takes touches for nothing beyond it
	switch v.kind {
	case kindText, kindField:
		p.rows, p.px = l.rows(v, max(inner.Dx(), 0))
	case kindIcon:
		p.px = l.Px(v.size)
	case kindStack:
		for _, k := range v.kids {
			p.kids = append(p.kids, l.place(k, l.within(k, inner), clip))
		}
	case kindRow:
		p.kids = l.placeRow(v, inner, clip)
	case kindColumn:
		p.kids = l.placeColumn(v, inner, clip, inner.Dy())
	case kindList:
		l.placeList(v, p, inner, clip)
	}
	if v.field != nil {
		v.field.mem = l.mem
	}
	return p
}

// within is the place of a stack's view.
func (l *layouter) within(k *View, r image.Rectangle) image.Rectangle {
	if k.align == Auto && k.valign == Auto && k.width == 0 && k.height == 0 {
		return r
	}
	w, h := l.measure(k, r.Dx())
	x0, x1 := span(k.align, r.Min.X, r.Max.X, w)
	y0, y1 := span(k.valign, r.Min.Y, r.Max.Y, h)
	return image.Rect(x0, y0, x1, y1)
}

func span(a Align, from, to, size int) (start, end int) {
	switch a {
	case Start:
		return from, from + size
	case End:
		return to - size, to
	case Center:
		from += (to - from - size) / 2
		return from, from + size
	}
	return from, to
}

func (l *layouter) placeRow(v *View, r, clip image.Rectangle) (placed []*Placed) {
	x := r.Min.X
	for i, w := range l.widths(v, r.Dx()) {
		k := v.kids[i]
		a := k.align
		if a == Auto {
			a = Center
		}
		_, h := l.measure(k, w)
		top, bottom := span(a, r.Min.Y, r.Max.Y, h)
		placed = append(placed, l.place(k, image.Rect(x, top, x+w, bottom), clip))
		x += w + l.Px(v.gap)
	}
	return placed
}

// placeColumn places the views below each other. Views that grow share the remaining height.
func (l *layouter) placeColumn(
	v *View, r, clip image.Rectangle, height int,
) (placed []*Placed) {
	heights, grow := make([]int, len(v.kids)), 0
	left := height - l.Px(v.gap)*max(len(v.kids)-1, 0)
	for i, k := range v.kids {
		grow += k.grow
		if k.grow == 0 {
			_, heights[i] = l.measure(k, r.Dx())
			left -= heights[i]
		}
	}
	share(heights, v.kids, max(left, 0), grow)
	y := r.Min.Y
	for i, k := range v.kids {
		x0, x1 := l.across(k, r)
		placed = append(placed, l.place(k, image.Rect(x0, y, x1, y+heights[i]), clip))
		y += heights[i] + l.Px(v.gap)
	}
	return placed
}

func (l *layouter) across(k *View, r image.Rectangle) (x0, x1 int) {
	a := k.align
	if a == Auto && k.width > 0 {
		a = Start
	}
	if a == Auto {
		return r.Min.X, r.Max.X
	}
	w, _ := l.measure(k, r.Dx())
	return span(a, r.Min.X, r.Max.X, w)
}

func (l *layouter) placeList(v *View, p *Placed, r, clip image.Rectangle) {
	_, p.extent = l.measureColumn(v, r.Dx())
	most := max(p.extent-r.Dy(), 0)
	at := min(max(l.mem.Scroll[v.name], 0), most)
	p.kids = l.placeColumn(v, r.Sub(image.Pt(0, at)), clip, 0)
	if l.mem.Reveal {
		if f := p.Find((*Placed).Focused); f != nil {
			at = min(max(reveal(at, f.box, r), 0), most)
			p.kids = l.placeColumn(v, r.Sub(image.Pt(0, at)), clip, 0)
		}
	}
	if l.mem.Scroll == nil {
		l.mem.Scroll = map[string]int{}
	}
	p.scrolled, l.mem.Scroll[v.name] = at, at
	if v.tail && at == most {
		l.mem.Scroll[v.name] = Bottom
	}
}

// reveal is the scroll position at which box, placed at position at, is inside r.
func reveal(at int, box, r image.Rectangle) int {
	switch {
	case box.Max.Y > r.Max.Y:
		return at + box.Max.Y - r.Max.Y
	case box.Min.Y < r.Min.Y:
		return at - (r.Min.Y - box.Min.Y)
	}
	return at
}
