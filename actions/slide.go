package actions

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/screen"
)

// Slide moves a finger from one point to another, which differ. Took is at most [MaxTouch], and 0
// means 1.5 s.
type Slide struct {
	From screen.Point  `json:"from" arg:"point1"`
	To   screen.Point  `json:"to" arg:"point2"`
	Took time.Duration `json:"took,omitempty" arg:"duration"`
}

func (Slide) Verb() string { return "SLIDE" }

func (a Slide) Validate() error {
	return because(a, way(a.From, a.To), touchTime(a.Took))
}

func (a Slide) Do(ctx context.Context, s Surface) error {
	return s.Swipe(ctx, a.From, a.To, usual(a.Took))
}

func (a Slide) Traits() Traits {
	return Traits{Kind: KindPath, Points: []screen.Point{a.From, a.To}, Took: usual(a.Took)}
}

func (Slide) with(string) string { return "" }

func (a Slide) describe() string {
	return fmt.Sprintf("slide from %v to %v in %v", a.From, a.To, usual(a.Took))
}

// way checks the two points of a path, which must differ.
func way(from, to screen.Point) error {
	if from == to && from.Valid() {
		return fmt.Errorf("both points are %v "+
			"(want two different points; to hold a point use %s)", from, LongPress{}.Verb())
	}
	return cmp.Or(onScreen("the first point", from), onScreen("the second point", to))
}
