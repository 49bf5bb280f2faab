package actions

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/internal/screen"
)

// Click taps a point.
type Click struct {
	At screen.Point `json:"at" arg:"point"`
}

func (Click) Verb() string      { return "CLICK" }
func (a Click) Validate() error { return because(a, onScreen("the point", a.At)) }

func (a Click) Do(ctx context.Context, s Surface) error { return s.Tap(ctx, a.At) }

func (a Click) Traits() Traits { return Traits{Kind: KindTap, Points: at(a.At)} }

func (a Click) describe() string { return fmt.Sprintf("tap %v", a.At) }
func (Click) with(string) string { return "" }

// DoubleClick taps a point twice.
type DoubleClick struct {
	At screen.Point `json:"at" arg:"point"`
}

func (DoubleClick) Verb() string      { return "DOUBLE_CLICK" }
func (a DoubleClick) Validate() error { return because(a, onScreen("the point", a.At)) }

func (a DoubleClick) Do(ctx context.Context, s Surface) error { return s.DoubleTap(ctx, a.At) }

func (a DoubleClick) Traits() Traits {
	return Traits{Kind: KindTap, Points: at(a.At), Twice: true}
}

func (a DoubleClick) describe() string { return fmt.Sprintf("tap %v twice", a.At) }
func (DoubleClick) with(string) string { return "" }
