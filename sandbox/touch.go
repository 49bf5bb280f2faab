package sandbox

import (
	"image"
	"time"

	"github.com/taploop/taploop/sandbox/apps"
	"github.com/taploop/taploop/sandbox/ui"
)

const (
	doubleTapTime = 400 * time.Millisecond
	doubleTapSlop = 100 // dp between two taps of a double tap, at most
	edgeSlop      = 40  // dp from the top, where a swipe down opens the shade
)

func (p *Phone) tap(at image.Point) {
	now := p.sys.Now()
	s := p.scene()
	near := s.metrics.Px(doubleTapSlop)
	d := at.Sub(p.tapAt)
	double := now.Sub(p.tapTime) <= doubleTapTime && max(d.X, -d.X, d.Y, -d.Y) <= near
	p.tapAt, p.tapTime = at, now
	if double {
		if v := s.at(at, ui.DoubleTappable); v != nil {
			p.tapTime = time.Time{}
			v.DoubleTap()
			return
		}
	}
	if v := s.at(at, ui.Touchable); v != nil {
		p.touched(v)
		v.Tap(at)
	}
}

// touched shows the keyboard for a field and lights its cursor.
func (p *Phone) touched(v *ui.View) {
	if v.IsField() {
		p.keyboardHidden, p.shift, p.symbols = false, false, false
		p.stage.edited = p.sys.Now()
	}
}

func (p *Phone) hold(at image.Point) {
	s := p.scene()
	v := s.at(at, func(v *ui.View) bool { return ui.Holdable(v) || ui.Touchable(v) })
	switch {
	case v == nil:
	case ui.Holdable(v):
		p.touched(v)
		v.Hold(at)
	default:
		v.Tap(at) // without a long press of its own, a view takes it as a tap when the finger is lifted
	}
}

// swipe moves a finger: what is under its start slides, is dragged by its handle, scrolls, or is the system's.
func (p *Phone) swipe(from, to image.Point) {
	s := p.scene()
	by := to.Sub(from)
	switch {
	case p.systemSwipe(s, from, by):
	case p.grab(s, from, to, ui.HasHandle):
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
func (p *Phone) systemSwipe(s *scene, from, by image.Point) bool {
	up := -by.Y > s.size.Y/8 && -by.Y > max(by.X, -by.X)
	down := by.Y > s.size.Y/8 && by.Y > max(by.X, -by.X)
	switch {
	case p.locked && up && !p.bouncer:
		_ = p.dismiss() // with a PIN it asks for it: that is the swipe's effect
	case p.locked && down && p.bouncer:
		p.bouncer, p.pin = false, ""
		p.sys.Moved(apps.Popup)
	case !p.locked && down && from.Y < s.metrics.Px(edgeSlop) && p.cover == coverNone:
		p.cover = coverShade
		p.sys.Moved(apps.Popup)
	case p.cover == coverShade && up && s.at(from, ui.Scrolls) == nil:
		p.cover = coverNone
		p.sys.Moved(apps.Popup)
	default:
		return p.locked
	}
	return true
}

func (p *Phone) drag(from, to image.Point) {
	s := p.scene()
	if !p.grab(s, from, to, ui.Draggable) {
		p.swipe(from, to)
	}
}

// grab picks up what lies at from and drops it on what lies at to.
func (p *Phone) grab(s *scene, from, to image.Point, want func(*ui.View) bool) bool {
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
