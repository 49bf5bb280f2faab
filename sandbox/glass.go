package sandbox

import (
	"context"
	"image"
)

// glass is the display as an input device, which knows of somebody's own fingers only.
type glass struct {
	*touch
	at   image.Point
	felt chan struct{} // closed at the next finger
}

// Finger taps as somebody's finger does on the glass: other than of a Tap, which the input command
// injects, the input device tells of it.
func (g *glass) Finger(x, y int) {
	g.Tap(x, y)
	g.do(func() {
		g.at = image.Pt(x, y)
		close(g.felt)
		g.felt = make(chan struct{})
	})
}

// Feel waits for the next finger on the glass, and says where it is. Its error is ctx's cause.
func (g *glass) Feel(ctx context.Context) (at image.Point, err error) {
	felt := look(g.core, func() chan struct{} { return g.felt })
	select {
	case <-felt:
		return look(g.core, func() image.Point { return g.at }), nil
	case <-ctx.Done():
		return at, context.Cause(ctx)
	}
}
