package phone

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/screen"
)

const (
	whole       = 0.8  // share of the screen from which on an element says nothing of a place on it
	large       = 0.25 // from which on what lies in it is content, not its label
	around      = 0.2  // of the screen's width: how far words are near
	maxNear     = 8    // words that are near
	maxElements = 500  // elements
)

// Subjects is what an action on a screen is to the rules: mostly one subject, several where it
// touches several things that may answer. Look.Elements may be nil: then it is known that they are
// not known.
func Subjects(look screen.Observation, task string, d actions.Decision) []guard.Subject {
	list := subjects(look, task, d)
	for i := 0; d.Secret && i < len(list); i++ { // which key it is stands nowhere
		s := &list[i]
		s.Args, s.Near = nil, nil
		if s.Element != nil {
			s.Element = &guard.Element{Class: s.Element.Class, Password: s.Element.Password,
				WholeScreen: s.Element.WholeScreen}
		}
	}
	return list
}

func subjects(look screen.Observation, task string, d actions.Decision) []guard.Subject {
	base := subject(look.State.App, task, d)
	base.Secure = look.State.Secure
	points := places(look, d.Action)
	base.Screen = readable(look, points)
	page := newPage(look.Elements)
	if look.Elements != nil {
		base.Layout = page.layout(-1)
	}
	var list []guard.Subject
	stroke := swipeOf(way(look, d.Action), d.Action, shape(look))
	for n, p := range points {
		on := stroke
		if n > 0 {
			on = swipe{}
		}
		list = append(list, at(page, look, base, p, on)...)
	}
	if i := focused(look.Elements); i >= 0 && len(list) == 1 && overEnter(points[0], list[0]) {
		s := list[0]
		s.Enters, s.Element = true, element(look.Elements, i, look.Elements[i].Bounds.Center())
		s.Layout = page.layout(i)
		list = append(list, s)
	}
	if len(list) > 0 {
		return append(list, along(look.Elements, stroke.way, list)...)
	}
	traits := d.Action.Traits()
	if i := focused(look.Elements); i >= 0 && traits.Focused() {
		base.Element = element(look.Elements, i, look.Elements[i].Bounds.Center())
		base.Layout = page.layout(i)
	}
	return []guard.Subject{base}
}

// at is base at p, a subject for each of the elements that may answer a touch there.
func at(
	page *page, look screen.Observation, base guard.Subject, p screen.Point, stroke swipe,
) (list []guard.Subject) {
	s := base
	hits := candidates(look.Elements, p)
	s.Near = near(page, look, hits, p)
	if len(hits) == 0 {
		s.Presses = stroke.holds
		return []guard.Subject{s}
	}
	for _, i := range hits {
		s.Element, s.Layout = element(look.Elements, i, p), page.layout(i)
		s.Presses = stroke.presses(&look.Elements[i])
		list = append(list, s)
		if l := label(look.Elements, i); l != "" && s.Element.Text+s.Element.Description == "" {
			named := *s.Element
			named.Text, s.Element = l, &named
			list = append(list, s)
		}
	}
	return list
}

// corner is from where on keyboards have their enter key, to the right and below. They are windows
// of their own, whose keys no phone lists: what lies there is the page.
const corner = 0.8

// overEnter reports whether the enter key of a keyboard may be at p, where s is known to be.
func overEnter(p screen.Point, s guard.Subject) bool {
	return p.X > corner && p.Y > corner && (s.Element == nil || s.Element.WholeScreen)
}

// subject returns what is known of an action without the screen.
func subject(app, task string, d actions.Decision) guard.Subject {
	s := guard.Subject{Action: d.Action.Verb(), App: app, Task: task,
		Said: cmp.Or(d.Explain, d.Thought), Act: d.Explain}
	if args, err := actions.Args(d.Action); err == nil { // no member has fields that fail
		s.Args = args
	}
	if t := d.Action.Traits(); t.Kind == actions.KindText {
		s.Typed = t.Text
	}
	return s
}

// way is where the action touches the phone, one place after the other: the middles of the pixels
// that its points come to. A point on the last edge is beyond all elements, and yet on the last
// pixel.
func way(look screen.Observation, a actions.Action) []screen.Point {
	points, size := a.Traits().Points, look.State.Size
	for i, p := range points {
		if at := p.Pixel(size); size.Valid() {
			p = screen.Point{X: (float64(at.X) + 0.5) / float64(size.W),
				Y: (float64(at.Y) + 0.5) / float64(size.H)}
		}
		points[i] = screen.Point{X: min(p.X, beforeEdge), Y: min(p.Y, beforeEdge)}
	}
	return points
}

const beforeEdge = 1 - 1e-9

// places are the points of the path at which the action does something. Its end matters where
// something may be carried along it.
func places(look screen.Observation, a actions.Action) []screen.Point {
	points := way(look, a)
	if a.Traits().Scrolls {
		return points[:min(len(points), 1)]
	}
	return points
}

// along returns the additional subjects of a finger's path over what looks like a slider.
func along(elements []screen.Element, way []screen.Point, known []guard.Subject) (
	list []guard.Subject,
) {
	if len(way) < 2 {
		return nil
	}
	for i := range elements {
		r := elements[i].Bounds
		if r.Area() >= large || !crossed(r, way[0], way[1]) {
			continue
		}
		s := known[0]
		s.Element = element(elements, i, r.Center())
		if s.Element.Slides() && !slices.ContainsFunc(known, func(k guard.Subject) bool {
			return k.Element != nil && *k.Element == *s.Element
		}) {
			list = append(list, s)
		}
	}
	return list
}

// crossed reports whether the way from a to b leads over r.
func crossed(r screen.Rect, a, b screen.Point) bool {
	enter, leave := 0.0, 1.0 // shares of the way
	for _, axis := range []struct{ from, to, low, high float64 }{
		{a.X, b.X, r.Min.X, r.Max.X}, {a.Y, b.Y, r.Min.Y, r.Max.Y},
	} {
		way := axis.to - axis.from
		if way == 0 {
			if axis.from < axis.low || axis.from >= axis.high {
				return false
			}
			continue
		}
		first, last := (axis.low-axis.from)/way, (axis.high-axis.from)/way
		enter, leave = max(enter, min(first, last)), min(leave, max(first, last))
	}
	return enter <= leave
}

// focused is what has the focus: the field that takes text, else what the enter key presses.
func focused(list []screen.Element) int {
	i := slices.IndexFunc(list, func(e screen.Element) bool { return e.Focused && e.Editable })
	if i < 0 {
		i = slices.IndexFunc(list, func(e screen.Element) bool { return e.Focused && e.Clickable })
	}
	return i
}

// candidates returns the elements that may answer a touch at p: the smallest touchable one, the
// touchable ones that do not surround it, and the words drawn over these that serve nothing else.
// Without a touchable one it is the deepest at p. If a candidate has no text, the elements around
// and below it that have one are added, because that may be its name.
func candidates(list []screen.Element, p screen.Point) []int {
	var hits, touchable []int
	for i := range list {
		if list[i].Bounds.Contains(p) {
			hits = append(hits, i)
			if list[i].Clickable || list[i].Editable || list[i].Checkable {
				touchable = append(touchable, i)
			}
		}
	}
	smaller := func(a, b int) int {
		return cmp.Or(cmp.Compare(list[a].Bounds.Area(), list[b].Bounds.Area()),
			cmp.Compare(list[b].Depth, list[a].Depth), b-a)
	}
	if len(touchable) == 0 {
		if len(hits) == 0 {
			return nil
		}
		deepest := slices.MaxFunc(hits, func(a, b int) int {
			return cmp.Or(cmp.Compare(list[a].Depth, list[b].Depth), a-b)
		})
		return append([]int{deepest}, labels(list, hits, []int{deepest}, p)...)
	}
	first := slices.MinFunc(touchable, smaller)
	found := []int{first}
	for _, i := range touchable {
		size := list[i].Bounds.Area() // what is drawn on a map takes the touch, and not the map
		backdrop := size >= large && said(&list[i]) == "" || size >= whole && i < first
		if i != first && !backdrop && !within(list, first, i) && !within(list, i, first) {
			found = append(found, i)
		}
	}
	found = append(found, drawnOver(list, hits, found)...)
	return append(found, labels(list, hits, found, p)...)
}

// labels returns further hits with a text, if one of the found ones has no text.
func labels(list []screen.Element, hits, found []int, p screen.Point) (more []int) {
	says := func(i int) bool {
		e := element(list, i, p)
		return list[i].Editable || e.Text+e.Description != ""
	}
	if !slices.ContainsFunc(found, func(f int) bool { return !says(f) }) {
		return nil
	}
	for _, i := range hits {
		e := &list[i]
		if e.Text+e.ContentDesc != "" && e.Bounds.Area() < large && !slices.Contains(found, i) {
			more = append(more, i)
		}
	}
	return more
}

// drawnOver are the hits behind the ones found, in the order of drawing, that say something, take
// no touch of their own and lie in none of these.
func drawnOver(list []screen.Element, hits, found []int) (words []int) {
	for _, i := range hits {
		e := &list[i]
		inside := slices.ContainsFunc(found, func(f int) bool {
			return i <= f || within(list, i, f)
		})
		if !inside && e.Text+e.ContentDesc != "" && e.Bounds.Area() < large {
			words = append(words, i)
		}
	}
	return words
}

// within reports whether the element i lies in the element of.
func within(list []screen.Element, i, of int) bool {
	return i > of && i < screen.End(list, of)
}

// element returns the element i in the form that rules see. Without a text it has those of its
// children, a line each, and if it is large only those under the finger.
func element(list []screen.Element, i int, p screen.Point) *guard.Element {
	e := list[i]
	g := &guard.Element{Text: e.Text, Description: e.ContentDesc, ResourceID: e.ResourceID,
		Class: e.Class, Password: e.Password, WholeScreen: e.Bounds.Area() >= whole}
	var lines []string
	for n, last := i+1, screen.End(list, i); n < last; n++ {
		in := &list[n]
		under := in.Bounds.Contains(p)
		if e.Bounds.Area() >= large && !under {
			continue
		}
		if in.Touchable() && !under && in.Bounds != e.Bounds { // it does what it says, and not e
			n = screen.End(list, n) - 1
			continue
		}
		for _, t := range []string{in.Text, in.ContentDesc} {
			if t != "" && t != e.Text && t != e.ContentDesc && !slices.Contains(lines, t) {
				lines = append(lines, t)
			}
			if t != "" && under && in.Bounds.Area() < large {
				g.WholeScreen = false // an element has the place to itself
			}
		}
		if g.ResourceID == "" && under {
			g.ResourceID = in.ResourceID
		}
		g.Password = g.Password || in.Password && under
	}
	if len(lines) > 0 {
		g.Text = strings.TrimPrefix(g.Text+"\n"+strings.Join(lines, "\n"), "\n")
	}
	return g
}

// label returns the text in the large element i, wherever it stands, if it is short, because a
// short text means a button and not a page. The text of touchable children does not count.
func label(list []screen.Element, i int) string {
	if size := list[i].Bounds.Area(); size < large || size >= whole {
		return ""
	}
	var lines []string
	for n, last := i+1, screen.End(list, i); n < last; n++ {
		in := &list[n]
		if in.Clickable || in.Editable || in.Checkable {
			n = screen.End(list, n) - 1
			continue
		}
		for _, t := range []string{in.Text, in.ContentDesc} {
			if t != "" && !slices.Contains(lines, t) {
				lines = append(lines, t)
			}
		}
	}
	if len(lines) > 3 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// readable returns the elements' texts, each once. In a long list the ones nearest to the first of
// the points come first, because rules read only the beginning.
func readable(look screen.Observation, points []screen.Point) []string {
	list := look.Elements
	if len(list) > maxElements && len(points) > 0 {
		tall := shape(look)
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b screen.Element) int {
			return cmp.Compare(distance(a.Bounds, points[0], tall),
				distance(b.Bounds, points[0], tall))
		})
	}
	var all []string
	known := map[string]bool{}
	for i := range list {
		for _, t := range []string{list[i].Text, list[i].ContentDesc} {
			if t != "" && !known[t] {
				known[t] = true
				all = append(all, t)
			}
		}
	}
	return all
}

// shape is how tall the screen is in its widths.
func shape(look screen.Observation) float64 {
	if s := look.State.Size; s.Valid() {
		return float64(s.H) / float64(s.W)
	}
	return 1
}

// near are the words around p that are not under it, the nearest first, without those of what takes
// touches and is not touched.
func near(page *page, look screen.Observation, touched []int, p screen.Point) []string {
	type word struct {
		text string
		away float64
	}
	var all []word
	tall := shape(look)
	for i, e := range look.Elements {
		away := distance(e.Bounds, p, tall)
		if away == 0 || away > around || e.Bounds.Area() >= large {
			continue
		}
		if in := page.inside[i]; in >= 0 && !slices.Contains(touched, in) || e.Touchable() {
			continue
		}
		for _, t := range []string{e.Text, e.ContentDesc} {
			if t != "" {
				all = append(all, word{t, away})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b word) int { return cmp.Compare(a.away, b.away) })
	var out []string
	for _, w := range all {
		if len(out) < maxNear && !slices.Contains(out, w.text) {
			out = append(out, w.text)
		}
	}
	return out
}

// distance returns how far p is from r, in widths of a screen of that height, or 0 for a point in
// it.
func distance(r screen.Rect, p screen.Point, tall float64) float64 {
	x := max(r.Min.X-p.X, p.X-r.Max.X, 0)
	y := max(r.Min.Y-p.Y, p.Y-r.Max.Y, 0) * tall
	return math.Hypot(x, y)
}
