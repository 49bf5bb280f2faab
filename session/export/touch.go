package export

import (
	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/screen"
)

// touch is a gesture as it is drawn on the screenshot, in units of 1000 to the screenshot's long side.
type touch struct {
	W, H       int
	Rings      []ring
	Line       *line
	Dash, Hold bool
}

type ring struct{ X, Y, R int }

type line struct{ X1, Y1, X2, Y2 int }

// moved is how far a SCROLL's finger is drawn to move, as a share of the screen.
const moved = 0.3

// drawn is where the action touches the screen; nil when it does not touch it at a point.
func drawn(a actions.Action, s screen.Size) *touch {
	if !s.Valid() {
		return nil
	}
	t := &touch{W: 1000 * s.W / max(s.W, s.H), H: 1000 * s.H / max(s.W, s.H)}
	switch a := a.(type) {
	case actions.Click:
		t.at(a.At, 22)
	case actions.DoubleClick:
		t.at(a.At, 22, 34)
	case actions.LongPress:
		t.at(a.At, 22, 34)
		t.Hold = true
	case actions.Type:
		if a.At == nil {
			return nil
		}
		t.at(*a.At, 22)
	case actions.Slide:
		t.path(a.From, a.To)
	case actions.Drag:
		t.path(a.From, a.To)
		t.Dash = true
	case actions.Scroll:
		t.path(a.At, finger(a))
	default:
		return nil
	}
	return t
}

// finger is where the finger of a SCROLL ends: it moves against the direction in which the next part is looked for.
func finger(a actions.Scroll) screen.Point {
	to := a.At
	switch a.Direction {
	case actions.Down:
		to.Y -= moved
	case actions.Up:
		to.Y += moved
	case actions.Right:
		to.X -= moved
	case actions.Left:
		to.X += moved
	}
	return screen.Point{X: min(max(to.X, 0), 1), Y: min(max(to.Y, 0), 1)}
}

func (t *touch) at(p screen.Point, radii ...int) {
	px := p.Pixel(screen.Size{W: t.W, H: t.H})
	for _, r := range radii {
		t.Rings = append(t.Rings, ring{px.X, px.Y, r})
	}
}

func (t *touch) path(from, to screen.Point) {
	t.at(from, 18)
	size := screen.Size{W: t.W, H: t.H}
	a, b := from.Pixel(size), to.Pixel(size)
	t.Line = &line{a.X, a.Y, b.X, b.Y}
}
