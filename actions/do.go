package actions

import (
	"context"
	"fmt"
	"time"
)

// Usual durations of a touch.
const (
	usualTouch = 1500 * time.Millisecond // of a long press and a slide
	strokeTime = time.Second             // of a scroll: slow enough that the content does not fly on
	focusTime  = 300 * time.Millisecond  // between tapping a field and typing: the field has to take the keyboard over
)

// Do taps the point.
func (a Click) Do(ctx context.Context, s Surface) error { return s.Tap(ctx, a.At) }

// Do taps the point twice.
func (a DoubleClick) Do(ctx context.Context, s Surface) error { return s.DoubleTap(ctx, a.At) }

// Do holds the point.
func (a LongPress) Do(ctx context.Context, s Surface) error {
	return s.LongPress(ctx, a.At, usual(a.Hold))
}

// Do taps At when there is one, clears the field, types and submits, in this order, and stops at the first refusal.
func (a Type) Do(ctx context.Context, s Surface) error {
	if a.At != nil {
		if err := a.focus(ctx, s); err != nil {
			return err
		}
	}
	if a.Clear {
		if err := s.Clear(ctx); err != nil {
			return fmt.Errorf("nothing was typed, emptying the field: %w", err)
		}
	}
	if a.Text != "" {
		if err := s.Type(ctx, a.Text); err != nil {
			return err
		}
	}
	if a.Submit {
		if err := s.Key(ctx, KeyEnter); err != nil {
			return fmt.Errorf("the text was typed, but pressing Enter: %w", err)
		}
	}
	return nil
}

func (a Type) focus(ctx context.Context, s Surface) error {
	if err := s.Tap(ctx, *a.At); err != nil {
		return fmt.Errorf("nothing was typed, tapping the field: %w", err)
	}
	return pause(ctx, focusTime)
}

// Do swipes from one point to the other.
func (a Slide) Do(ctx context.Context, s Surface) error {
	return s.Swipe(ctx, a.From, a.To, usual(a.Took))
}

// Do swipes against the direction, so that the next part of the content comes into sight.
func (a Scroll) Do(ctx context.Context, s Surface) error {
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
		return a.Validate()
	}
	return s.Swipe(ctx, from, to, strokeTime)
}

// stroke is a way of 30 % of the screen's side that starts at at and goes along sign. Where it would leave the screen or
// touch its edges it is moved inwards, its length kept.
func stroke(at, sign float64) (from, to float64) {
	const length, edge = 0.3, 0.05
	from = min(max(at, edge), 1-edge)
	to = min(max(from+sign*length, edge), 1-edge)
	return to - sign*length, to
}

// Do picks up and drops.
func (a Drag) Do(ctx context.Context, s Surface) error { return s.Drag(ctx, a.From, a.To) }

// Do launches the app.
func (a OpenApp) Do(ctx context.Context, s Surface) error { return s.Launch(ctx, a.App) }

// Do presses the back key.
func (a Back) Do(ctx context.Context, s Surface) error { return s.Key(ctx, KeyBack) }

// Do presses the home key.
func (a Home) Do(ctx context.Context, s Surface) error { return s.Key(ctx, KeyHome) }

// Do presses the recent-apps key.
func (a Recents) Do(ctx context.Context, s Surface) error { return s.Key(ctx, KeyRecents) }

// Do presses the key.
func (a HotKey) Do(ctx context.Context, s Surface) error { return s.Key(ctx, a.Key) }

// Do waits, at most [MaxWait], without touching the phone.
func (a Wait) Do(ctx context.Context, _ Surface) error { return pause(ctx, min(a.For, MaxWait)) }

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func usual(d time.Duration) time.Duration {
	if d == 0 {
		return usualTouch
	}
	return d
}
