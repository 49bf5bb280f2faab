package sandbox

import (
	"context"
	"image"
)

// Finger taps as somebody's finger does on the glass: other than of a Tap, which the input command
// injects, the input device tells of it.
func (t *touch) Finger(x, y int) {
	t.Tap(x, y)
	t.do(func() {
		t.fingerAt = image.Pt(x, y)
		t.felt.Send()
	})
}

// Feel waits for the next finger on the glass, and says where it is. Its error is ctx's cause.
func (t *touch) Feel(ctx context.Context) (at image.Point, err error) {
	select {
	case <-t.felt.Next():
		return look(t.core, func() image.Point { return t.fingerAt }), nil
	case <-ctx.Done():
		return at, context.Cause(ctx)
	}
}
