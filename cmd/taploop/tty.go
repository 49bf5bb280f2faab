package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
)

// openTTY is the person at the terminal that the process was started from; close gives the terminal
// back. It is nil for a program that a desktop starts, and while a full-screen program has the
// terminal.
func openTTY() (person runs.Console, close func() error) {
	f, err := os.OpenFile(ttyPath, os.O_RDWR, 0)
	if err != nil || !ours(f) {
		_ = f.Close() // a file that is nil or closed refuses this harmlessly
		return nil, f.Close
	}
	return terminal{newConsole(f, text.NewWriter(f)), f}, f.Close
}

// serverConsole is the person who started the server: at its terminal, or what is piped into it.
// nil when stdin is neither.
func (a *app) serverConsole() runs.Console {
	f, ok := terminalOf(a.in)
	if ok {
		return terminal{newConsole(f, a.err), f}
	}
	if f != nil {
		if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
			return nil // /dev/null, or closed
		}
	}
	return newConsole(a.in, a.err)
}

// terminal is a console that asks only while the terminal is ours: reading it from the background
// would stop the process.
type terminal struct {
	*console
	f *os.File
}

// Ask implements runs.Console.
func (t terminal) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	if !ours(t.f) {
		return "", fmt.Errorf("another program has the terminal: %w", io.EOF)
	}
	return t.console.Ask(ctx, prompt, secret)
}
