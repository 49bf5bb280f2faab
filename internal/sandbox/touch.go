package sandbox

import (
	"context"
	"image"
	"time"

	"github.com/taploop/taploop/internal/sandbox/ui"
	"github.com/taploop/taploop/internal/wait"
)

const (
	// how long a finger rests before it counts as a long press
	longPress     = 500 * time.Millisecond
	doubleTapTime = 400 * time.Millisecond
	doubleTapSlop = 100 // dp between two taps of a double tap, at most
)

// Touch is fingers on the display.
type Touch struct {
	*core
	display  *Display
	lock     *Lock
	keyboard *Keyboard
	screen   *Screen
	stage    *stage

	tapAt    image.Point // the last tap, which the next one may make a double tap
	tapTime  time.Time
	fingerAt image.Point // the last of somebody's own fingers
	felt     wait.Broadcast
}

// Tap puts a finger down at a point and lifts it. Points outside the display are ignored, as is
// touch while it is off.
func (t *Touch) Tap(x, y int) {
	t.do(func() {
		if at := image.Pt(x, y); t.down(at) {
			t.tap(at)
		}
	})
}

// Swipe moves a finger from one point to another in d. What scrolls follows the finger. On the spot
// for 500 ms or more it is a long press, for less a tap. It does not wait for d: the event is
// dispatched when it returns.
func (t *Touch) Swipe(x1, y1, x2, y2 int, d time.Duration) {
	t.do(func() {
		from, to := image.Pt(x1, y1), image.Pt(x2, y2)
		switch {
		case !t.down(from):
		case from != to:
			t.swipe(from, to)
		case d >= longPress:
			t.hold(from)
		default:
			t.tap(from)
		}
	})
}

// DragAndDrop rests a finger until the view under it is picked up, moves it in d and drops it.
func (t *Touch) DragAndDrop(x1, y1, x2, y2 int, d time.Duration) {
	t.do(func() {
		if from := image.Pt(x1, y1); t.down(from) {
			t.drag(from, image.Pt(x2, y2))
		}
	})
}

// down puts the finger down and reports whether the display feels it.
func (t *Touch) down(at image.Point) bool {
	felt := !t.lock.off && at.In(image.Rectangle{Max: t.display.size()})
	if felt {
		t.keyboard.focus = keyFocus{}
	}
	return felt
}

func (t *Touch) tap(at image.Point) {
	now := t.sys.Now()
	s := t.screen.scene()
	near := s.metrics.Px(doubleTapSlop)
	d := at.Sub(t.tapAt)
	double := now.Sub(t.tapTime) <= doubleTapTime && max(d.X, -d.X, d.Y, -d.Y) <= near
	t.tapAt, t.tapTime = at, now
	if double {
		if v := s.at(at, ui.DoubleTappable); v != nil {
			t.tapTime = time.Time{}
			v.DoubleTap()
			return
		}
	}
	if v := s.at(at, ui.Touchable); v != nil {
		t.touched(v, at)
	}
}

// touched is a finger that is lifted from v. For a field the keyboard is shown and the cursor lit.
func (t *Touch) touched(v *ui.Placed, at image.Point) {
	if v.Field() != nil {
		t.keyboard.showLetters()
		t.stage.edited = t.sys.Now()
	}
	v.Tap(at)
}

func (t *Touch) hold(at image.Point) {
	s := t.screen.scene()
	v := s.at(at, func(v *ui.Placed) bool { return ui.Holdable(v) || ui.Touchable(v) })
	switch {
	case v == nil:
	case ui.Holdable(v):
		v.Hold()
	default:
		// a view that handles no long press takes it as a tap when the finger is lifted
		t.touched(v, at)
	}
}

// swipe moves a finger: the view under its start slides, is dragged by its handle, scrolls, or is
// the system's.
func (t *Touch) swipe(from, to image.Point) {
	s := t.screen.scene()
	by := to.Sub(from)
	switch {
	case t.systemSwipe(s, from, by):
	case t.grab(s, from, to, ui.HasHandle):
	default:
		if v := s.at(from, ui.Slides); v != nil {
			v.SlideTo(to)
			return
		}
		if v := s.at(from, ui.Scrolls); v != nil && max(by.Y, -by.Y) >= max(by.X, -by.X) {
			v.ScrollBy(-by.Y)
		}
	}
}

// systemSwipe handles the gestures that no app sees.
func (t *Touch) systemSwipe(s *scene, from, by image.Point) bool {
	up := -by.Y > s.size.Y/8 && -by.Y > max(by.X, -by.X)
	down := by.Y > s.size.Y/8 && by.Y > max(by.X, -by.X)
	switch {
	case t.lock.locked && up && !t.lock.bouncer:
		t.lock.dismiss() // with a PIN it asks for it: that is the swipe's effect
	case t.lock.locked && down && t.lock.bouncer:
		t.lock.closeBouncer()
	default:
		return t.lock.locked
	}
	return true
}

func (t *Touch) drag(from, to image.Point) {
	s := t.screen.scene()
	if !t.grab(s, from, to, ui.Draggable) {
		t.swipe(from, to)
	}
}

// grab picks up what lies at from and drops it on what lies at to.
func (t *Touch) grab(s *scene, from, to image.Point, want func(*ui.Placed) bool) bool {
	if s.at(from, want) == nil {
		return false
	}
	v := s.at(from, ui.Draggable)
	if v == nil {
		return false
	}
	if onto := s.at(to, ui.Draggable); onto != nil && onto != v {
		v.Drop(onto)
	}
	return true
}

// Finger taps as somebody's finger does on the glass: other than of a Tap, which the input command
// injects, the input device tells of it.
func (t *Touch) Finger(x, y int) {
	t.Tap(x, y)
	t.do(func() {
		t.fingerAt = image.Pt(x, y)
		t.felt.Send()
	})
}

// Feel waits for the next finger on the glass, and says where it is. Its error is ctx's cause.
func (t *Touch) Feel(ctx context.Context) (at image.Point, err error) {
	select {
	case <-t.felt.Next():
		return look(t.core, func() image.Point { return t.fingerAt }), nil
	case <-ctx.Done():
		return at, context.Cause(ctx)
	}
}
