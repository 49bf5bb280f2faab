package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/taploop/taploop/runs"
)

// tty is the terminal that the process was started from. A nil tty is none.
type tty struct{ f *os.File }

// openTTY opens it. There is none for a program that a desktop starts, and none to use while a
// full-screen program has it.
func openTTY() *tty {
	f, err := os.OpenFile(ttyPath, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if !ours(f) {
		f.Close()
		return nil
	}
	return &tty{f}
}

// Close gives the terminal back.
func (t *tty) Close() error {
	if t == nil {
		return nil
	}
	return t.f.Close()
}

// console is the person at the terminal, nil when there is none.
func (t *tty) console() runs.Console {
	if t == nil {
		return nil
	}
	return terminal{newConsole(t.f, t.f), t.f}
}

// serverConsole is the person who started the server: at its terminal, or what is piped into it.
// nil when stdin is neither.
func (a *app) serverConsole() runs.Console {
	f, ok := a.in.(*os.File)
	if !ok {
		return newConsole(a.in, a.err)
	}
	if term.IsTerminal(int(f.Fd())) {
		return terminal{newConsole(f, a.err), f}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return nil // /dev/null, or closed
	}
	return newConsole(f, a.err)
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
