package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/screen"
)

// Type types text: into the focused field, or at At after tapping it. Clear empties the field
// first; Submit presses Enter after. Text may be empty only with Clear.
type Type struct {
	Text   string        `json:"text"`
	At     *screen.Point `json:"at,omitempty"`
	Clear  bool          `json:"clear,omitempty"`
	Submit bool          `json:"submit,omitempty"`
}

// focusTime is between tapping a field and typing: the field has to take the keyboard over.
const focusTime = 300 * time.Millisecond

func (Type) Verb() string { return "TYPE" }

// Validate checks the text and the point. Line breaks and tabs can be typed, other control
// characters cannot.
func (a Type) Validate() error {
	var at, text error
	if a.At != nil {
		at = onScreen("the point", *a.At)
	}
	switch {
	case a.Text == "" && a.Clear:
	case a.Text == "":
		text = errors.New("the text is empty (say what to type; to empty a field set clear)")
	default:
		text = plain("the text", a.Text, MaxText)
	}
	return because(a, text, at)
}

// Do taps At when there is one, clears the field, types and submits, in this order, and stops at
// the first refusal.
func (a Type) Do(ctx context.Context, s Surface) error {
	var done []string
	if a.At != nil {
		if err := s.Tap(ctx, *a.At); err != nil {
			return fmt.Errorf("nothing was typed, tapping the field: %w", err)
		}
		done = append(done, "the point was tapped")
		if err := wait.For(ctx, focusTime); err != nil {
			return stoppedAfter(done, err)
		}
	}
	if a.Clear {
		if err := s.Clear(ctx); err != nil {
			return stoppedAfter(done, fmt.Errorf("nothing was typed, emptying the field: %w", err))
		}
		done = append(done, "the field was emptied")
	}
	if a.Text != "" {
		if err := s.Type(ctx, a.Text); err != nil {
			return stoppedAfter(done, err)
		}
		done = append(done, "the text was typed")
	}
	if a.Submit {
		if err := s.Key(ctx, KeyEnter); err != nil {
			return stoppedAfter(done, fmt.Errorf("pressing Enter: %w", err))
		}
	}
	return nil
}

// stoppedAfter is err with what was carried out before it.
func stoppedAfter(done []string, err error) error {
	if len(done) == 0 {
		return err
	}
	return Partial(fmt.Errorf("%s, but then: %w", strings.Join(done, ", "), err))
}

func (a Type) arguments() []Field {
	fields := []Field{{"value", a.Text}}
	if a.At != nil {
		fields = append(fields, point("point", *a.At)...)
	}
	return append(append(fields, flag("clear", a.Clear)...), flag("submit", a.Submit)...)
}

func (a Type) describe() string {
	var steps []string
	if a.At != nil {
		steps = append(steps, fmt.Sprintf("tap %v", *a.At))
	}
	if a.Clear {
		steps = append(steps, "empty the field")
	}
	if a.Text != "" || !a.Clear {
		steps = append(steps, "type "+text.Quote(a.Text, maxDescribed))
	}
	if a.Submit {
		steps = append(steps, "press Enter")
	}
	return strings.Join(steps, ", ")
}
