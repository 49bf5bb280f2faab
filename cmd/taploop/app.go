package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/tools/result"
)

// commands is the command line. A flag with a key tag sets that key of the configuration.
type commands struct {
	Config  string           `help:"Configuration file." placeholder:"FILE"`
	Set     []string         `help:"Set any key of the configuration, for example model.temperature=0." placeholder:"KEY=VALUE" sep:"none"`
	Verbose bool             `short:"v" help:"Log what happens inside."`
	Release kong.VersionFlag `name:"version" help:"Print the version."`

	Demo      demoCmd      `cmd:"" help:"See a whole task on a simulated phone, with a scripted model. Needs no phone, no model and no key."`
	Run       runCmd       `cmd:"" help:"Hand a task to a phone."`
	Continue  continueCmd  `cmd:"" help:"Go on with a session: answer its question, give it more steps, or a new task."`
	Serve     serveCmd     `cmd:"" help:"Serve MCP: on stdin and stdout, or over HTTP."`
	Host      hostCmd      `cmd:"" help:"Reach a goal with agents that call the tools of MCP servers and hand tasks to phones."`
	Proxy     proxyCmd     `cmd:"" help:"Serve MCP in front of another MCP server, and put its calls to a person before they are carried out."`
	Setup     setupCmd     `cmd:"" help:"Tell an MCP client of this server, in the client's own settings."`
	Token     tokenCmd     `cmd:"" help:"Create, list and revoke tokens of the HTTP server."`
	UI        uiCmd        `cmd:"" name:"ui" help:"Print a link that logs one browser in to the page of the server that runs."`
	Inquiries inquiriesCmd `cmd:"" help:"List the questions that wait for an answer."`
	Answers   answersCmd   `cmd:"" help:"List the answers that are used again when the same is asked, or have them forgotten."`
	Reply     replyCmd     `cmd:"" help:"Answer a question, whoever asked it and wherever else it is shown."`
	Audit     auditCmd     `cmd:"" help:"Tell who asked, answered, stopped what, when and how."`
	Stop      stopCmd      `cmd:"" help:"Stop a session's run, and give its phone back."`
	Guard     guardCmd     `cmd:"" help:"Tell what the guard's rules make of actions."`
	Yolo      yoloCmd      `cmd:"" help:"Go on for a while without asking about what is not critical."`
	Devices   devicesCmd   `cmd:"" help:"List the phones."`
	Sessions  sessionsCmd  `cmd:"" help:"List, show and export sessions."`
	Sandbox   sandboxCmd   `cmd:"" help:"Serve a simulated phone, and a scripted model for its tasks."`
	Bench     benchCmd     `cmd:"" help:"Measure models on the simulated phone's tasks, each checked on the phone's state."`
	Replay    replayCmd    `cmd:"" help:"Ask another model about every step of a session, and tell how far it agrees. No phone is touched."`
	Prompt    promptCmd    `cmd:"" help:"Show the prompt of a step, or check a template of it."`
	Calibrate calibrateCmd `cmd:"" help:"Find out how a model replies and writes places, on drawn screens with known targets. Needs no phone."`
	Configure configCmd    `cmd:"" name:"config" help:"Show the configuration, or import gelab-zero's."`
	Version   versionCmd   `cmd:"" help:"Print the version."`
}

// invocation is one call of the program: its streams, and the settings that parts are made from.
type invocation struct {
	streams
	app.Settings
	args    []string
	verbose bool
}

// run is the program. It returns the exit code. All that is printed is harmless for a terminal,
// whoever's words are in it: phones, servers, models, files and callers are quoted everywhere.
func run(ctx context.Context, args, environ []string, s streams) int {
	if f, ok := terminalOf(s.err); ok && os.Getenv("TERM") != "dumb" {
		s.err = &statusLine{f: f}
	}
	s.out, s.err = text.NewWriter(s.out), text.NewWriter(s.err)
	system := config.Options{Environ: environ}
	say := wordsIn(app.LangOf(system.Getenv))
	return report(s.err, say, dispatch(ctx, args, environ, s))
}

func dispatch(ctx context.Context, args, environ []string, s streams) error {
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help":
		args = append(slices.Clone(args[1:]), "--help")
	}
	var c commands
	var helped bool
	parser, err := kong.New(&c, kong.Name("taploop"),
		kong.Writers(s.out, s.err), kong.Exit(func(int) { helped = true }),
		helpWords(),
		kong.Description("Hand tasks to an Android phone: a vision model looks and decides, "+
			"the phone acts over ADB.\n\n"+exitCodes()),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		return err
	}
	k, err := parser.Parse(args)
	if helped {
		return nil
	}
	if err != nil {
		var wrong *kong.ParseError
		if errors.As(err, &wrong) {
			k = wrong.Context
		}
		err = misuse(err)
	} else if err = emptied(k); err == nil {
		a := &invocation{streams: s, args: args, verbose: c.Verbose, Settings: app.Settings{
			Options: config.Options{File: c.Config, Environ: environ}, Note: s.notef,
			Log: logger(s.err, c.Verbose)}}
		if a.Options.Flags, err = settings(k, c.Set); err == nil {
			err = k.Run(a)
		}
	}
	return inResult(s.out, k, err)
}

// helpWords are what the help takes from elsewhere.
func helpWords() kong.Vars {
	needsNoClient := slices.DeleteFunc(channel.Steps(),
		func(c channel.Channel) bool { return c.Name == string(channel.Elicit) })
	return kong.Vars{"version": versionLine(), "reply_modes": channel.Names(channel.Steps()),
		"terminal_modes": channel.Names(needsNoClient),
		"clients":        strings.Join(clients.Names(), ", ")}
}

// inResult writes an error of a command that promises a JSON object as one. The error is reported
// on stderr all the same, with its code.
func inResult(out io.Writer, k *kong.Context, err error) error {
	if _, reported := errors.AsType[ended](err); err == nil || reported || !inJSON(k) {
		return err
	}
	var stopped *stoppedShort
	var next *nextCommand
	_, wrong := errors.AsType[app.UsageError](err)
	switch {
	case errors.As(err, &stopped):
		next = stopped.next
	case wrong:
		command, _ := commandOf(k)
		next = &nextCommand{Command: command + " --help", Why: "it shows how to call it"}
	}
	_ = printJSON(out, shownResult{result.Failed(coded(err)), next})
	return err
}

// notef prints a line for the person at the terminal; stdout is for programs.
func (s *streams) notef(format string, args ...any) { fmt.Fprintf(s.err, format+"\n", args...) }

// settings collects the configuration keys that the command line sets.
func settings(k *kong.Context, pairs []string) (map[string]any, error) {
	flags := map[string]any{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, app.Usage(fmt.Errorf("--set %q has no value", pair),
				"write --set KEY=VALUE")
		}
		if strings.HasSuffix(key, "api_key") {
			env := "TAPLOOP_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
			return nil, app.Usage(fmt.Errorf(
				"%s cannot be set on the command line, where others can read it", key),
				"set "+env+", or "+key+"_file")
		}
		flags[key] = value
	}
	for _, f := range k.Flags() {
		if key := f.Tag.Get("key"); key != "" && f.Set {
			flags[key] = fmt.Sprint(f.Target.Interface())
		}
	}
	return flags, nil
}

// quiet logs nothing from here on, unless it is asked for: who watches a run sees its steps.
func (a *invocation) quiet() {
	if !a.verbose {
		a.Log = slog.New(slog.DiscardHandler)
	}
}

func logger(w io.Writer, verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// ended is a command that did its work, with an ending that is not 0. It has been reported already.
type ended int

func (e ended) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// report prints err with its hints and returns the exit code.
func report(w io.Writer, say texts, err error) int {
	var code ended
	if errors.As(err, &code) {
		return int(code)
	}
	if err == nil {
		return exitDone
	}
	for _, e := range split(err) {
		code := runs.CodeOf(e) // that of any error without one is InternalError
		if first := say.InFront[string(code)]; first != "" && code != runs.InternalError {
			fmt.Fprintf(w, "%s\n", first)
		}
		fmt.Fprintf(w, "taploop: %s\n", indented(e.Error(), "    "))
		try := hint.Of(e)
		if runs.CodeOf(e) == runs.SessionNotFound {
			try = "taploop sessions list, and pass the id of one of them"
		}
		if try != "" {
			fmt.Fprintf(w, "  try: %s\n", indented(try, "       "))
		}
	}
	return exitOf(err)
}

// indented is a message that may quote a phone or a server, harmless for a terminal: what follows
// its first line is no line of ours.
func indented(s, by string) string { return strings.ReplaceAll(text.Lines(s), "\n", "\n"+by) }

// split takes joined errors apart, so that each is shown with its own hint.
func split(err error) []error {
	if wrong, ok := err.(app.UsageError); ok {
		err = wrong.Unwrap()
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
