package ui

import "image"

type kind uint8

const (
	kindColumn kind = iota
	kindRow
	kindStack
	kindList
	kindText
	kindIcon
	kindField
	kindSwitch
	kindSlider
	kindSpace
)

// Align places a view across the direction of its parent.
type Align uint8

// The alignments. Auto is the whole width in a column, Center in a row, and the whole place in a
// stack.
const (
	Auto Align = iota
	Start
	Center
	End
)

// View is one element of a screen. Make it with the functions of this package.
// The setters change it and return it, so that they can be chained. Sizes are dp.
type View struct {
	spec
	kids []*View
}

// spec is the declaration of a view.
type spec struct {
	kind kind

	name, class      string
	text, desc, icon string
	size             int // of text or icon
	bold, centered   bool
	lines            int // at most this many lines of text, 0 means no limit

	pad           [4]int // left, top, right, bottom
	below         int    // further padding at the bottom, in pixels
	gap           int
	width, height int // 0: by content
	grow          int
	align, valign Align // valign: in a stack

	fill, fade, ink, border Ink // fade: the lower end of a gradient
	radius                  int

	tap, long, double func()
	drop              func(onto string)
	dragKey           string
	handle            bool // a swipe that starts here drags at once
	slide             func(permille int)
	level             int // of a slider, permille
	checkable, on     bool
	selected, off     bool
	tail              bool // a list at its end stays there
	modal, quiet      bool // modal: nothing below it is touched

	field *Field // nil for other views
}

// Field is the first field of that name, or nil.
func (v *View) Field(name string) *Field {
	if v.field != nil && v.name == name {
		return v.field
	}
	for _, k := range v.kids {
		if f := k.Field(name); f != nil {
			return f
		}
	}
	return nil
}

// Placed is a view that [Layout] has given a place.
type Placed struct {
	*spec
	kids []*Placed

	box, clip image.Rectangle
	rows      []string // a text's lines
	px        int      // text or icon size in pixels
	unit      float64  // pixels per dp
	extent    int      // a list's whole height
	scrolled  int      // how far its content is moved up
	lit       bool     // it has the focus of the keys
	mem       *Memory
}

// Bottom is the scroll position at the end of a list, however long it is.
const Bottom = 1 << 30

// Memory keeps what survives the rebuilding of a screen, under the views' names.
type Memory struct {
	Focus  string         // the field that has the cursor, which is behind its text
	Reveal bool           // the next layout scrolls the focused field into view
	Scroll map[string]int // pixels
}

// Bounds is where the view is seen, empty when it is scrolled or clipped away.
func (v *Placed) Bounds() image.Rectangle { return v.box.Intersect(v.clip) }

// Box is where the view lies, seen or not.
func (v *Placed) Box() image.Rectangle { return v.box }

// Name is the view's name within its screen.
func (v *Placed) Name() string { return v.name }

// Walk calls f for v and everything below it, parents first.
func (v *Placed) Walk(f func(*Placed)) {
	v.Find(func(v *Placed) bool { f(v); return false })
}

// Find returns the first view for which f holds, or nil.
func (v *Placed) Find(f func(*Placed) bool) *Placed {
	if f(v) {
		return v
	}
	for _, k := range v.kids {
		if m := k.Find(f); m != nil {
			return m
		}
	}
	return nil
}
