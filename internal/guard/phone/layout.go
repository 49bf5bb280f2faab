package phone

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/screen"
)

// page is a list of elements, and what the arrangement of all of them says.
type page struct {
	list   []screen.Element
	inside []int // the nearest element around each that takes touches and is no page, or -1
	dialog bool  // it is one
	// how many of its elements take touches
	touchable int
	title     string
	words     []string // of what lies in nothing that takes touches
	fields    []int
	digits    []int // the keys of its pad, each of which enters a digit
	primaries []int // the buttons by which it continues
	tabs      bool  // it has tabs at its bottom, of which one is chosen
}

func newPage(list []screen.Element) *page {
	p := &page{list: list, inside: make([]int, len(list))}
	var open []int
	for i := range list {
		e := &list[i]
		for len(open) > 0 && list[open[len(open)-1]].Depth >= e.Depth {
			open = open[:len(open)-1]
		}
		p.inside[i] = -1
		if len(open) > 0 {
			p.inside[i] = open[len(open)-1]
		}
		if e.Touchable() && e.Bounds.Area() < large {
			p.touchable++
			open = append(open, i)
		}
		p.note(i)
		p.dialog = p.dialog || dialogPart(e.ResourceID)
	}
	p.digits = screen.Digits(list)
	edges := p.edges()
	p.dialog = p.dialog || len(p.words) > 0 && edges.Min.X > 0.02 && edges.Max.X < 0.98 &&
		edges.Min.Y > 0.1 && edges.Max.Y < 0.93
	for i := range list {
		p.tabs = p.tabs || p.tab(i) && p.chosen(i) && p.peers(i) > 2
	}
	for i := range list {
		if p.primary(i) {
			p.primaries = append(p.primaries, i)
		}
	}
	return p
}

// edges are those of all that is listed, or, in front of what closes a dialog by a touch beside it,
// those of what says something or takes touches.
func (p *page) edges() screen.Rect {
	r := screen.Rect{Min: screen.Point{X: 1, Y: 1}}
	closer := -1
	for i, e := range p.list {
		if e.Touchable() && e.Bounds.Area() >= whole && screen.End(p.list, i) == i+1 {
			closer = i
		}
	}
	for i, e := range p.list {
		if closer < 0 || i != closer && (e.Touchable() || said(&e) != "") {
			r.Min.X, r.Min.Y = min(r.Min.X, e.Bounds.Min.X), min(r.Min.Y, e.Bounds.Min.Y)
			r.Max.X, r.Max.Y = max(r.Max.X, e.Bounds.Max.X), max(r.Max.Y, e.Bounds.Max.Y)
		}
	}
	return r
}

// note keeps what the element i says for the whole page.
func (p *page) note(i int) {
	e := &p.list[i]
	if e.Editable {
		p.fields = append(p.fields, i)
		return
	}
	if p.inside[i] >= 0 || e.Touchable() && e.Bounds.Area() < large {
		return
	}
	for _, t := range []string{e.Text, e.ContentDesc} {
		if t != "" && len(p.words) < maxElements {
			p.words = append(p.words, t)
		}
	}
	if t := said(e); t != "" && (p.title == "" || strings.Contains(e.ResourceID, "itle")) &&
		(p.title == "" || e.Bounds.Min.Y < 0.3) {
		p.title = t
	}
}

func said(e *screen.Element) string { return strings.TrimSpace(cmp.Or(e.Text, e.ContentDesc)) }

// dialogPart reports whether an id is one that Android's dialogs, or those of Material, have.
func dialogPart(id string) bool {
	name := id[strings.LastIndexByte(id, '/')+1:]
	return strings.HasPrefix(id, "android:id/button") && len(name) == len("button1") ||
		slices.Contains([]string{"alertTitle", "parentPanel", "buttonPanel"}, name)
}

// layout is what the arrangement says of the element i.
func (p *page) layout(i int) *guard.Layout {
	l := &guard.Layout{Dialog: p.dialog, Title: p.title, Words: p.words,
		Touchable: p.touchable}
	for _, f := range p.fields {
		e := &p.list[f]
		for _, n := range []string{e.Hint, e.ContentDesc, e.Text, e.Name()} {
			if n != "" {
				l.Fields = append(l.Fields, n)
			}
			if n != "" && f == i {
				l.Names = append(l.Names, n)
			}
		}
	}
	if i < 0 {
		return l
	}
	e := &p.list[i]
	if e.Editable {
		l.Enter = p.enter(i)
		return l
	}
	l.Button = p.button(i)
	l.Switch = strings.Contains(said(e), ", Switch")
	for _, in := range p.list[i:screen.End(p.list, i)] {
		l.Switch = l.Switch || in.Checkable
		l.Ticks = l.Ticks || strings.HasSuffix(in.Class, "CheckBox") ||
			strings.HasSuffix(in.Class, "RadioButton")
	}
	l.Primary, l.Alone = slices.Contains(p.primaries, i), p.dialog && p.touchable == 1
	for _, j := range p.primaries {
		if !l.Primary {
			l.Beside = append(l.Beside, p.says(j))
		}
	}
	l.Pair = p.pair(i)
	l.Ends, l.Bar = p.ends(i), e.Bounds.Max.Y < 0.12
	l.Pad, l.Digit = p.padKey(i), p.enters(i)
	alike := p.peers(i)
	l.Peer = alike > 2
	l.Tab, l.Tabs = l.Peer && p.tab(i) && (len(p.fields) == 0 || p.chosen(i)), p.tabs
	l.Last = p.lowest(i) && !(l.Tab && (p.tabs || alike > 3))
	l.Nested = p.inside[i] >= 0
	l.Back = e.Text == "" && e.Bounds.Min.X < 0.03 && e.Bounds.Max.X < 0.17 && e.Bounds.Max.Y < 0.13
	l.Sends, l.Repeated = p.sends(i), p.repeated(i)
	l.Panel, l.Holds = p.panel(i), e.LongClickable && e.Clickable
	l.Clears = slices.ContainsFunc(p.fields, func(f int) bool {
		return follows(p.list[f].Bounds, e.Bounds)
	})
	return l
}

// panel reports whether several others that take touches and say something lie in the element i.
func (p *page) panel(i int) bool {
	n := 0
	for j := i + 1; j < screen.End(p.list, i); j++ {
		if p.list[j].Touchable() && p.says(j) != "" {
			n++
		}
	}
	return n > 1
}

// button reports whether the class of the element i is one of buttons with words. With several
// texts in it, it is a row or a card, as some frameworks call all that takes touches a button.
func (p *page) button(i int) bool {
	e := &p.list[i]
	if !e.Touchable() || !strings.HasSuffix(e.Class, "Button") || e.Checkable ||
		strings.HasSuffix(e.Class, "ImageButton") {
		return false
	}
	texts := map[string]bool{}
	for _, in := range p.list[i+1 : screen.End(p.list, i)] {
		if in.Text != "" {
			texts[in.Text] = true
		}
	}
	return len(texts) < 2
}

// primary reports whether the page or dialog continues by the element i: it is Android's button for
// that, the last button of a dialog, or a broad one low on the page.
func (p *page) primary(i int) bool {
	e := &p.list[i]
	r := e.Bounds
	switch {
	case !e.Touchable() || e.Checkable || r.Area() >= large:
		return false
	case e.ResourceID == "android:id/button1":
		return true
	case p.dialog:
		return p.last(i) && p.button(i) && !slices.ContainsFunc(p.fields, func(f int) bool {
			return p.list[f].Bounds.Min.Y > r.Min.Y // more is to be filled in
		})
	}
	wide, low := r.Max.X-r.Min.X > 0.55 && r.Max.Y-r.Min.Y < 0.12, r.Min.Y > 0.55
	if !p.button(i) {
		return r.Min.Y > 0.7 && r.Min.X > 0.02 && p.lowest(i) &&
			(wide && alike(r.Min.X, 1-r.Max.X) || r.Max.X-r.Min.X > 0.3 && p.besideSum(r))
	}
	return wide && low || r.Max.X-r.Min.X > 0.3 && r.Min.Y > 0.75 && p.last(i)
}

// besideSum reports whether a sum of money stands beside r, on nothing that takes touches.
func (p *page) besideSum(r screen.Rect) bool {
	return slices.ContainsFunc(p.list, func(o screen.Element) bool {
		b := o.Bounds
		return !o.Touchable() && r.Contains(screen.Point{X: r.Min.X, Y: b.Center().Y}) &&
			!overlaps(b.Min.X, b.Max.X, r.Min.X, r.Max.X) && guard.Priced(said(&o))
	})
}

// last reports whether no button stands on the line of the element i behind it.
func (p *page) last(i int) bool {
	r := p.list[i].Bounds
	for j := i + 1; j < len(p.list); j++ {
		if b := p.list[j].Bounds; b.Min.X >= r.Max.X && b.Min.Y < r.Max.Y && p.button(j) {
			return false
		}
	}
	return true
}

// lowest reports whether only tabs take touches below the element i, below a button also its like.
func (p *page) lowest(i int) bool {
	e := &p.list[i]
	for j := range p.list {
		o := &p.list[j]
		if o.Touchable() && o.Bounds.Min.Y >= e.Bounds.Max.Y-0.01 && !(p.tabs && p.tab(j)) &&
			!(p.button(i) && (strings.HasSuffix(o.Class, "TextView") ||
				p.button(j) && p.column(i, j))) {
			return false
		}
	}
	return true
}

// says is the label of the element i.
func (p *page) says(i int) string {
	g := element(p.list, i, p.list[i].Bounds.Center())
	return strings.TrimSpace(g.Text + "\n" + g.Description)
}

// pair is the label of the only other element of the size of the element i on its line, or of the
// only other button above or below, "" for none or several. Of pictures it is their names.
func (p *page) pair(i int) (label string) {
	r := p.list[i].Bounds
	ends := func(i int) bool { // it looks like a button at the end of a page
		b := p.list[i].Bounds
		return p.button(i) || b.Min.X > 0.02 && b.Min.Y > 0.75
	}
	for j := range p.list {
		b := p.list[j].Bounds
		line := alike(b.Min.Y, r.Min.Y) && alike(b.Max.Y, r.Max.Y)
		if j == i || !p.list[j].Touchable() ||
			!line && !(ends(i) && ends(j) && p.column(i, j)) {
			continue
		}
		if label != "" || !alike(b.Max.X-b.Min.X, r.Max.X-r.Min.X) {
			return ""
		}
		label = p.says(j)
		if label == "" && p.says(i) == "" {
			label = p.list[j].Name()
		}
	}
	return label
}

// behind is the first button that follows the field f, below it or to its right, or -1.
func (p *page) behind(f int) int {
	r := p.list[f].Bounds
	for i := f + 1; i < len(p.list); i++ {
		e := &p.list[i]
		after := e.Bounds.Min.Y >= r.Max.Y-0.01 ||
			e.Bounds.Min.X >= r.Max.X-0.01 && e.Bounds.Max.Y > r.Min.Y
		if e.Touchable() && !e.Editable && !e.Checkable && after && e.Bounds.Area() < large &&
			(p.button(i) || strings.HasSuffix(e.Class, "ImageButton") || follows(r, e.Bounds)) {
			return i
		}
	}
	return -1
}

// ends reports whether the element i is the first button behind a form of several fields, or one on
// the line of that.
func (p *page) ends(i int) bool {
	if len(p.fields) < 2 {
		return false
	}
	first := p.behind(p.fields[len(p.fields)-1])
	return first == i || first >= 0 && p.button(i) &&
		alike(p.list[first].Bounds.Min.Y, p.list[i].Bounds.Min.Y)
}

// enter is what is said on the button for which the enter key stands in the field f: the one beside
// it, or the one behind the last field. It is not nil.
func (p *page) enter(f int) []string {
	labels := []string{}
	add := func(i int) {
		g := element(p.list, i, p.list[i].Bounds.Center())
		for _, t := range []string{g.Text, g.Description, p.list[i].Name()} {
			if t != "" {
				labels = append(labels, t)
			}
		}
	}
	for i := range p.list {
		e := &p.list[i]
		if e.Touchable() && !e.Editable && !e.Checkable && follows(p.list[f].Bounds, e.Bounds) {
			add(i)
		}
	}
	if p.fields[len(p.fields)-1] != f {
		return labels
	}
	if i := p.behind(f); i >= 0 {
		add(i)
	}
	return labels
}

// follows reports whether the small r lies in a field, or on its line right behind it.
func follows(field, r screen.Rect) bool {
	mid := (r.Min.Y + r.Max.Y) / 2
	return mid > field.Min.Y && mid < field.Max.Y && r.Area() < picture/2 &&
		r.Min.X > field.Min.X+(field.Max.X-field.Min.X)/2 && r.Min.X < field.Max.X+0.15
}

// sends reports whether the element i is the picture behind a text field low on the page in which
// something stands, and the last on its line: what was written is sent by it.
func (p *page) sends(i int) bool {
	r := p.list[i].Bounds
	if strings.ContainsFunc(p.says(i), unicode.IsLetter) || !p.last(i) {
		return false
	}
	return slices.ContainsFunc(p.fields, func(f int) bool {
		e := &p.list[f]
		return !e.Password && e.Text != "" && e.Text != e.Hint && e.Bounds.Min.Y > 0.45 &&
			follows(e.Bounds, r) && r.Min.X > e.Bounds.Max.X-0.02
	})
}

// padKey reports whether the element i is as large as a key that enters a digit, and in line with
// some.
func (p *page) padKey(i int) bool {
	r := p.list[i].Bounds
	return slices.ContainsFunc(p.digits, func(k int) bool {
		b := p.list[k].Bounds
		return (alike(b.Max.X-b.Min.X, r.Max.X-r.Min.X) ||
			overlaps(b.Min.X, b.Max.X, r.Min.X, r.Max.X)) &&
			r.Min.Y >= p.list[0].Bounds.Min.Y && r.Max.Y-r.Min.Y < 0.2
	})
}

// repeated reports whether the element i is one of several buttons with the same words, each in
// something else that takes touches.
func (p *page) repeated(i int) bool {
	row, class, label := p.inside[i], p.list[i].Class, ""
	for j := 0; row >= 0 && j < len(p.list); j++ {
		in, other := p.inside[j], &p.list[j]
		if in >= 0 && in != row && other.Touchable() && other.Class == class {
			if label = cmp.Or(label, p.says(i)); label == p.says(j) {
				return true
			}
		}
	}
	return false
}

// enters reports whether the element i enters a digit: it is the key, or all that is around it.
func (p *page) enters(i int) bool {
	return slices.ContainsFunc(p.digits, func(k int) bool {
		return k == i || p.inside[k] == i && i < k
	})
}

func overlaps(a, b, c, d float64) bool { return a < d && c < b }

func alike(a, b float64) bool { return a-b < 0.012 && b-a < 0.012 }

// peers is how many that take touches have the size of the element i, which is one of them, and
// stand on its line or close in its column, and each of which says something else, all with a price
// if the element has one. More than two lead somewhere: tabs, tiles, modes and the rows of a menu.
func (p *page) peers(i int) int {
	r := p.list[i].Bounds
	inLine, inColumn := map[string]bool{}, map[string]bool{}
	priced := guard.Priced(said(&p.list[i]))
	for j := range p.list {
		o := &p.list[j]
		if !o.Touchable() || o.Editable || o.Checkable != p.list[i].Checkable ||
			p.inside[j] != p.inside[i] {
			continue
		}
		b := o.Bounds
		line := alike(b.Min.Y, r.Min.Y) && alike(b.Max.Y, r.Max.Y)
		column := p.button(j) == p.button(i) && p.column(i, j)
		tabs := line && (alike(b.Max.X-b.Min.X, r.Max.X-r.Min.X) || b.Max.Y > 0.9 || b.Max.Y < 0.2)
		if (tabs || column) && (j == i || !overlaps(b.Min.X, b.Max.X, r.Min.X, r.Max.X) || column) {
			t := p.says(j)
			if t != "" && (!priced || guard.Priced(t)) {
				if tabs {
					inLine[t] = true
				}
				if column {
					inColumn[t] = true
				}
			}
		}
	}
	return max(len(inLine), len(inColumn))
}

// tab reports whether the element i lies where the tabs of a page do, and is no button.
func (p *page) tab(i int) bool {
	e := &p.list[i]
	return e.Touchable() && !p.button(i) && e.Bounds.Max.Y > low && e.Bounds.Min.Y > 0.8
}

// chosen reports whether something on the line of the element i, or that itself, is the one of
// several that is chosen.
func (p *page) chosen(i int) bool {
	r := p.list[i].Bounds
	return slices.ContainsFunc(p.list, func(o screen.Element) bool {
		return o.Selected && o.Bounds.Min.Y > r.Min.Y-0.02 && o.Bounds.Max.Y < r.Max.Y+0.02
	})
}

// column reports whether the element j has the size of the element i, and lies close in its column.
// Rows of a class from edge to edge are higher where their words need more lines.
func (p *page) column(i, j int) bool {
	b, r := p.list[j].Bounds, p.list[i].Bounds
	high, tall := r.Max.Y-r.Min.Y, b.Max.Y-b.Min.Y
	rows := r.Max.X-r.Min.X > 0.96 && !p.button(i) && tall < 2*high && high < 2*tall &&
		p.list[i].Class == p.list[j].Class
	return alike(b.Min.X, r.Min.X) && alike(b.Max.X, r.Max.X) && (rows || alike(tall, high)) &&
		math.Abs(b.Min.Y-r.Min.Y) < 4*high
}

// low is from where on, of the screen's height, there are the tabs of a page.
const low = 0.85
