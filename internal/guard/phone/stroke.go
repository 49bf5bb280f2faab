package phone

import (
	"math"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Android takes a finger for still until it is farther than 8 dp from where it came down, and one
// that is still for half a second for a long press (ViewConfiguration, getScaledTouchSlop and
// getLongPressTimeout). What a finger came down on is clicked when the finger leaves the screen
// while it is on that, or beside it by no more than these 8 dp, however far it went, unless
// something has begun to scroll (View, onTouchEvent and pointInView).
const (
	touchSlop = 0.05 // of the screen's width. 8 dp are 0.042 of a watch's
	longPress = 500 * time.Millisecond
)

// swipe is the path of a finger, as far as it may press the element that it comes down on.
type swipe struct {
	way   []screen.Point
	tall  float64 // of the screen, in its widths
	holds bool    // it is still for long enough, or all the time
}

// swipeOf is how an action draws a finger along its way, over a screen that is tall widths tall:
// not at all, when that is one place.
func swipeOf(way []screen.Point, a actions.Action, tall float64) swipe {
	if len(way) < 2 {
		return swipe{}
	}
	d := swipe{way: way, tall: tall}
	far := math.Hypot(way[1].X-way[0].X, (way[1].Y-way[0].Y)*tall)
	t := a.Traits()
	if t.Took > 0 && !t.Scrolls {
		far *= min(1, longPress.Seconds()/t.Took.Seconds())
	}
	d.holds = t.Carries || far < touchSlop // a drag picks up by a long press
	return d
}

// presses reports whether the finger may press e, on which it comes down.
func (d *swipe) presses(e *screen.Element) bool {
	touchable := (e.Clickable || e.Editable || e.Checkable) && e.Bounds.Area() < large
	return d.holds ||
		touchable && len(d.way) > 1 && distance(e.Bounds, d.way[1], d.tall) < touchSlop
}
