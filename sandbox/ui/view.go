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

// The alignments. Stretch is a column's own, Center a row's.
const (
	Auto Align = iota
	Start
	Center
	End
	Stretch
)

// View is one element of a screen. Make it with the functions of this package; the setters change it and return it, so
// that they can be chained. Sizes are dp.
type View struct {
	kind  kind
	kids  []*View
	name  string
	class string
	text  string
	desc  string
	icon  string

	pad            [4]int // left, top, right, bottom
	gap            int
	width, height  int // 0: by content
	grow           int
	align          Align // of this view within its parent
	fill, ink      Ink
	border         Ink
	radius         int
	lift           bool // a shadow below
	size           int  // text or icon size
	bold, center   bool
	strike         bool
	lines          int // at most this many lines of text; 0: no limit

	tap, long, double func()
	drop              func(onto string)
	dragKey           string
	handle            bool // a swipe that starts here drags
	value             *string
	changed, submit   func()
	multi, secret     bool
	digits            bool
	action            string
	slide             func(permille int)
	level             int
	checkable, on     bool
	selected, off     bool
	modal             bool

	// set by Layout
	box, clip image.Rectangle
	line      []textLine
	scroll    int
	extent    int
	mem       *Memory
	focused   bool
	textSize  int
}

type textLine struct {
	text  string
	width int
}

// Memory keeps what survives the rebuilding of a screen, under the views' names.
type Memory struct {
	Focus  string
	Scroll map[string]int // pixels
	Cursor map[string]int // runes before the cursor
	All    bool           // the focused field's whole text is selected
}

// Clear empties a field.
func (v *View) Clear() {
	if v.value != nil {
		*v.value = ""
	}
}
