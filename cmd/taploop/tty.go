package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/text"
)

// openTTY is the person at the terminal that the process was started from; close gives the terminal
// back. It is nil for a program that a desktop starts, and while a full-screen program has the
// terminal.
func openTTY() (person terminal.Lines, close func() error) {
	f, err := os.OpenFile(ttyPath, os.O_RDWR, 0)
	if err != nil || !ours(f) {
		_ = f.Close() // a file that is nil or closed refuses this harmlessly
		return nil, f.Close
	}
	return tty{newConsole(f, text.NewWriter(f)), f}, f.Close
}

// console is the person who started the command: at its terminal, or what is piped into it; close
// gives the terminal back. It is nil when stdin is neither. The question is asked at the terminal
// also when stderr leads elsewhere.
func (s *streams) console() (person terminal.Lines, close func() error) {
	keep := func() error { return nil }
	f, ok := terminalOf(s.in)
	if ok {
		if _, seen := terminalOf(s.err); !seen {
			if person, close = openTTY(); person != nil {
				return person, close
			}
		}
		return tty{newConsole(f, s.err), f}, keep
	}
	if f != nil {
		if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
			return nil, keep // /dev/null, or closed
		}
	}
	return newConsole(s.in, s.err), keep
}

// attended reports whether a person is at the command's terminal, and reads what it says.
func (s *streams) attended() bool {
	_, reads := terminalOf(s.in)
	_, sees := terminalOf(s.err)
	return reads && sees
}

// tty is a console that asks only while the terminal is ours: reading it from the background
// would stop the process.
type tty struct {
	*console
	f *os.File
}

// Ask implements terminal.Lines.
func (t tty) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	if !ours(t.f) {
		return "", fmt.Errorf("another program has the terminal: %w", io.EOF)
	}
	return t.console.Ask(ctx, prompt, secret)
}

// asksHere reports whether a person is at the terminal, and nothing else was said of questions.
func (a *invocation) asksHere(json bool) bool {
	return a.Conf.Origin("reply.mode") == config.ByDefault && !json && a.attended()
}
