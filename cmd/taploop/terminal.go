package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/taploop/taploop/internal/text"
)

// wrapper is a writer in front of another one.
type wrapper interface{ Unwrap() io.Writer }

// terminalOf is the terminal that a stream leads to, if it does.
func terminalOf(stream any) (f *os.File, ok bool) {
	for w, wraps := stream.(wrapper); wraps; w, wraps = stream.(wrapper) {
		stream = w.Unwrap()
	}
	f, ok = stream.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// columnsOf returns the width of the terminal that the stream leads to, or 0.
func columnsOf(stream any) int {
	f, ok := terminalOf(stream)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// wrapped is a line that begins with a label, in lines of at most so many columns. 0 means no
// limit. What does not fit stands below the words, not below the label.
func wrapped(label, words string, columns int) string {
	indent := ansi.StringWidth(label)
	if room := columns - indent; room > indent {
		words = ansi.Wrap(words, room, "")
	}
	return label + strings.ReplaceAll(words, "\n", "\n"+strings.Repeat(" ", indent)) + "\n"
}

// indented is a message that may quote a phone or a server, harmless for a terminal: what follows
// its first line is indented.
func indented(s, by string) string { return strings.ReplaceAll(text.Lines(s), "\n", "\n"+by) }

// tenths is a duration to a tenth of a second.
func tenths(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

// plural is a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
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

// sheet prints lines that keep to a terminal's width.
type sheet struct {
	to      io.Writer
	columns int // 0 is any number
}

// line prints words behind a label. It skips an empty text.
func (p sheet) line(label, words string) {
	if words = text.Line(words); words != "" {
		fmt.Fprint(p.to, wrapped(label, words, p.columns))
	}
}

// tab stands for a TAB, which parts the fields of a reply.
const tab = "⇥"

// written prints what a model wrote, as it wrote it: whole, with its lines and its TABs.
func (p sheet) written(label, words string) {
	words = strings.ReplaceAll(text.Lines(strings.TrimRight(words, "\n")), "\t", tab)
	if strings.TrimSpace(words) != "" {
		fmt.Fprint(p.to, wrapped(label, words, p.columns))
	}
}
