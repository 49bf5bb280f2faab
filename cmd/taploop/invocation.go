package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/taploop/taploop/internal/app"
)

// streams are the three standard streams of one invocation.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// notef prints a line on stderr, for the person at the terminal.
func (s *streams) notef(format string, args ...any) { fmt.Fprintf(s.err, format+"\n", args...) }

// invocation is one call of the program: its streams, and the settings that parts are made from.
type invocation struct {
	streams
	app.Settings
	args    []string
	verbose bool
}

// quiet logs nothing from here on, unless it is asked for: who watches a run sees its steps.
func (a *invocation) quiet() {
	if !a.verbose {
		a.Log = slog.New(slog.DiscardHandler)
	}
}

// ended is a command that did its work, with an ending that is not 0. It has been reported already.
type ended int

func (e ended) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
