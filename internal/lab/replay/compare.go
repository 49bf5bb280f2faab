package replay

import (
	"math"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Comparison holds two actions against each other. What does not apply to both is nil.
type Comparison struct {
	Agrees   bool     `json:"agrees"`
	SameKind bool     `json:"same_kind"`
	SameText *bool    `json:"same_text,omitempty"` // what is typed, or the app that is opened
	SameWay  *bool    `json:"same_way,omitempty"`  // a swipe's direction, or the key
	Distance *float64 `json:"distance,omitempty"`  // of the points that are touched, of the width
	Pixels   *float64 `json:"distance_pixels,omitempty"`
}

// Compare holds what was done on a screen of that size against what would have been done. Two
// actions agree when they are of one kind, type the same text or open the same app, go the same
// way, and touch points that lie at most within apart, as a share of the screen's width. A scroll
// and a slide are of one kind; where a swipe starts does not matter. What is said in words, such as
// a report or a question, is not compared.
func Compare(was, is actions.Action, size screen.Size, within float64) Comparison {
	c := Comparison{SameKind: kind(was) == kind(is)}
	c.Agrees = c.SameKind
	if !c.SameKind {
		return c
	}
	if a, b := text(was), text(is); a != "" || b != "" {
		c.SameText = new(a == b)
		c.Agrees = c.Agrees && *c.SameText
	}
	if a, b := way(was), way(is); a != "" || b != "" {
		c.SameWay = new(a == b)
		c.Agrees = c.Agrees && *c.SameWay
	}
	if a, b := actions.Points(was), actions.Points(is); !swipes(was) && len(a) == len(b) &&
		len(a) > 0 && size.Valid() {
		far := 0.0
		for i := range a {
			far = max(far, math.Hypot((a[i].X-b[i].X)*float64(size.W), (a[i].Y-b[i].Y)*
				float64(size.H)))
		}
		c.Pixels, c.Distance = new(far), new(far/float64(size.W))
		c.Agrees = c.Agrees && *c.Distance <= within
	}
	return c
}

// kind is the verb; all that moves the content with a finger is of one kind.
func kind(a actions.Action) string {
	if swipes(a) {
		return "SWIPE"
	}
	return a.Verb()
}

func swipes(a actions.Action) bool {
	switch a.(type) {
	case actions.Scroll, actions.Slide:
		return true
	}
	return false
}

// text is what is typed, or the app's name, as people compare them.
func text(a actions.Action) string {
	switch a := a.(type) {
	case actions.Type:
		return strings.TrimSpace(a.Text)
	case actions.OpenApp:
		return strings.ToLower(strings.TrimSpace(a.App))
	}
	return ""
}

// way is where a finger goes, mostly, or the key that is pressed.
func way(a actions.Action) string {
	if k, ok := a.(actions.HotKey); ok {
		return string(k.Key)
	}
	p := actions.Points(a)
	if !swipes(a) || len(p) < 2 {
		return ""
	}
	dx, dy := p[1].X-p[0].X, p[1].Y-p[0].Y
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
