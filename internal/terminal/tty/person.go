package tty

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/text"
)

// Open is the person at the terminal that the process was started from; close gives the terminal
// back. It is nil for a program that a desktop starts, and while a full-screen program has the
// terminal.
func Open() (person terminal.Lines, close func() error) {
	f, err := os.OpenFile(ttyPath, os.O_RDWR, 0)
	if err != nil || !ours(f) {
		_ = f.Close() // a file that is nil or closed refuses this harmlessly
		return nil, f.Close
	}
	return owned{NewConsole(f, text.NewWriter(f)), f}, f.Close
}

// Person is the person who started the command: at its terminal, or what is piped into it; close
// gives the terminal back. It is nil when stdin is neither. The question is asked at the terminal
// also when stderr leads elsewhere.
func Person(in io.Reader, out io.Writer) (person terminal.Lines, close func() error) {
	keep := func() error { return nil }
	f, ok := Of(in)
	if ok {
		if _, seen := Of(out); !seen {
			if person, close = Open(); person != nil {
				return person, close
			}
		}
		return owned{NewConsole(f, out), f}, keep
	}
	if f != nil {
		if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
			return nil, keep // /dev/null, or closed
		}
	}
	return NewConsole(in, out), keep
}

// Attended reports whether a person is at the command's terminal, and reads what it says.
func Attended(in io.Reader, out io.Writer) bool {
	_, reads := Of(in)
	_, sees := Of(out)
	return reads && sees
}

// owned is a console that asks only while the terminal is ours: reading it from the background
// would stop the process.
type owned struct {
	*Console
	f *os.File
}

// Ask implements terminal.Lines.
func (t owned) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	if !ours(t.f) {
		return "", fmt.Errorf("another program has the terminal: %w", io.EOF)
	}
	return t.Console.Ask(ctx, prompt, secret)
}
