package actions

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/screen"
)

// Limits of what a model can ask for. Lengths are in characters.
const (
	MaxWait    = 60 * time.Second // a longer Wait is cut to this
	MaxTouch   = 30 * time.Second // the longest hold or slide
	MaxText    = 4000             // of Type.Text, Info.Question and Note.Text
	MaxApp     = 200              // of Awake.App
	MaxOption  = 200              // of one of Info.Options
	MaxOptions = 20               // how many Info.Options
	MaxReport  = 20000            // of Complete.Report and Abort.Reason
)

// Validate checks the point.
func (a Click) Validate() error { return because(a, onScreen("the point", a.At)) }

// Validate checks the point.
func (a DoubleClick) Validate() error { return because(a, onScreen("the point", a.At)) }

// Validate checks the point and the duration.
func (a LongPress) Validate() error {
	return because(a, onScreen("the point", a.At), touchTime(a.Hold))
}

// Validate checks the text and the point. Line breaks and tabs can be typed, other control characters cannot.
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

// Validate checks both points, which must differ, and the duration.
func (a Slide) Validate() error {
	return because(a, onScreen("the first point", a.From), onScreen("the second point", a.To),
		apart(a.From, a.To), touchTime(a.Took))
}

// Validate checks the point and the direction.
func (a Scroll) Validate() error {
	var err error
	if !slices.Contains(Directions, a.Direction) {
		err = fmt.Errorf("unknown direction %s (want one of %s)", quoted(string(a.Direction)), list(Directions))
	}
	return because(a, onScreen("the point", a.At), err)
}

// Validate checks both points, which must differ.
func (a Drag) Validate() error {
	return because(a, onScreen("the first point", a.From), onScreen("the second point", a.To), apart(a.From, a.To))
}

// Validate checks the name.
func (a OpenApp) Validate() error {
	err := filled("the app's name", a.App, MaxApp)
	if err == nil && strings.ContainsAny(a.App, "\n\t") {
		err = fmt.Errorf("the app's name %s holds a line break or a tab (want a name or a package on one line)", quoted(a.App))
	}
	return because(a, err)
}

// Validate is nil.
func (a Back) Validate() error { return nil }

// Validate is nil.
func (a Home) Validate() error { return nil }

// Validate is nil.
func (a Recents) Validate() error { return nil }

// Validate checks the key.
func (a HotKey) Validate() error {
	if slices.Contains(Keys, a.Key) {
		return nil
	}
	return because(a, fmt.Errorf("unknown key %s (want one of %s)", quoted(string(a.Key)), list(Keys)))
}

// Validate checks that the time is above 0.
func (a Wait) Validate() error {
	if a.For > 0 {
		return nil
	}
	return because(a, fmt.Errorf("the time is %v (want more than 0, at most %v)", a.For, MaxWait))
}

// Validate checks the question and the options.
func (a Info) Validate() error {
	errs := []error{filled("the question", a.Question, MaxText)}
	if n := len(a.Options); n > MaxOptions {
		errs = append(errs, fmt.Errorf("%d options (want at most %d)", n, MaxOptions))
	}
	for i, o := range a.Options {
		errs = append(errs, filled(fmt.Sprintf("option %d", i+1), o, MaxOption))
	}
	return because(a, errs...)
}

// Validate checks the report.
func (a Complete) Validate() error { return because(a, plain("the report", a.Report, MaxReport)) }

// Validate checks the reason.
func (a Abort) Validate() error { return because(a, plain("the reason", a.Reason, MaxReport)) }

// Validate checks the text.
func (a Note) Validate() error { return because(a, filled("the text", a.Text, MaxText)) }

// because returns the first error, with the verb in front.
func because(a Action, errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: %w", a.Verb(), err)
		}
	}
	return nil
}

func onScreen(what string, p screen.Point) error {
	if p.Valid() {
		return nil
	}
	return fmt.Errorf("%s %v is off the screen (want x and y from 0 to 1, as fractions of the screen)", what, p)
}

func apart(from, to screen.Point) error {
	if from != to {
		return nil
	}
	return fmt.Errorf("both points are %v (want two different points; to hold a point use %s)", from, LongPress{}.Verb())
}

func touchTime(d time.Duration) error {
	if d >= 0 && d <= MaxTouch {
		return nil
	}
	return fmt.Errorf("the duration is %v (want at most %v, or none for the usual one)", d, MaxTouch)
}

func filled(what, s string, limit int) error {
	if strings.TrimSpace(s) == "" {
		return fmt.Errorf("%s is empty (want 1 to %d characters)", what, limit)
	}
	return plain(what, s, limit)
}

// plain checks that s is text: UTF-8 without control characters other than line breaks and tabs, and not too long.
func plain(what, s string, limit int) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("%s is not UTF-8", what)
	}
	if n := utf8.RuneCountInString(s); n > limit {
		return fmt.Errorf("%s has %d characters (want at most %d)", what, n, limit)
	}
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return fmt.Errorf("%s holds the control character %U (want text; line breaks and tabs are allowed)", what, r)
		}
	}
	return nil
}

// quoted is a wrong value for an error, short enough to be told.
func quoted(s string) string {
	const shown = 40
	if utf8.RuneCountInString(s) > shown {
		s = string([]rune(s)[:shown]) + "..."
	}
	return fmt.Sprintf("%q", s)
}

func list[S ~string](all []S) string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}
