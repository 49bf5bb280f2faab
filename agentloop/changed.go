package agentloop

import (
	"slices"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

const (
	// the share of a screen from which on what has changed is the screen: a dialog with what it
	// darkens, a page that was loading. A video or a banner beside the place is less
	otherPage = 1.0 / 3
	// of which share the part that kept moving is, at least, on a screen that plays a video
	stillPart = 1.0 / 3

	// What belongs to a place whose elements are not known: what is beside it in a list's row, and
	// what is around a finger, as shares of the screen.
	rowHalf             = 0.025
	aroundWide          = 0.12
	aroundHigh          = 0.06
	largest             = 0.25  // an element that is larger says nothing of a place on it
	margin              = 0.015 // at the sides, where scroll bars fade
	notAround, notAlike = "what is at that place changed", "the screen changed"
)

// changed says what of a screen that was seen is another one now, as far as it matters to an action
// with these traits, or "" for nothing.
func (l *loop) changed(
	seen, now screen.Observation, t actions.Traits, exactly bool,
) string {
	if seen.Frame == now.Frame {
		return ""
	}
	list := seen.Elements
	if list == nil {
		list = l.watch.elements.known()
	}
	area := seen.Frame.Mosaic().Changed(now.Frame.Mosaic())
	bar := max(seen.Bar, now.Bar)
	area = area.Without(screen.Rect{Max: screen.Point{X: 1, Y: bar}}).
		Without(screen.Rect{Max: screen.Point{X: margin, Y: 1}}).
		Without(screen.Rect{Min: screen.Point{X: 1 - margin}, Max: screen.Point{X: 1, Y: 1}})
	if area.Empty() {
		return ""
	}
	still := area.Except(area.Moving(list, nil))
	if exactly && !still.Empty() {
		return notAlike
	}
	moving := l.watch.motion.area()
	at := area.Except(moving).Except(area.Moving(list, (*screen.Element).Plays))
	at = at.Except(seen.Frame.Cursors(now.Frame, at))
	for _, place := range placesOf(t, list) {
		if !at.Within(place).Empty() {
			return notAround
		}
	}
	if still.Except(moving).Share() > max(otherPage, moving.Share()/stillPart) {
		return notAlike
	}
	return ""
}

// placesOf is what of the screen an action with these traits depends on: what it touches with the
// rows in which that lies, and what has the focus. A path that scrolls depends on none.
func placesOf(t actions.Traits, list []screen.Element) (places []screen.Rect) {
	if t.Focused() {
		i := slices.IndexFunc(list, func(e screen.Element) bool { return e.Focused })
		if i >= 0 {
			places = append(places, list[i].Bounds)
		}
	}
	if t.Scrolls {
		return places
	}
	for _, p := range t.Points {
		r := screen.Rect{Min: screen.Point{X: p.X - aroundWide, Y: p.Y - aroundHigh},
			Max: screen.Point{X: p.X + aroundWide, Y: p.Y + aroundHigh}}
		if i := screen.At(list, p, largest); i >= 0 {
			r = list[i].Bounds
		}
		row := screen.Rect{Min: screen.Point{Y: max(r.Min.Y, p.Y-rowHalf)},
			Max: screen.Point{X: 1, Y: min(r.Max.Y, p.Y+rowHalf)}}
		places = append(places, r, row)
	}
	return places
}
