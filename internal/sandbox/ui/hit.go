package ui

import (
	"image"
	"slices"
)

// At returns the view in front at a point for which want holds: the innermost one, or one
// around it. Nothing behind a modal view, or behind one that is switched off, is found: blocked
// tells that nothing behind the tree may be touched either.
func (v *Placed) At(p image.Point, want func(*Placed) bool) (found *Placed, blocked bool) {
	if !p.In(v.Bounds()) {
		return nil, false
	}
	if v.off {
		return nil, true
	}
	for _, k := range slices.Backward(v.kids) {
		if found, blocked = k.At(p, want); found != nil || blocked {
			return found, blocked
		}
	}
	if want(v) {
		return v, true
	}
	return nil, v.modal
}

// Touchable reports whether a tap does something with v.
func Touchable(v *Placed) bool { return v.tap != nil || v.field != nil || v.slide != nil }

// Focusable reports whether keys can give v the focus.
func Focusable(v *Placed) bool { return Touchable(v) && !v.quiet && !v.off }

// Light marks v as the view that keys press.
func (v *Placed) Light() { v.lit = true }

// Press does what a key does that presses v.
func (v *Placed) Press() {
	if v.tap != nil {
		v.tap()
	}
}

// Holdable reports whether a long press does something with v.
func Holdable(v *Placed) bool { return v.long != nil }

// DoubleTappable reports whether a double tap does something with v.
func DoubleTappable(v *Placed) bool { return v.double != nil }

// Scrolls reports whether v is a list with more than it shows.
func Scrolls(v *Placed) bool { return v.kind == kindList && v.extent > v.inner().Dy() }

// Draggable reports whether v can be picked up.
func Draggable(v *Placed) bool { return v.drop != nil }

// HasHandle reports whether a swipe that starts on v drags it.
func HasHandle(v *Placed) bool { return v.handle }

// Slides reports whether v is a slider.
func Slides(v *Placed) bool { return v.slide != nil }

// Tap does what a tap at p does.
func (v *Placed) Tap(p image.Point) {
	switch {
	case v.field != nil:
		v.Focus()
	case v.slide != nil:
		v.SlideTo(p)
	case v.tap != nil:
		v.tap()
	}
}

// Hold does what a long press does.
func (v *Placed) Hold() { v.long() }

// DoubleTap does what a double tap does.
func (v *Placed) DoubleTap() { v.double() }

// SlideTo sets a slider to where p is.
func (v *Placed) SlideTo(p image.Point) {
	t := v.track()
	v.slide(min(max((p.X-t.Min.X)*1000/max(t.Dx(), 1), 0), 1000))
}

// Drop drops v on a view that can be dragged too.
func (v *Placed) Drop(onto *Placed) { v.drop(onto.dragKey) }

// ScrollBy moves a list's content by so many pixels. The next layout holds it inside.
func (v *Placed) ScrollBy(n int) {
	most := max(v.extent-v.inner().Dy(), 0)
	v.mem.Scroll[v.name] = min(max(v.scrolled+n, 0), most)
}
