package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/words"
)

// streams are the three standard streams of one invocation.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// notef prints a line on stderr, for the person at the terminal.
func (s *streams) notef(format string, args ...any) {
	fmt.Fprintln(s.err, folded(s.err, fmt.Sprintf(format, args...), 0, ""))
}

// invocation is one call of the program: its streams, and the settings that parts are made from.
type invocation struct {
	streams
	app.Settings
	args    []string
	verbose bool
}

// notef prints a line on stderr in the language of the person at the terminal.
func (a *invocation) notef(format string, args ...any) {
	a.streams.notef("%s", a.phrase(fmt.Sprintf(format, args...)))
}

// phrase is what the program says in the language of the person at the terminal.
func (a *invocation) phrase(said string) string { return words.Phrase(a.Lang(), said) }

// term is a word that programs know in a table: as it is for them, and in the language of the
// person at a terminal.
func (a *invocation) term(word string) string {
	if tty.Columns(a.out) == 0 {
		return word
	}
	return a.phrase(word)
}

// state is how a run stands: its code for programs, and for the person at a terminal the words of
// told, or the ones that every list has.
func (a *invocation) state(s store.State, told map[store.State]string) string {
	if tty.Columns(a.out) == 0 {
		return string(s)
	}
	return cmp.Or(told[s], export.EndsIn(a.Lang()).States[s])
}

// tell prints a line on stdout, as [invocation.term] has it.
func (a *invocation) tell(said string) error {
	_, err := fmt.Fprintln(a.out, a.term(said))
	return err
}

// Load reads the configuration, and logs from here on as it says.
func (a *invocation) Load() error { return a.loadLogging(slog.LevelWarn) }

// loadLogging is Load for a command that logs from that level on unless it is configured.
func (a *invocation) loadLogging(level slog.Level) error {
	if err := a.Settings.Load(); err != nil {
		return err
	}
	l := a.Conf.Log
	switch {
	case a.verbose:
		level = slog.LevelDebug
	case l.Level != config.Auto:
		if err := level.UnmarshalText([]byte(l.Level)); err != nil {
			return err // which its check refuses
		}
	}
	a.Log = logs.New(a.err, l.Format, level)
	return nil
}

// quiet logs nothing from here on, unless a level is set: who watches a run sees its steps.
func (a *invocation) quiet() {
	if !a.verbose && (a.Conf == nil || a.Conf.Log.Level == config.Auto) {
		a.Log = slog.New(slog.DiscardHandler)
	}
}

// ended is a command that did its work, with an ending that is not 0. It has been reported already.
type ended int

func (e ended) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
