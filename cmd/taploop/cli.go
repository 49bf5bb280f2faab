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
	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/terminal/usage"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/tools/result"
)

// commands is the command line. A flag with a key tag sets that key of the configuration.
type commands struct {
	Config  string           `help:"Configuration file." placeholder:"FILE"`
	Set     []string         `help:"Set any key of the configuration, for example model.temperature=0." placeholder:"KEY=VALUE" sep:"none"`
	Verbose bool             `short:"v" help:"Log what happens inside."`
	Release kong.VersionFlag `name:"version" help:"Print the version."`

	Demo       demoCmd       `cmd:"" help:"See a whole task on a simulated phone, with a scripted model. Needs no phone, no model and no key."`
	Init       initCmd       `cmd:"" help:"Set taploop up for the first time: asks for model, key and phone, writes the configuration and tries it."`
	Run        runCmd        `cmd:"" help:"Hand a task to a phone."`
	Watch      watchCmd      `cmd:"" help:"See what runs on all phones, on a full screen, and answer questions there."`
	Continue   continueCmd   `cmd:"" help:"Go on with a session: answer its question, give it more steps, or a new task."`
	Doctor     doctorCmd     `cmd:"" help:"Look at phones, model, folders and settings, and say how to mend what is wrong."`
	Serve      serveCmd      `cmd:"" help:"Serve MCP: on stdin and stdout, or over HTTP."`
	Host       hostCmd       `cmd:"" help:"Reach a goal with agents that call the tools of MCP servers and hand tasks to phones."`
	Proxy      proxyCmd      `cmd:"" help:"Serve MCP in front of another MCP server, and put its calls to a person before they are carried out."`
	Setup      setupCmd      `cmd:"" help:"Tell an MCP client of this server, in the client's own settings."`
	Test       testCmd       `cmd:"" help:"Run tests of apps in words, from suites, on phones or simulated ones."`
	Skill      skillCmd      `cmd:"" help:"Repeat what a run has done, with other values and without a model where the screens are as they were."`
	Token      tokenCmd      `cmd:"" help:"Create, list and revoke tokens of the HTTP server."`
	UI         uiCmd         `cmd:"" name:"ui" help:"Print a link that logs one browser in to the page of the server that runs."`
	Inquiries  inquiriesCmd  `cmd:"" help:"List the questions that wait for an answer."`
	Answers    answersCmd    `cmd:"" help:"List the answers that are used again when the same is asked, or have them forgotten."`
	Reply      replyCmd      `cmd:"" help:"Answer a question, whoever asked it and wherever else it is shown."`
	Audit      auditCmd      `cmd:"" help:"Tell who asked, answered, stopped what, when and how."`
	Schedule   scheduleCmd   `cmd:"" help:"Begin tasks at times, in the server that is up."`
	Backup     backupCmd     `cmd:"" help:"Write all that is stored to one file, while servers go on, and read it back."`
	Restore    restoreCmd    `cmd:"" help:"Make the data folder from a backup."`
	Stop       stopCmd       `cmd:"" help:"Stop a session's run, and give its phone back."`
	Say        sayCmd        `cmd:"" help:"Say something to a task while it is under way."`
	Guard      guardCmd      `cmd:"" help:"Tell what the guard's rules make of actions."`
	Yolo       yoloCmd       `cmd:"" help:"Go on for a while without asking about what is not critical."`
	Devices    devicesCmd    `cmd:"" help:"List the phones."`
	Connect    connectCmd    `cmd:"" help:"Connect a phone on the network."`
	Disconnect disconnectCmd `cmd:"" help:"Disconnect a phone on the network."`
	Pair       pairCmd       `cmd:"" help:"Pair a phone for wireless debugging, by its code or by a QR code."`
	Sessions   sessionsCmd   `cmd:"" help:"List, show and export sessions."`
	Farm       farmCmd       `cmd:"" help:"Tell what the machines that share a store are at, and change that."`
	Store      storeCmd      `cmd:"" help:"Migrate, check and copy the store of sessions and questions."`
	Sandbox    sandboxCmd    `cmd:"" help:"Serve a simulated phone, and a scripted model for its tasks."`
	Bench      benchCmd      `cmd:"" help:"Measure models on the simulated phone's tasks, each checked on the phone's state."`
	Replay     replayCmd     `cmd:"" help:"Ask another model about every step of a session, and tell how far it agrees. No phone is touched."`
	Prompt     promptCmd     `cmd:"" help:"Show the prompt of a step, or check a template of it."`
	Calibrate  calibrateCmd  `cmd:"" help:"Find out how a model replies and writes places, on drawn screens with known targets. Needs no phone."`
	Configure  configCmd     `cmd:"" name:"config" help:"Show the configuration, or import gelab-zero's."`
	Upgrade    upgradeCmd    `cmd:"" help:"Tell whether there is a newer version, where one is configured to be looked for."`
	Complete   completionCmd `cmd:"" name:"completion" help:"Print what completes this command line in a shell."`
	Man        manCmd        `cmd:"" hidden:"" help:"Print the manual page."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
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
	parser, err := newParser(&c, s, &helped)
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
			Options: config.Options{File: c.Config, Environ: environ}, Version: ownVersion(),
			Note: s.notef,
			Log:  slog.New(newLog(s.err, "", startLevel(c.Verbose)))}}
		if a.Options.Flags, err = settings(k, c.Set); err == nil {
			k.BindTo(ctx, (*context.Context)(nil))
			err = k.Run(a)
		}
	}
	return inResult(s.out, k, err)
}

// newParser is the command line. helped is set when the help was printed; nil is for no help.
func newParser(c *commands, s streams, helped *bool) (*kong.Kong, error) {
	examples, err := usage.Examples()
	if err != nil {
		return nil, err
	}
	parser, err := kong.New(c, kong.Name("taploop"),
		kong.Writers(s.out, s.err), kong.Exit(func(int) {
			if helped != nil {
				*helped = true
			}
		}),
		helpWords(), kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(decodeDuration)),
		kong.Description("Hand tasks to an Android phone: a vision model looks and decides, "+
			"the phone acts over ADB.\n\n"+exitCodes()),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err == nil {
		usage.Show(parser.Model.Node, examples)
	}
	return parser, err
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

// startLevel is that of the log until the configuration is known.
func startLevel(verbose bool) slog.Level {
	if verbose {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}
