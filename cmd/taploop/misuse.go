package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
)

// maxMisuse is how many characters of the parser's message are shown: it quotes arguments.
const maxMisuse = 200

// misuse is a call that the parser refused, in its words, with what shows the right one.
func misuse(err error) error {
	instead := "taploop --help"
	if wrong, is := errors.AsType[*kong.ParseError](err); is && wrong.Context != nil {
		command := commandOf(wrong.Context)
		instead = command + " --help"
		if command == "taploop run" && strings.HasPrefix(err.Error(), "unexpected argument") {
			instead = `put the task in quotes: taploop run "..."`
		}
	}
	return app.Usage(errors.New(text.Cut(err.Error(), maxMisuse)), instead)
}

// commandOf is the command that was meant, as far as it was understood.
func commandOf(c *kong.Context) string {
	words := "taploop"
	for _, p := range c.Path {
		if p.Command != nil {
			words += " " + p.Command.Name
		}
	}
	return words
}

// emptied is an error about an argument that is an empty text, as a shell makes of a variable
// that is not set, and that would be taken for one that was left out. It is nil if missing.
func emptied(c *kong.Context) error {
	command := commandOf(c)
	for _, p := range c.Path {
		switch {
		case p.Positional != nil && p.Positional.Required && p.Positional.Name != "task" &&
			p.Positional.Target.String() == "":
			return app.Usage(fmt.Errorf("the argument %s is empty",
				strings.ToUpper(p.Positional.Name)),
				command+" --help")
		case p.Flag != nil && p.Flag.Tag.Get("empty") == "" && (fmt.Sprint(p.Flag.Target) == "" ||
			fmt.Sprint(reflect.Indirect(p.Flag.Target)) == ""):
			return app.Usage(fmt.Errorf("--%s is empty", p.Flag.Name),
				"leave it out, or see "+command+" --help")
		}
	}
	return nil
}

// inJSON reports whether the arguments are those of a command that promises one JSON object,
// whatever happens.
func inJSON(c *kong.Context) bool {
	if c == nil {
		return false
	}
	command := commandOf(c)
	args := c.Args
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i] // behind it are no flags, whatever they look like
	}
	return slices.Contains([]string{"taploop run", "taploop continue", "taploop skill run",
		"taploop schedule run"}, command) &&
		slices.ContainsFunc(args,
			func(s string) bool { return s == "--json" || s == "--json=true" })
}

// coded is err with the code that programs read: what could not be understood is an invalid
// argument.
func coded(err error) error {
	if wrong, ok := errors.AsType[app.UsageError](err); ok {
		return runs.Coded(runs.InvalidArgument, wrong.Unwrap())
	}
	return err
}
