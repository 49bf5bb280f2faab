package actions

import (
	"context"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/screen"
)

// Slide moves a finger from one point to another. Took 0 means 1.5 s; at most [MaxTouch].
type Slide struct {
	From screen.Point  `json:"from" arg:"point1"`
	To   screen.Point  `json:"to" arg:"point2"`
	Took time.Duration `json:"took,omitempty" arg:"duration"`
}

func (Slide) Verb() string { return "SLIDE" }

// Validate checks both points, which must differ, and the duration.
func (a Slide) Validate() error {
	return because(a, way(a.From, a.To), touchTime(a.Took))
}

// Do swipes from one point to the other.
func (a Slide) Do(ctx context.Context, s Surface) error {
	return s.Swipe(ctx, a.From, a.To, a.Takes())
}

// Takes is how long the finger moves: Took, or the usual time.
func (a Slide) Takes() time.Duration { return usual(a.Took) }

func (Slide) brief() phrase { return phrase{en: "slide", zh: "滑动"} }

func (a Slide) describe() string {
	return fmt.Sprintf("slide from %v to %v in %v", a.From, a.To, a.Takes())
}
