package export

import (
	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// touch is a gesture as it is drawn on the screenshot, in units of 1000 to the screenshot's long
// side.
type touch struct {
	W, H       int
	Rings      []ring
	Line       *line
	Dash, Hold bool
}

type ring struct{ X, Y, R int }

type line struct{ X1, Y1, X2, Y2 int }

// touchOf is where the action touches the screen; nil when it does not touch it at a point.
func touchOf(a actions.Action, s screen.Size) *touch {
	if a == nil || !s.Valid() {
		return nil
	}
	t := &touch{W: 1000 * s.W / max(s.W, s.H), H: 1000 * s.H / max(s.W, s.H)}
	switch p := actions.Points(a); len(p) {
	case 0:
		return nil
	case 1:
		t.at(p[0], 22)
	default:
		t.path(p[0], p[1])
	}
	switch a := a.(type) { // how it differs from a tap and a swipe
	case actions.DoubleClick:
		t.at(a.At, 34)
	case actions.LongPress:
		t.at(a.At, 34)
		t.Hold = true
	case actions.Drag:
		t.Dash = true
	}
	return t
}

func (t *touch) at(p screen.Point, radius int) {
	px := p.Pixel(screen.Size{W: t.W, H: t.H})
	t.Rings = append(t.Rings, ring{px.X, px.Y, radius})
}

func (t *touch) path(from, to screen.Point) {
	t.at(from, 18)
	size := screen.Size{W: t.W, H: t.H}
	a, b := from.Pixel(size), to.Pixel(size)
	t.Line = &line{a.X, a.Y, b.X, b.Y}
}
