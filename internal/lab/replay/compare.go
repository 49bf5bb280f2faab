package replay

import (
	"math"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Comparison is how two actions compare. A field that does not apply to both is nil.
type Comparison struct {
	Agrees   bool     `json:"agrees"`
	SameKind bool     `json:"same_kind"`
	SameText *bool    `json:"same_text,omitempty"` // the typed text, or the opened app
	SameWay  *bool    `json:"same_way,omitempty"`  // a swipe's direction, or the key
	Distance *float64 `json:"distance,omitempty"`  // of the points that are touched, of the width
	Pixels   *float64 `json:"distance_pixels,omitempty"`
}

// Compare compares the action that was done on a screen of that size with the one that would have
// been done. Two actions agree when they are of one kind, type the same text or open the same app,
// go the same way, and touch points that lie at most within apart, as a share of the screen's
// width. A scroll and a slide are of one kind, and where they start does not matter. Words for a
// person, such as a report or a question, are not compared.
func Compare(was, is actions.Action, size screen.Size, within float64) Comparison {
	a, b := was.Traits(), is.Traits()
	swipe := swipes(&a)
	c := Comparison{SameKind: was.Verb() == is.Verb() || swipe && swipes(&b)}
	c.Agrees = c.SameKind
	if !c.SameKind {
		return c
	}
	if x, y := text(&a), text(&b); x != "" || y != "" {
		c.SameText = new(x == y)
		c.Agrees = c.Agrees && *c.SameText
	}
	if x, y := way(&a), way(&b); x != "" || y != "" {
		c.SameWay = new(x == y)
		c.Agrees = c.Agrees && *c.SameWay
	}
	if !swipe && len(a.Points) == len(b.Points) && len(a.Points) > 0 && size.Valid() {
		far := 0.0
		for i, p := range a.Points {
			dx, dy := p.X-b.Points[i].X, p.Y-b.Points[i].Y
			far = max(far, math.Hypot(dx*float64(size.W), dy*float64(size.H)))
		}
		c.Pixels, c.Distance = new(far), new(far/float64(size.W))
		c.Agrees = c.Agrees && *c.Distance <= within
	}
	return c
}

// swipes reports whether the action moves the content with a finger.
func swipes(t *actions.Traits) bool { return t.Kind == actions.KindPath && !t.Carries }

// text is the text that is typed, or the app's name in lower case.
func text(t *actions.Traits) string {
	s := strings.TrimSpace(t.Text)
	if t.Kind == actions.KindLaunch {
		s = strings.ToLower(s)
	}
	return s
}

// way is the main direction of a swipe, or the key that is pressed.
func way(t *actions.Traits) string {
	if !swipes(t) || len(t.Points) < 2 {
		return string(t.Key)
	}
	dx, dy := t.Points[1].X-t.Points[0].X, t.Points[1].Y-t.Points[0].Y
	switch {
	case math.Abs(dx) >= math.Abs(dy) && dx > 0:
		return "right"
	case math.Abs(dx) >= math.Abs(dy):
		return "left"
	case dy > 0:
		return "down"
	}
	return "up"
}
