package tty

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Wrapper is a writer in front of another one.
type Wrapper interface{ Unwrap() io.Writer }

// Of is the terminal that a stream leads to, if it does.
func Of(stream any) (f *os.File, ok bool) {
	for w, wraps := stream.(Wrapper); wraps; w, wraps = stream.(Wrapper) {
		stream = w.Unwrap()
	}
	f, ok = stream.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// Columns returns the width of the terminal that the stream leads to, or 0.
func Columns(stream any) int {
	f, ok := Of(stream)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Wrap returns a line that begins with a label, in lines of at most so many columns. 0 means no
// limit. What does not fit stands below the words, not below the label.
func Wrap(label, words string, columns int) string {
	indent := ansi.StringWidth(label)
	if room := columns - indent; room > indent {
		words = ansi.Wrap(words, room, "")
	}
	return label + strings.ReplaceAll(words, "\n", "\n"+strings.Repeat(" ", indent)) + "\n"
}

// Sheet prints lines that keep to a terminal's width.
type Sheet struct {
	To      io.Writer
	Columns int    // 0 is any number
	Lang    string // of the labels
}

// label is a label in the sheet's language.
func (p Sheet) label(said string) string {
	name := strings.TrimRight(strings.TrimLeft(said, " "), ": ")
	if to := words.Phrase(p.Lang, name); to != name {
		before, after, _ := strings.Cut(said, name)
		if strings.HasPrefix(after, ":") {
			after = "："
		}
		return before + to + after
	}
	return said
}

// Line prints words behind a label. It skips an empty text.
func (p Sheet) Line(label, value string) {
	if value = text.Line(value); value != "" {
		fmt.Fprint(p.To, Wrap(p.label(label), value, p.Columns))
	}
}

// tab stands for a TAB, which parts the fields of a reply.
const tab = "⇥"

// Written prints what a model wrote, as it wrote it: whole, with its lines and its TABs.
func (p Sheet) Written(label, value string) {
	value = strings.ReplaceAll(text.Lines(strings.TrimRight(value, "\n")), "\t", tab)
	if strings.TrimSpace(value) != "" {
		fmt.Fprint(p.To, Wrap(p.label(label), value, p.Columns))
	}
}
