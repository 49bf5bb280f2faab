package shell

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/taploop/taploop/internal/sandbox"
)

// shName is how the phone's shell calls itself in its messages.
const shName = "/system/bin/sh"

// Exit codes that Android's commands share.
const (
	exitOK       = 0
	exitFailure  = 1
	exitService  = 20  // cmd: there is no such service
	exitTimeout  = 124 // of timeout: the time was over
	exitNotFound = 127 // the shell: there is no such command
	exitKilled   = 137 // ended from outside, as by SIGKILL
	exitPipe     = 141 // ended by SIGPIPE
	exitMinus    = 255 // a system service's command answered -1
)

// Shell runs command lines on one phone. It is safe for concurrent use; what two lines do at once
// happens on the phone in some order, each command whole.
type Shell struct {
	phone    *sandbox.Simulator
	commands map[string]command
	save     func(name string, data []byte) error
	dir      string // of Exec
}

// New makes a shell for a phone.
func New(phone *sandbox.Simulator) *Shell {
	all := androidCommands()
	maps.Copy(all, smallTools())
	return &Shell{phone: phone, commands: all, dir: "/", save: phone.Files().Write}
}

// Phone is the phone that the lines act on.
func (s *Shell) Phone() *sandbox.Simulator { return s.phone }

// In returns a shell whose Exec takes part in another file system: names of files are resolved
// from dir, and what Android's commands write (screencap FILE, uiautomator dump FILE) goes to save,
// whose errors with an fs.PathError or errno inside give the usual texts.
func (s *Shell) In(dir string, save func(name string, data []byte) error) *Shell {
	out := *s
	out.dir, out.save = dir, save
	return &out
}

// Names lists Android's own commands, sorted; the small Unix tools are not among them.
func Names() []string { return slices.Sorted(maps.Keys(androidCommands())) }

// Run runs a command line, or without one what comes in on stdin, and returns its exit code, 137
// when ctx ended it. stdin may be nil; its owner ends it when ctx ends. stdout and stderr are never
// written at once, and may be the same.
func (s *Shell) Run(
	ctx context.Context, cmdline string, stdin io.Reader, stdout, stderr io.Writer,
) int {
	if stdin == nil {
		stdin = bytes.NewReader(nil)
	}
	if cmdline == "" {
		text, _ := io.ReadAll(io.LimitReader(stdin, maxSource+1)) // what came is the text
		cmdline = string(text)
	}
	mu := new(sync.Mutex)
	p := &process{sh: s, ctx: ctx, stdin: stdin,
		stdout: &outward{mu, stdout}, stderr: &outward{mu, stderr}}
	code := p.run(cmdline)
	if ctx.Err() != nil {
		return exitKilled
	}
	return code
}

// Exec runs one of Android's commands without a shell. argv[0] is its name.
func (s *Shell) Exec(ctx context.Context, argv []string, stdout, stderr io.Writer) int {
	if len(argv) == 0 {
		return complain(stderr, "%s: no command", shName)
	}
	c := &invocation{ctx: ctx, sh: s, name: argv[0], args: argv[1:], dir: s.dir,
		stdin: bytes.NewReader(nil), stdout: &kept{Writer: stdout}, stderr: stderr}
	return c.run(androidCommands())
}

// invocation is one command being run.
type invocation struct {
	ctx    context.Context
	sh     *Shell
	name   string
	args   []string
	dir    string
	stdin  io.Reader
	stdout *kept
	stderr io.Writer
}

type command func(*invocation) int

// kept keeps the first error of a stream, so that commands need not look at each.
type kept struct {
	io.Writer
	err error
}

func (k *kept) Write(b []byte) (int, error) {
	n, err := k.Writer.Write(b)
	k.err = cmp.Or(k.err, err)
	return n, err
}

// run runs the command, which is one of those that are known, and says what could not be written.
func (c *invocation) run(known map[string]command) int {
	cmd := known[c.name]
	switch {
	case cmd == nil:
		return c.fail(exitNotFound, "%s: %s: inaccessible or not found", shName, c.name)
	case c.ctx.Err() != nil:
		return exitKilled
	}
	code := cmd(c)
	switch err := c.stdout.err; {
	case code != exitOK || err == nil:
		return code
	case errors.Is(err, syscall.EPIPE):
		return exitPipe // without a message
	default:
		return c.fail(exitFailure, "%s: write: %s", c.name, ErrorText(err))
	}
}

// baseName takes the folder of the system's programs off a name; other paths stay, and name no
// command.
func baseName(name string) string {
	for _, dir := range []string{"/system/bin/", "/system/xbin/", "/bin/", "/vendor/bin/"} {
		if base, ok := strings.CutPrefix(name, dir); ok && base != "" &&
			!strings.Contains(base, "/") {
			return base
		}
	}
	return name
}

func (c *invocation) path(name string) string { return join(c.dir, name) }

func (c *invocation) write(name string, data []byte) error { return c.sh.save(c.path(name), data) }

func (c *invocation) outf(format string, args ...any) {
	_, _ = fmt.Fprintf(c.stdout, format, args...)
}

func (c *invocation) errf(format string, args ...any) {
	_, _ = fmt.Fprintf(c.stderr, format, args...)
}

// fail writes a message to stderr and returns a code.
func (c *invocation) fail(code int, format string, args ...any) int {
	c.errf(format+"\n", args...)
	return code
}

// complain writes a message and returns the exit code of a failure.
func complain(w io.Writer, format string, args ...any) int {
	_, _ = fmt.Fprintf(w, format+"\n", args...)
	return exitFailure
}
