// Package marks draws numbers on the elements of a screen, so that a model that cannot point can
// name one of them.
package marks

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// Most is how many elements are numbered. Further ones are left out.
const Most = 120

// Mark is an element with its number.
type Mark struct {
	Number  int // from 1
	Element screen.Element
	// the text of it or of the elements in it, on one line and not quoted
	Label string

	place image.Rectangle // of its label
}

// At is where a touch of the element goes.
func (m Mark) At() screen.Point { return m.Element.Bounds.Center() }

// Find is the mark of that number.
func Find(list []Mark, number int) (Mark, bool) {
	if number < 1 || number > len(list) {
		return Mark{}, false
	}
	return list[number-1], true
}

// List numbers the elements of a screen that can be touched, in their order, or those with a text
// if there are none. Of elements at the same place only the outermost is numbered. An element whose
// label does not fit on a picture of that size is not numbered.
func List(elements []screen.Element, size screen.Size) []Mark {
	list := numbered(elements, func(e *screen.Element) bool { return e.Actionable() })
	if len(list) == 0 {
		list = numbered(elements, func(*screen.Element) bool { return true })
	}
	return arrange(list, size)
}

func numbered(elements []screen.Element, wanted func(*screen.Element) bool) []Mark {
	var list []Mark
	there := map[screen.Rect]bool{}
	for i := range elements {
		e := &elements[i]
		if len(list) == Most || there[e.Bounds] || !e.Bounds.Valid() || !wanted(e) {
			continue
		}
		there[e.Bounds] = true
		list = append(list, Mark{Element: *e, Label: label(elements, i)})
	}
	return list
}

// label is what the element says, else what says something of the elements in it, a few of them. A
// list that scrolls is not what its rows say.
func label(elements []screen.Element, i int) string {
	e := &elements[i]
	own := cmp.Or(text.Line(e.Text), text.Line(e.ContentDesc))
	if own != "" || e.Password || e.Scrollable && !e.Clickable {
		return own
	}
	var said []string
	for j := i + 1; j < len(elements) && elements[j].Depth > e.Depth && len(said) < 4; j++ {
		in := &elements[j]
		if s := cmp.Or(text.Line(in.Text), text.Line(in.ContentDesc)); s != "" &&
			!slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	return strings.Join(said, ", ")
}

// Draw shows a list's numbers on the picture that it is for: each element has a frame and a label
// of one colour. Labels are on the picture, and no two overlap. p does not change.
func Draw(p *screen.Picture, list []Mark) *screen.Picture {
	if len(list) == 0 {
		return p
	}
	size := p.Size()
	pen := newPen(size)
	out := copied(p.Image())
	for i, m := range list { // labels are in front of all frames
		frame(out, m.Element.Bounds.Pixels(size), inks[i%len(inks)], pen.line)
	}
	for i, m := range list {
		pen.label(out, m.place, m.Number, inks[i%len(inks)])
	}
	return screen.NewPicture(out)
}

// Touch shows where a picture is touched: a frame around each place. p does not change.
func Touch(p *screen.Picture, places []screen.Point) *screen.Picture {
	if len(places) == 0 {
		return p
	}
	size := p.Size()
	line := max(3, max(size.W, size.H)/200)
	around := image.Rect(-5*line, -5*line, 5*line, 5*line)
	out := copied(p.Image())
	for _, at := range places {
		frame(out, around.Add(at.Pixel(size)), inks[0], line)
	}
	return screen.NewPicture(out)
}

// inks are the colours of labels, dark enough for white digits on them.
var inks = []color.YCbCr{ink(0xc0, 0x00, 0x20), ink(0x00, 0x50, 0xc0), ink(0x00, 0x6a, 0x2c),
	ink(0x8a, 0x00, 0x9a), ink(0x9a, 0x48, 0x00), ink(0x00, 0x62, 0x78)}

var (
	white = ink(0xff, 0xff, 0xff)
	black = ink(0, 0, 0)
)

func ink(r, g, b uint8) color.YCbCr {
	y, cb, cr := color.RGBToYCbCr(r, g, b)
	return color.YCbCr{Y: y, Cb: cb, Cr: cr}
}

// arrange finds a place for each label: at the corners of its element, around it, then as near as
// there is room. Then it gives the numbers.
func arrange(list []Mark, size screen.Size) []Mark {
	var kept []Mark
	pen, all := newPen(size), image.Rect(0, 0, size.W, size.H)
	free := func(r image.Rectangle) bool {
		return r.In(all) && !slices.ContainsFunc(kept, func(m Mark) bool {
			return r.Overlaps(m.place.Inset(-1))
		})
	}
	for _, m := range list {
		m.Number = len(kept) + 1
		at, ok := place(m.Element.Bounds.Pixels(size), pen.size(m.Number), all, free)
		if ok {
			m.place = at
			kept = append(kept, m)
		}
	}
	return kept
}

// place is where a label of such sides goes. A small element is not covered by its own label while
// there is room around it.
func place(box image.Rectangle, label image.Point, all image.Rectangle,
	free func(image.Rectangle) bool) (image.Rectangle, bool) {
	w, h := label.X, label.Y
	left, right := box.Min.X, box.Max.X-w
	top, bottom := box.Min.Y, box.Max.Y-h
	inside := []image.Point{{left, top}, {right, top}, {left, bottom}, {right, bottom}}
	around := []image.Point{{left - w, top}, {box.Max.X, top}, {left - w, bottom},
		{box.Max.X, bottom}, {left, top - h}, {right, top - h}, {left, box.Max.Y},
		{right, box.Max.Y}}
	tries := append(inside, around...)
	if box.Dx()*box.Dy() < 12*w*h {
		tries = append(around, inside...)
	}
	for _, at := range tries {
		if r := (image.Rectangle{Max: label}).Add(at); free(r) {
			return r, true
		}
	}
	return nearest(box.Min, label, all, free)
}

// nearest looks for room in rings around a point, half a label apart.
func nearest(from, label image.Point, all image.Rectangle,
	free func(image.Rectangle) bool) (image.Rectangle, bool) {
	dx, dy := max(label.X/2, 1), max(label.Y/2, 1)
	rings := max(all.Dx()/dx, all.Dy()/dy) + 1
	for ring := 1; ring <= rings; ring++ {
		for i := -ring; i <= ring; i++ {
			for _, at := range [4]image.Point{{i, -ring}, {i, ring}, {-ring, i}, {ring, i}} {
				r := (image.Rectangle{Max: label}).Add(from.Add(image.Pt(at.X*dx, at.Y*dy)))
				if free(r) {
					return r, true
				}
			}
		}
	}
	return image.Rectangle{}, false
}
