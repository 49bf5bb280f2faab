package actions

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/screen"
)

// Click taps a point.
type Click struct {
	At screen.Point `json:"at"`
}

// Verb is CLICK.
func (Click) Verb() string { return "CLICK" }

// Validate checks the point.
func (a Click) Validate() error { return because(a, onScreen("the point", a.At)) }

// Do taps the point.
func (a Click) Do(ctx context.Context, s Surface) error { return s.Tap(ctx, a.At) }

// Points is the point.
func (a Click) Points() []screen.Point { return []screen.Point{a.At} }

// Texts returns a: it has no text.
func (a Click) Texts(func(string) string) Action { return a }

func (a Click) arguments() []Field { return point("point", a.At) }

func (a Click) describe() string { return fmt.Sprintf("tap %v", a.At) }

// DoubleClick taps a point twice.
type DoubleClick struct {
	At screen.Point `json:"at"`
}

// Verb is DOUBLE_CLICK.
func (DoubleClick) Verb() string { return "DOUBLE_CLICK" }

// Validate checks the point.
func (a DoubleClick) Validate() error { return because(a, onScreen("the point", a.At)) }

// Do taps the point twice.
func (a DoubleClick) Do(ctx context.Context, s Surface) error { return s.DoubleTap(ctx, a.At) }

// Points is the point.
func (a DoubleClick) Points() []screen.Point { return []screen.Point{a.At} }

// Texts returns a: it has no text.
func (a DoubleClick) Texts(func(string) string) Action { return a }

func (a DoubleClick) arguments() []Field { return point("point", a.At) }

func (a DoubleClick) describe() string { return fmt.Sprintf("tap %v twice", a.At) }
