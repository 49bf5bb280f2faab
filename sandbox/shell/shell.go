package shell

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/sandbox"
)

// shName is how the phone's shell calls itself in its messages.
const shName = "/system/bin/sh"

// Exit codes that Android's commands share.
const (
	exitOK          = 0
	exitFailure     = 1
	exitService     = 20  // cmd: there is no such service
	exitNotFound    = 127 // the shell: there is no such command
	exitInterrupted = 130 // ended by ctrl-C
	exitKilled      = 137 // ended from outside, as by SIGKILL
	exitPipe        = 141 // ended by SIGPIPE
	exitMinus       = 255 // a system service's command answered -1
)

// Shell runs command lines on one phone. It is safe for concurrent use; what two lines do at once happens on the phone
// in some order, each command whole.
type Shell struct {
	phone    *sandbox.Phone
	android  map[string]command // what a system image adds: screencap, input, ...
	userland map[string]command // what every Unix has: ls, cat, ...
	save     func(name string, data []byte) error
	dir      string // of Exec
	state    *state
	limits   limits
}

// state is what the commands remember of one another, shared by all shells that come from one New.
type state struct {
	finger finger
	props  props
}

// New makes a shell for a phone.
func New(phone *sandbox.Phone) *Shell {
	s := &Shell{phone: phone, android: androidCommands(), userland: userlandCommands(), state: new(state), limits: defaultLimits(), dir: "/"}
	s.save = func(name string, data []byte) error { return phone.Files().Write(name, data, 0o660, time.Time{}) }
	return s
}

// Phone is the phone that the lines act on.
func (s *Shell) Phone() *sandbox.Phone { return s.phone }

// WithSave returns a shell whose Android commands hand the files that they write (screencap FILE, uiautomator dump FILE)
// to save instead of the phone's storage. Errors with an fs.PathError or errno inside give the usual texts.
func (s *Shell) WithSave(save func(name string, data []byte) error) *Shell {
	out := *s
	out.save = save
	return &out
}

// WithDir returns a shell whose Exec resolves the names of files from dir, which is / otherwise.
func (s *Shell) WithDir(dir string) *Shell {
	out := *s
	out.dir = dir
	return &out
}

// Names lists Android's own commands, sorted; the small Unix tools are not among them.
func Names() []string { return slices.Sorted(maps.Keys(androidCommands())) }

// Run runs a command line and returns its exit code, 137 when ctx ended it.
//
// It returns after the line's background jobs have ended. stdin may be nil; an *os.File is read as it is, another reader
// is copied by a goroutine that ends at the reader's next Read or EOF, so its owner should close it after Run. stdout and
// stderr are never written at once, and may be the same.
func (s *Shell) Run(ctx context.Context, cmdline string, stdin io.Reader, stdout, stderr io.Writer) int {
	l, err := s.newLine(around{}, stdin, stdout, stderr)
	if err != nil {
		return complain(stderr, "%s: %v", shName, err)
	}
	defer l.close()
	return l.run(ctx, cmdline)
}

// Exec runs one command, Android's or a small tool, without a shell. argv[0] is its name, with or without a folder.
func (s *Shell) Exec(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(argv) == 0 {
		return complain(stderr, "%s: no command", shName)
	}
	c := &call{ctx: ctx, sh: s, name: baseName(argv[0]), args: argv[1:], dir: s.dir, stdin: stdin, stdout: stdout, stderr: stderr}
	return c.run()
}

// call is one command being run.
type call struct {
	ctx            context.Context
	sh             *Shell
	line           *line // nil outside a shell line
	name           string
	args           []string
	dir            string
	environ        []string // NAME=value, exported ones
	stdin          io.Reader
	stdout, stderr io.Writer
}

type command func(*call) int

func (c *call) run() int {
	cmd := c.sh.lookup(c.name)
	if cmd == nil {
		return c.notFound()
	}
	if c.ctx.Err() != nil {
		return exitKilled
	}
	return cmd(c)
}

func (c *call) notFound() int {
	c.errf("%s: %s: inaccessible or not found\n", shName, c.name)
	return exitNotFound
}

// lookup finds a command by its name or its path below /system/bin; nil when there is none.
func (s *Shell) lookup(name string) command {
	name = baseName(name)
	if cmd, ok := s.android[name]; ok {
		return cmd
	}
	return s.userland[name]
}

// commandNames lists all commands, sorted.
func (s *Shell) commandNames() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for _, m := range []map[string]command{s.android, s.userland} {
			for name := range m {
				if name != "[" && !yield(name) {
					return
				}
			}
		}
	})
}

// baseName takes the folder of the system's programs off a name; other paths stay, and name no command.
func baseName(name string) string {
	for _, dir := range []string{"/system/bin/", "/system/xbin/", "/bin/", "/vendor/bin/"} {
		if base, ok := strings.CutPrefix(name, dir); ok && base != "" && !strings.Contains(base, "/") {
			return base
		}
	}
	return name
}

// storage is the phone's files with the system's programs and devices among them.
func (s *Shell) storage() *storage { return &storage{files: s.phone.Files(), sh: s} }

func (c *call) write(name string, data []byte) error { return c.sh.save(c.path(name), data) }

func (c *call) read(name string) ([]byte, error) { return c.sh.storage().Read(c.path(name)) }

func (c *call) stat(name string) (fs.FileInfo, error) { return c.sh.storage().Stat(c.path(name)) }

func (c *call) outf(format string, args ...any) { _, _ = fmt.Fprintf(c.stdout, format, args...) }

func (c *call) errf(format string, args ...any) { _, _ = fmt.Fprintf(c.stderr, format, args...) }

// fail writes a message to stderr and returns a code.
func (c *call) fail(code int, format string, args ...any) int {
	c.errf(format+"\n", args...)
	return code
}
