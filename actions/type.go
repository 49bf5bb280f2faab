package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// Type types text: into the focused field, or at At after tapping it. Clear empties the field
// first, Submit presses Enter afterwards. Text may be empty only with Clear.
type Type struct {
	Text   string        `json:"text" arg:"value"`
	At     *screen.Point `json:"at,omitempty" arg:"point"`
	Clear  bool          `json:"clear,omitempty" arg:"clear"`
	Submit bool          `json:"submit,omitempty" arg:"submit"`
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
// the first refusal. A part that fails with ErrDone does not stop it. That error is returned at the
// end.
func (a Type) Do(ctx context.Context, s Surface) error {
	var done []string
	var left error
	for _, p := range a.parts(ctx, s) {
		err := p.do()
		switch {
		case errors.Is(err, ErrDone):
			left = err
		case err != nil && len(done) > 0:
			return Partial(fmt.Errorf("%s, but then: %s%w", strings.Join(done, ", "), p.failing,
				err))
		case err != nil:
			return fmt.Errorf("%s%w", p.failing, err)
		}
		if p.did != "" {
			done = append(done, p.did)
		}
	}
	return left
}

func (a Type) Traits() Traits {
	t := Traits{Kind: KindText, Text: a.Text, Submit: a.Submit}
	if a.At != nil {
		t.Points = at(*a.At)
	}
	return t
}

// part is a part of typing.
type part struct {
	failing, did string
	do           func() error
}

func (a Type) parts(ctx context.Context, s Surface) (all []part) {
	if a.At != nil {
		all = append(all,
			part{"nothing was typed, tapping the field: ", "the point was tapped",
				func() error { return s.Tap(ctx, *a.At) }},
			part{do: func() error { return wait.For(ctx, focusTime) }})
	}
	if a.Clear {
		all = append(all, part{"nothing was typed, emptying the field: ", "the field was emptied",
			func() error { return s.Clear(ctx) }})
	}
	if a.Text != "" {
		all = append(all, part{"", "the text was typed",
			func() error { return s.Type(ctx, a.Text) }})
	}
	if a.Submit {
		all = append(all, part{"pressing Enter: ", "Enter was pressed",
			func() error { return s.Key(ctx, KeyEnter) }})
	}
	return all
}

func (a Type) with(string) string { return quoted(a.Text) }

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
