package actions

import (
	"context"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/screen"
)

// LongPress holds a point for Hold, at most [MaxTouch]. 0 means 1.5 s.
type LongPress struct {
	At   screen.Point  `json:"at" arg:"point"`
	Hold time.Duration `json:"hold,omitempty" arg:"duration"`
}

func (LongPress) Verb() string { return "LONGPRESS" }

func (a LongPress) Validate() error {
	return because(a, onScreen("the point", a.At), touchTime(a.Hold))
}

func (a LongPress) Do(ctx context.Context, s Surface) error {
	return s.LongPress(ctx, a.At, usual(a.Hold))
}

func (a LongPress) Traits() Traits { return Traits{Kind: KindHold, Points: at(a.At)} }

func (LongPress) with(string) string { return "" }
func (a LongPress) describe() string { return fmt.Sprintf("hold %v for %v", a.At, usual(a.Hold)) }
