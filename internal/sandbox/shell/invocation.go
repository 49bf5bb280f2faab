package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/wait"
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

// Shell runs command lines on one phone. It is safe for concurrent use. What two lines do at once
// happens on the phone in some order, each command whole.
type Shell struct {
	phone    *sandbox.Simulator
	commands map[string]command
	save     func(name string, data []byte) error
	dir      string // of Exec
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

// run runs the command, which must be a known one, and reports a failed write.
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

// baseName takes the folder of the system's programs off a name. Other paths stay, and name no
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

func (c *invocation) read(name string) ([]byte, error) {
	if name = c.path(name); devices[name] {
		return nil, nil
	}
	return c.sh.phone.Files().Read(name)
}

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

// pause waits as the real command does while a finger moves or rests. It reports false when the
// line was ended meanwhile.
func (c *invocation) pause(d time.Duration) bool { return wait.For(c.ctx, d) == nil }

// options splits leading -xyz options off the arguments.
func options(args []string) (letters string, rest []string) {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		letters += args[0][1:]
		args = args[1:]
	}
	return letters, args
}

// each runs f for every name and says what failed.
func (c *invocation) each(names []string, f func(name string) error) int {
	code := exitOK
	for _, name := range names {
		if err := f(name); err != nil {
			code = c.fail(exitFailure, "%s: %s: %s", c.name, name, ErrorText(err))
		}
	}
	return code
}
