package actions

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// Limits of what a model can ask for. Lengths are in characters.
const (
	MaxWait    = 60 * time.Second // a longer Wait is cut to this
	MaxTouch   = 30 * time.Second // the longest hold or slide
	MaxText    = 4000             // of Type.Text, Info.Question and Note.Text
	maxApp     = 200              // of OpenApp.App
	maxOption  = 200              // of one of Info.Options
	maxOptions = 20               // how many Info.Options
	maxReport  = 20000            // of Complete.Report and Abort.Reason
)

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
	return fmt.Errorf("%s %v is off the screen "+
		"(want x and y from 0 to 1, as fractions of the screen)", what, p)
}

func touchTime(d time.Duration) error {
	if d >= 0 && d <= MaxTouch {
		return nil
	}
	return fmt.Errorf("the duration is %v (want at most %v, or none for the usual one)",
		d, MaxTouch)
}

func filled(what, s string, limit int) error {
	if strings.TrimSpace(s) == "" {
		return fmt.Errorf("%s is empty (want 1 to %d characters)", what, limit)
	}
	return plain(what, s, limit)
}

// plain checks that s is text: UTF-8 without control characters other than line breaks and tabs,
// and not too long.
func plain(what, s string, limit int) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("%s is not UTF-8", what)
	}
	if n := utf8.RuneCountInString(s); n > limit {
		return fmt.Errorf("%s has %d characters (want at most %d)", what, n, limit)
	}
	if r, found := text.Control(s, "\n\t"); found {
		return fmt.Errorf("%s holds the control character %U "+
			"(want text; line breaks and tabs are allowed)", what, r)
	}
	return nil
}

func list[S ~string](all []S) string {
	return strings.Join(text.Each(all, func(s S) string { return string(s) }), ", ")
}

// usual is the duration of a touch, 1.5 s when none is given.
func usual(d time.Duration) time.Duration { return cmp.Or(d, 1500*time.Millisecond) }

// How many characters of a text are shown in a description, and of a wrong value in an error.
const (
	maxDescribed = 80
	maxQuoted    = 40
)
