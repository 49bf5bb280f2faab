package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// indented is a message that may quote a phone or a server, harmless for a terminal: what follows
// its first line is indented.
func indented(s, by string) string { return strings.ReplaceAll(text.Lines(s), "\n", "\n"+by) }

// folded is indented, in lines that fit beside so many columns of the terminal that w leads to.
func folded(w io.Writer, s string, beside int, by string) string {
	if room := tty.Columns(w) - beside; room > beside {
		s = ansi.Wrap(text.Lines(s), room, "")
	}
	return indented(s, by)
}

// prefix is the first n bytes of an id.
func prefix(text string, n int) string { return text[:min(n, len(text))] }

// age is a duration for people: its two largest units at most.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(max(d, 0)/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d/time.Hour), int(d/time.Minute)%60)
	}
	return fmt.Sprintf("%dd", int(d/(24*time.Hour)))
}

// toMinute is the layout of points in time in tables.
const toMinute = "2006-01-02 15:04"

// parseSince reads a point in time. "" is the zero time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := wait.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, toMinute, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, app.Usage(fmt.Errorf("%q is no time", text),
		"write a duration such as 24h or 30d, or a date such as 2026-01-31")
}
