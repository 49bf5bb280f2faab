package ui

import "image"

// At returns the view in front at a point for which want holds: the innermost one, or what is
// around it. Nothing behind a modal view, or behind one that is switched off, is found.
func (v *View) At(p image.Point, want func(*View) bool) *View {
	found, _ := v.at(p, want)
	return found
}

func (v *View) at(p image.Point, want func(*View) bool) (found *View, blocked bool) {
	if !p.In(v.Bounds()) {
		return nil, false
	}
	if v.off {
		return nil, true
	}
	for i := len(v.kids) - 1; i >= 0; i-- {
		if found, blocked = v.kids[i].at(p, want); found != nil || blocked {
			return found, blocked
		}
	}
	if want(v) {
		return v, true
	}
	return nil, v.modal
}

// Blocks reports whether the point is on a modal view, so that nothing behind the tree may be
// touched.
func (v *View) Blocks(p image.Point) bool {
	_, blocked := v.at(p, func(*View) bool { return false })
	return blocked
}

// Touchable reports whether a tap does something with v.
func Touchable(v *View) bool { return v.tap != nil || v.kind == kindField || v.slide != nil }

// Focusable reports whether keys can give v the focus.
func Focusable(v *View) bool { return Touchable(v) && !v.quiet && !v.off }

// Light marks v as the view that keys press.
func (v *View) Light() { v.lit = true }

// Press does what a key does that presses v.
func (v *View) Press() {
	if v.tap != nil {
		v.tap()
	}
}

// Holdable reports whether a long press does something with v.
func Holdable(v *View) bool { return v.long != nil }

// DoubleTappable reports whether a double tap does something with v.
func DoubleTappable(v *View) bool { return v.double != nil }

// Scrolls reports whether v is a list with more than it shows.
func Scrolls(v *View) bool { return v.kind == kindList && v.extent > v.inner().Dy() }

// Draggable reports whether v can be picked up.
func Draggable(v *View) bool { return v.drop != nil }

// HasHandle reports whether a swipe that starts on v drags it.
func HasHandle(v *View) bool { return v.handle }

// Slides reports whether v is a slider.
func Slides(v *View) bool { return v.slide != nil }

// Tap does what a tap at p does.
func (v *View) Tap(p image.Point) {
	switch {
	case v.kind == kindField:
		v.Focus()
	case v.slide != nil:
		v.SlideTo(p)
	case v.tap != nil:
		v.tap()
	}
}

// Hold does what a long press does.
func (v *View) Hold() { v.long() }

// DoubleTap does what a double tap does.
func (v *View) DoubleTap() { v.double() }

// SlideTo sets a slider to where p is.
func (v *View) SlideTo(p image.Point) {
	t := v.track()
	v.slide(min(max((p.X-t.Min.X)*1000/max(t.Dx(), 1), 0), 1000))
}

// Drop drops v on a view that can be dragged too.
func (v *View) Drop(onto *View) { v.drop(onto.dragKey) }

// ScrollBy moves a list's content by so many pixels; the next layout holds it inside.
func (v *View) ScrollBy(n int) {
	most := max(v.extent-v.inner().Dy(), 0)
	v.mem.Scroll[v.name] = min(max(v.scrolled+n, 0), most)
}
