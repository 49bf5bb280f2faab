package actions

import (
	"context"
	"fmt"
	"slices"

	"github.com/taploop/taploop/internal/text"
)

// Back presses the back key.
type Back struct{}

func (Back) Verb() string    { return "BACK" }
func (Back) Validate() error { return nil }

func (Back) Do(ctx context.Context, s Surface) error { return s.Key(ctx, KeyBack) }

func (Back) Traits() Traits { return Traits{Kind: KindKey} }

func (Back) with(string) string { return "" }

// Home presses the home key.
type Home struct{}

func (Home) Verb() string    { return "HOME" }
func (Home) Validate() error { return nil }

func (Home) Do(ctx context.Context, s Surface) error { return s.Key(ctx, KeyHome) }

func (Home) Traits() Traits { return Traits{Kind: KindKey} }

func (Home) with(string) string { return "" }

// Recents presses the recent-apps key.
type Recents struct{}

func (Recents) Verb() string    { return "RECENTS" }
func (Recents) Validate() error { return nil }

func (Recents) Do(ctx context.Context, s Surface) error { return s.Key(ctx, KeyRecents) }

func (Recents) Traits() Traits { return Traits{Kind: KindKey} }

func (Recents) with(string) string { return "" }

// HotKey presses one of the [Keys].
type HotKey struct {
	Key Key `json:"key" arg:"key,value"`
}

func (HotKey) Verb() string { return "HOT_KEY" }

func (a HotKey) Validate() error {
	if slices.Contains(Keys, a.Key) {
		return nil
	}
	err := fmt.Errorf("unknown key %s (want one of %s)", text.Quote(string(a.Key), maxQuoted),
		list(Keys))
	return because(a, err)
}

func (a HotKey) Do(ctx context.Context, s Surface) error { return s.Key(ctx, a.Key) }

func (a HotKey) Traits() Traits { return Traits{Kind: KindKey, Key: a.Key} }

func (a HotKey) with(string) string { return string(a.Key) }
