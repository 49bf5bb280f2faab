package actions

import (
	"context"
	"fmt"
	"slices"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/screen"
)

// Back presses the back key.
type Back struct{}

// Verb is BACK.
func (Back) Verb() string { return "BACK" }

// Validate is nil.
func (Back) Validate() error { return nil }

// Do presses the back key.
func (Back) Do(ctx context.Context, s Surface) error { return s.Key(ctx, KeyBack) }

// Points is none.
func (Back) Points() []screen.Point { return nil }

// Texts returns a: it has no text.
func (a Back) Texts(func(string) string) Action { return a }

func (Back) arguments() []Field { return nil }

func (Back) describe() string { return "go back" }

// Home presses the home key.
type Home struct{}

// Verb is HOME.
func (Home) Verb() string { return "HOME" }

// Validate is nil.
func (Home) Validate() error { return nil }

// Do presses the home key.
func (Home) Do(ctx context.Context, s Surface) error { return s.Key(ctx, KeyHome) }

// Points is none.
func (Home) Points() []screen.Point { return nil }

// Texts returns a: it has no text.
func (a Home) Texts(func(string) string) Action { return a }

func (Home) arguments() []Field { return nil }

func (Home) describe() string { return "go to the home screen" }

// Recents presses the recent-apps key.
type Recents struct{}

// Verb is RECENTS.
func (Recents) Verb() string { return "RECENTS" }

// Validate is nil.
func (Recents) Validate() error { return nil }

// Do presses the recent-apps key.
func (Recents) Do(ctx context.Context, s Surface) error { return s.Key(ctx, KeyRecents) }

// Points is none.
func (Recents) Points() []screen.Point { return nil }

// Texts returns a: it has no text.
func (a Recents) Texts(func(string) string) Action { return a }

func (Recents) arguments() []Field { return nil }

func (Recents) describe() string { return "show the recent apps" }

// HotKey presses one of the [Keys].
type HotKey struct {
	Key Key `json:"key"`
}

// Verb is HOT_KEY.
func (HotKey) Verb() string { return "HOT_KEY" }

// Validate checks the key.
func (a HotKey) Validate() error {
	if slices.Contains(Keys, a.Key) {
		return nil
	}
	err := fmt.Errorf("unknown key %s (want one of %s)", text.Quote(string(a.Key), maxQuoted),
		list(Keys))
	return because(a, err)
}

// Do presses the key.
func (a HotKey) Do(ctx context.Context, s Surface) error { return s.Key(ctx, a.Key) }

// Points is none.
func (HotKey) Points() []screen.Point { return nil }

// Texts returns a: a key is one of a closed set.
func (a HotKey) Texts(func(string) string) Action { return a }

func (a HotKey) arguments() []Field { return []Field{{"key", string(a.Key)}} }

func (a HotKey) describe() string { return fmt.Sprintf("press the key %s", a.Key) }
