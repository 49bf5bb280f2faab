package export

import (
	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// touch is a gesture to draw on the screenshot, in units of 1000 to the screenshot's long side.
type touch struct {
	W, H       int
	Rings      []ring
	Line       *line
	Dash, Hold bool
}

type ring struct{ X, Y, R int }

type line struct{ X1, Y1, X2, Y2 int }

// touchOf returns where the action touches the screen, or nil if it touches no point.
func touchOf(a actions.Action, s screen.Size) *touch {
	if a == nil || !s.Valid() {
		return nil
	}
	t := &touch{W: 1000 * s.W / max(s.W, s.H), H: 1000 * s.H / max(s.W, s.H)}
	does := a.Traits()
	switch p := does.Points; len(p) {
	case 0:
		return nil
	case 1:
		t.at(p[0], 22)
		if t.Hold = does.Kind == actions.KindHold; t.Hold || does.Twice {
			t.at(p[0], 34)
		}
	default:
		t.path(p[0], p[1])
		t.Dash = does.Carries
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
