package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
	"github.com/taploop/taploop/tools/result"
)

// commands is the command line. A flag with a key tag sets that key of the configuration.
type commands struct {
	Config  string           `placeholder:"FILE"`
	Set     []string         `placeholder:"KEY=VALUE" sep:"none"`
	Verbose bool             `short:"v"`
	Release kong.VersionFlag `name:"version"`

	Demo       demoCmd       `cmd:""`
	Init       initCmd       `cmd:""`
	Run        runCmd        `cmd:""`
	Watch      watchCmd      `cmd:""`
	Continue   continueCmd   `cmd:""`
	Doctor     doctorCmd     `cmd:""`
	Serve      serveCmd      `cmd:""`
	Host       hostCmd       `cmd:""`
	Proxy      proxyCmd      `cmd:""`
	Setup      setupCmd      `cmd:""`
	Test       testCmd       `cmd:""`
	Skill      skillCmd      `cmd:""`
	Token      tokenCmd      `cmd:""`
	UI         uiCmd         `cmd:"" name:"ui"`
	Inquiries  inquiriesCmd  `cmd:""`
	Answers    answersCmd    `cmd:""`
	Reply      replyCmd      `cmd:""`
	Audit      auditCmd      `cmd:""`
	Schedule   scheduleCmd   `cmd:""`
	Backup     backupCmd     `cmd:""`
	Restore    restoreCmd    `cmd:""`
	Stop       stopCmd       `cmd:""`
	Say        sayCmd        `cmd:""`
	Guard      guardCmd      `cmd:""`
	Yolo       yoloCmd       `cmd:""`
	Devices    devicesCmd    `cmd:""`
	Connect    connectCmd    `cmd:""`
	Disconnect disconnectCmd `cmd:""`
	Pair       pairCmd       `cmd:""`
	Sessions   sessionsCmd   `cmd:""`
	Farm       farmCmd       `cmd:""`
	Store      storeCmd      `cmd:""`
	Sandbox    sandboxCmd    `cmd:""`
	Bench      benchCmd      `cmd:""`
	Replay     replayCmd     `cmd:""`
	Prompt     promptCmd     `cmd:""`
	Calibrate  calibrateCmd  `cmd:""`
	Configure  configCmd     `cmd:"" name:"config"`
	Upgrade    upgradeCmd    `cmd:""`
	Complete   completionCmd `cmd:"" name:"completion"`
	Man        manCmd        `cmd:"" hidden:""`
	Version    versionCmd    `cmd:""`
}

// run is the program. It returns the exit code. All that is printed is harmless for a terminal,
// whoever's words are in it: phones, servers, models, files and callers are quoted everywhere.
func run(ctx context.Context, args, environ []string, s streams) int {
	if f, ok := tty.Of(s.err); ok && os.Getenv("TERM") != "dumb" {
		s.err = tty.NewStatus(f)
	}
	s.out, s.err = text.NewWriter(s.out), text.NewWriter(s.err)
	system := config.Options{Environ: environ}
	return report(s.err, app.LangOf(system.Getenv), dispatch(ctx, args, environ, s))
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
	system := config.Options{Environ: environ}
	parser, err := newParser(&c, s, app.LangOf(system.Getenv), &helped)
	if err != nil {
		return err
	}
	k, err := parser.Parse(args)
	if helped {
		return nil
	}
	if err != nil {
		if wrong, is := errors.AsType[*kong.ParseError](err); is {
			k = wrong.Context
		}
		err = misuse(err)
	} else if err = emptied(k); err == nil {
		level := slog.LevelWarn // until the configuration is known
		if c.Verbose {
			level = slog.LevelDebug
		}
		a := &invocation{streams: s, args: args, verbose: c.Verbose, Settings: app.Settings{
			Options: config.Options{File: c.Config, Environ: environ}, Version: ownVersion(),
			Note: s.notef,
			Log:  logs.New(s.err, "", level)}}
		if a.Options.Flags, err = settings(k, c.Set); err == nil {
			k.BindTo(ctx, (*context.Context)(nil))
			err = k.Run(a)
		}
	}
	return inResult(s.out, k, err)
}

// newParser is the command line, with its help in the language. helped is set when the help was
// printed; nil is for no help.
func newParser(c *commands, s streams, lang string, helped *bool) (*kong.Kong, error) {
	return kong.New(c, kong.Name("taploop"),
		kong.Writers(s.out, s.err), kong.Exit(func(int) {
			if helped != nil {
				*helped = true
			}
		}),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(decodeDuration)),
		kong.Vars{"version": versionLine()},
		kong.Help(func(o kong.HelpOptions, k *kong.Context) error {
			if err := describe(k.Model.Node, lang); err != nil {
				return err
			}
			var help strings.Builder
			out := k.Stdout
			k.Stdout = &help
			err := kong.DefaultHelpPrinter(o, k)
			k.Stdout = out
			for line := range strings.Lines(help.String()) {
				fmt.Fprint(out, words.Phrase(lang, strings.TrimSuffix(line, "\n"))+"\n")
			}
			return err
		}),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
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
		command := commandOf(k)
		next = &nextCommand{Command: command + " --help", Why: "it shows how to call it"}
	}
	_ = printJSON(out, shownResult{Result: result.Failed(coded(err)), Next: next})
	return err
}

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
