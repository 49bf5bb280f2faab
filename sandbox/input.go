package sandbox

import (
	"fmt"
	"image"
	"time"
)

// longPress is how long a finger rests before it counts as a long press.
const longPress = 500 * time.Millisecond

// lastKey is the highest key code that Android 14 knows.
const lastKey = 318

// Tap puts a finger down at a point and lifts it. Points beside the display are ignored, as is touch while it is off.
func (p *Phone) Tap(x, y int) {
	p.do(func() {
		if at := image.Pt(x, y); p.touchable(at) {
			p.tap(at)
		}
	})
}

// Swipe moves a finger from one point to another in d. What scrolls follows the finger. On the spot for 500 ms or more it
// is a long press, for less a tap. It does not wait for d: the event is dispatched when it returns.
func (p *Phone) Swipe(x1, y1, x2, y2 int, d time.Duration) {
	p.do(func() {
		from, to := image.Pt(x1, y1), image.Pt(x2, y2)
		switch {
		case !p.touchable(from):
		case from != to:
			p.swipe(from, to)
		case d >= longPress:
			p.hold(from)
		default:
			p.tap(from)
		}
	})
}

// DragAndDrop rests a finger until what is under it is picked up, moves it in d and drops it.
func (p *Phone) DragAndDrop(x1, y1, x2, y2 int, d time.Duration) {
	p.do(func() {
		if from := image.Pt(x1, y1); p.touchable(from) {
			p.drag(from, image.Pt(x2, y2))
		}
	})
}

// Key presses a key by its Android code. Codes that the phone has no use for do nothing; numbers that are no key codes are
// an error.
func (p *Phone) Key(code int) error {
	if code <= 0 || code > lastKey {
		return fmt.Errorf("key code %d is none of Android's (1 to %d)", code, lastKey)
	}
	p.do(func() { p.press(code) })
	return nil
}

// Text types into the focused field as a hardware keyboard does; without one it is lost. Newlines are Enter.
func (p *Phone) Text(s string) {
	p.do(func() {
		if !p.off {
			p.typed(s)
		}
	})
}

func (p *Phone) touchable(at image.Point) bool {
	return !p.off && at.In(image.Rectangle{Max: p.size()})
}
