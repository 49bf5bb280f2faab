package shell

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/sandbox"
)

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

// Names lists Android's own commands, sorted. The small Unix tools are not among them.
func Names() []string { return slices.Sorted(maps.Keys(androidCommands())) }

// Run runs a command line, or without one what comes in on stdin, and returns its exit code, 137
// when ctx ended it. stdin may be nil. Its owner ends it when ctx ends. stdout and stderr are never
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
