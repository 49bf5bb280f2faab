// Package marks draws numbers on the elements of a screen, so that a model that cannot point can
// name one of them.
package marks

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// most is how many elements are numbered. Further ones are left out.
const most = 120

// Mark is an element with its number.
type Mark struct {
	Number  int // from 1
	Element screen.Element
	// what it or the elements in it say, or what its resource id calls it, on one line and not
	// quoted
	Label string

	at    screen.Point
	place image.Rectangle // of its label
}

// At is where a touch presses the element, and nothing else that takes touches: its middle, or
// near to it.
func (m Mark) At() screen.Point { return m.at }

// Find is the mark of that number.
func Find(list []Mark, number int) (Mark, bool) {
	if number < 1 || number > len(list) {
		return Mark{}, false
	}
	return list[number-1], true
}

// List numbers the elements of a screen that take touches, in their order, or those with a text
// if there are none. Of elements at the same place only the outermost is numbered, and none that is
// covered by others. An element whose label does not fit on a picture of that size is not numbered.
func List(elements []screen.Element, size screen.Size) []Mark {
	list := numbered(elements, (*screen.Element).Touchable)
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
		if len(list) == most || there[e.Bounds] || !e.Bounds.Valid() || !wanted(e) {
			continue
		}
		if at, free := aim(elements, i); free {
			there[e.Bounds] = true
			list = append(list, Mark{Element: *e, Label: label(elements, i), at: at})
		}
	}
	return list
}

// aims are the places in an element where it may be touched, in shares of its sides, the middle
// first.
var aims = func() (list []screen.Point) {
	const n = 8
	for y := 1; y < n; y++ {
		for x := 1; x < n; x++ {
			list = append(list, screen.Point{X: float64(x) / n, Y: float64(y) / n})
		}
	}
	off := func(p screen.Point) float64 { return math.Hypot(p.X-0.5, p.Y-0.5) }
	slices.SortStableFunc(list, func(a, b screen.Point) int { return cmp.Compare(off(a), off(b)) })
	return list
}()

// aim returns the place nearest to the middle of the element i at which nothing else takes the
// touch: an element in it, or one that is drawn over it.
func aim(elements []screen.Element, i int) (at screen.Point, free bool) {
	r := elements[i].Bounds
	var over []screen.Rect
	for j := i + 1; j < len(elements); j++ {
		if e := &elements[j]; e.Touchable() && e.Bounds != r {
			over = append(over, e.Bounds)
		}
	}
	for _, share := range aims {
		at = screen.Point{X: r.Min.X + share.X*(r.Max.X-r.Min.X),
			Y: r.Min.Y + share.Y*(r.Max.Y-r.Min.Y)}
		if !slices.ContainsFunc(over, func(o screen.Rect) bool { return o.Contains(at) }) {
			return at, true
		}
	}
	return at, false
}

// label is what the element says, else what is said in it by elements that have no number, a few
// of them, else its name.
func label(elements []screen.Element, i int) string {
	e := &elements[i]
	if own := says(e); own != "" || e.Password {
		return cmp.Or(own, e.Name())
	}
	var said []string
	for j := i + 1; j < len(elements) && elements[j].Depth > e.Depth && len(said) < 4; j++ {
		in := &elements[j]
		if in.Touchable() && in.Bounds != e.Bounds { // it and what lies in it have their own
			for j+1 < len(elements) && elements[j+1].Depth > in.Depth {
				j++
			}
			continue
		}
		if s := says(in); s != "" && !slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	return cmp.Or(strings.Join(said, ", "), e.Name())
}

func says(e *screen.Element) string {
	return cmp.Or(text.Line(e.Text), text.Line(e.ContentDesc), text.Line(e.Hint))
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
