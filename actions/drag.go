package actions

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/internal/screen"
)

// Drag picks up the item under From and drops it at To.
type Drag struct {
	From screen.Point `json:"from" arg:"point1"`
	To   screen.Point `json:"to" arg:"point2"`
}

func (Drag) Verb() string      { return "DRAG" }
func (a Drag) Validate() error { return because(a, way(a.From, a.To)) }

func (a Drag) Do(ctx context.Context, s Surface) error { return s.Drag(ctx, a.From, a.To) }

func (a Drag) Traits() Traits {
	return Traits{Kind: KindPath, Points: []screen.Point{a.From, a.To}, Carries: true}
}

func (Drag) with(string) string { return "" }
func (a Drag) describe() string { return fmt.Sprintf("drag from %v to %v", a.From, a.To) }
