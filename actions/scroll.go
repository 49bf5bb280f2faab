package actions

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// Scroll moves the content under At by about a third of the screen: a swipe that starts at At, or
// as near to it as keeps the whole swipe off the screen's edges, where Android has its own
// gestures.
type Scroll struct {
	At        screen.Point `json:"at" arg:"point"`
	Direction Direction    `json:"direction" arg:"direction"`
}

// Direction is the side on which the next content lies. Scrolling Down shows the content below.
type Direction string

// The directions of a Scroll.
const (
	Up    Direction = "up"
	Down  Direction = "down"
	Left  Direction = "left"
	Right Direction = "right"
)

// Directions is all of them. Not to be changed.
var Directions = []Direction{Up, Down, Left, Right}

func (Scroll) Verb() string { return "SCROLL" }

func (a Scroll) Validate() error {
	var err error
	if !slices.Contains(Directions, a.Direction) {
		err = fmt.Errorf("unknown direction %s (want one of %s)",
			text.Quote(string(a.Direction), maxQuoted), list(Directions))
	}
	return because(a, onScreen("the point", a.At), err)
}

// strokeTime is slow enough that the content does not fly on.
const strokeTime = time.Second

// Do swipes against the direction, so that the next part of the content comes into sight.
func (a Scroll) Do(ctx context.Context, s Surface) error {
	p := a.way()
	if len(p) < 2 {
		return a.Validate()
	}
	return s.Swipe(ctx, p[0], p[1], strokeTime)
}

func (a Scroll) Traits() Traits {
	return Traits{Kind: KindPath, Points: a.way(), Scrolls: true, Took: strokeTime}
}

// way returns the finger's path, or At alone for an unknown direction.
func (a Scroll) way() []screen.Point {
	from, to := a.At, a.At
	switch a.Direction {
	case Down:
		from.Y, to.Y = stroke(a.At.Y, -1)
	case Up:
		from.Y, to.Y = stroke(a.At.Y, +1)
	case Right:
		from.X, to.X = stroke(a.At.X, -1)
	case Left:
		from.X, to.X = stroke(a.At.X, +1)
	default:
		return []screen.Point{a.At}
	}
	return []screen.Point{from, to}
}

// stroke is a way of 30 % of the screen's side that starts at at and goes along sign. Where it
// would leave the screen or touch its edges it is moved inwards, its length kept.
func stroke(at, sign float64) (from, to float64) {
	const length, edge = 0.3, 0.05
	from = min(max(at, edge), 1-edge)
	to = min(max(from+sign*length, edge), 1-edge)
	return to - sign*length, to
}

func (a Scroll) with(string) string {
	return map[Direction]string{Up: "↑", Down: "↓", Left: "←", Right: "→"}[a.Direction]
}
func (a Scroll) describe() string { return fmt.Sprintf("scroll %s at %v", a.Direction, a.At) }
