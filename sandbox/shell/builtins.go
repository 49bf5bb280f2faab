package shell

import (
	"context"
	"io"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// ownCommand before a name keeps the interpreter's own builtin, or a function, of that name from being run.
const ownCommand = "\x01"

// interpreted are the builtins that must act on the interpreter's state and touch nothing else. Every other builtin is
// ours or does not exist.
var interpreted = map[string]bool{
	":": true, "break": true, "cd": true, "continue": true, "exec": true, "exit": true, "export": true, "getopts": true,
	"local": true, "read": true, "readonly": true, "return": true, "set": true, "shift": true, "unset": true, "wait": true,
}

// onCall sees every simple command before it runs: it counts it, checks the text of eval and its like, and sends the
// names of builtins that look at the host to our own commands.
func (l *line) onCall(ctx context.Context, args []string) ([]string, error) {
	if err := l.admit(); err != nil {
		return nil, err
	}
	name, rest := args[0], args[1:]
	stderr := interp.HandlerCtx(ctx).Stderr
	switch {
	case name == "eval":
		return l.vetted(stderr, strings.Join(rest, " ")), nil
	case name == "." || name == "source":
		return l.source(ctx, name, rest), nil
	case name == "trap":
		return l.trap(stderr, args), nil
	case name == "cd":
		return l.cd(ctx, args), nil
	case name == "command" || name == "builtin":
		return unwrapped(name, rest), nil
	case interpreted[name] || !interp.IsBuiltin(name):
		return args, nil
	}
	return append([]string{ownCommand + name}, rest...), nil
}

// vetted is the eval of a text that was looked through, or a failure that says what is wrong with it.
func (l *line) vetted(stderr io.Writer, src string) []string {
	text, err := l.rewrite(src)
	if err != nil {
		complain(stderr, "%s: eval: syntax error: %v", shName, err)
		return []string{ownCommand + "false"}
	}
	return []string{"eval", text}
}

// rewrite parses and vets shell text and prints it again, as the interpreter will parse it once more.
func (l *line) rewrite(src string) (string, error) {
	file, err := parse(src, l.sh.limits.source, false)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, file); err != nil {
		return "", err
	}
	return b.String(), nil
}

// source reads a script of the phone's storage; a script that cannot be read ends the shell, as POSIX has it.
func (l *line) source(ctx context.Context, name string, args []string) []string {
	hc := interp.HandlerCtx(ctx)
	if len(args) == 0 {
		complain(hc.Stderr, "%s: %s: missing argument", shName, name)
		return []string{"exit", "1"}
	}
	src, err := l.sh.storage().Read(join(hc.Dir, args[0]))
	if err != nil {
		complain(hc.Stderr, "%s: %s: %s: %s", shName, name, args[0], strerror(err))
		return []string{"exit", "1"}
	}
	return l.vetted(hc.Stderr, string(src))
}

// cd refuses a folder that is not there in the phone's words; the interpreter does the rest.
func (l *line) cd(ctx context.Context, args []string) []string {
	hc := interp.HandlerCtx(ctx)
	if len(args) != 2 || args[1] == "-" || args[1] == "" {
		return args
	}
	info, err := l.sh.storage().Stat(join(hc.Dir, args[1]))
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err == nil {
		return args
	}
	complain(hc.Stderr, "%s: cd: %s: %s", shName, args[1], strerror(err))
	return []string{ownCommand + "exit", "2"}
}

// trap looks the command of a trap through before it is kept.
func (l *line) trap(stderr io.Writer, args []string) []string {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[0] == "-" {
		return args
	}
	text, err := l.rewrite(rest[0])
	if err != nil {
		complain(stderr, "%s: trap: syntax error: %v", shName, err)
		return []string{ownCommand + "false"}
	}
	var sigs []string
	for _, s := range rest[1:] {
		if s == "EXIT" || s == "0" || s == "ERR" {
			sigs = append(sigs, strings.Replace(s, "0", "EXIT", 1))
		}
	}
	if len(sigs) == 0 { // there are no signals here to be trapped
		return []string{":"}
	}
	return append([]string{"trap", "--", text}, sigs...)
}

// unwrapped is the command that command(1) runs: never a function.
func unwrapped(name string, args []string) []string {
	for len(args) > 0 && args[0] == "-p" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return []string{":"}
	case args[0] == "-v" || args[0] == "-V":
		return append([]string{ownCommand + "command"}, args...)
	case args[0] == "--":
		return unwrapped(name, args[1:])
	case interpreted[args[0]]:
		return args
	}
	return append([]string{ownCommand + args[0]}, args[1:]...)
}
