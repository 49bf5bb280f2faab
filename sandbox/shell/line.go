package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// limits bound what one line may take of the machine; time is bounded by its context.
type limits struct {
	source int   // bytes of shell text, in the line or given to eval
	calls  int64 // simple commands
	frames int   // depth of the Go stack at a command, which recursion of shell functions adds to
	held   int64 // bytes captured by command substitution
	out    int64 // bytes written outward
}

func defaultLimits() limits {
	return limits{source: 64 << 10, calls: 50_000, frames: 4000, held: 16 << 20, out: 4 << 30}
}

// line is one command line being run: an interpreter closed off from the host, and what its parts share.
type line struct {
	sh     *Shell
	name   string // $0
	runner *interp.Runner
	stdin  *os.File // nil when there is none
	stdout io.Writer
	stderr io.Writer

	ownStdin bool
	feeders  sync.WaitGroup // goroutines that feed files into redirected stdins
	filesMu  sync.Mutex
	files    []*openFile // being written
	used     *usage
	exited   bool // exit was called
}

// usage is what a line has taken of its limits, together with the lines that it runs through sh.
type usage struct{ calls, held, sent atomic.Int64 }

// around is what a line gets from the one that runs it through sh; the zero value is a line of its own.
type around struct {
	used   *usage
	dir    string   // "" means /
	name   string   // $0; "" means the shell's own
	params []string // $1 and on
}

// newLine prepares a line.
func (s *Shell) newLine(outer around, stdin io.Reader, stdout, stderr io.Writer) (*line, error) {
	if outer.used == nil {
		outer.used = new(usage)
	}
	l := &line{sh: s, name: cmp.Or(outer.name, shName), used: outer.used}
	mu := new(sync.Mutex)
	l.stdout = &outward{mu: mu, w: stdout, l: l}
	l.stderr = &outward{mu: mu, w: stderr, l: l}
	if err := l.takeStdin(stdin); err != nil {
		return nil, err
	}
	var err error
	l.runner, err = interp.New(
		interp.Env(phoneEnv{}),
		func(r *interp.Runner) error { // interp.Dir would look at the host's folders
			r.Dir, r.Params = cmp.Or(outer.dir, "/"), outer.params
			return nil
		},
		interp.StdIO(fileOrNil(l.stdin), l.stdout, l.stderr),
		interp.CallHandler(l.onCall),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return l.onExec }),
		interp.OpenHandler(l.onOpen),
		interp.StatHandler(l.onStat),
		interp.ReadDirHandler2(l.onReadDir),
		interp.AccessHandler(l.onAccess),
	)
	if err != nil {
		l.close()
		return nil, fmt.Errorf("making an interpreter: %w", err)
	}
	// The interpreter has read its temporary folder, which is none; from here on the variable is the phone's.
	return l, l.runner.Run(context.Background(), tmpdir)
}

// fileOrNil keeps a nil file from becoming a reader that is not nil.
func fileOrNil(f *os.File) io.Reader {
	if f == nil {
		return nil
	}
	return f
}

// takeStdin makes stdin a file, which is what the interpreter reads from.
func (l *line) takeStdin(stdin io.Reader) error {
	switch f := stdin.(type) {
	case nil:
		return nil
	case *os.File:
		l.stdin = f
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("opening stdin: %w", err)
	}
	l.stdin, l.ownStdin = r, true
	go func() { // ends when stdin does, or at its next Read after the line; see Run
		_, _ = io.Copy(w, stdin)
		_ = w.Close()
	}()
	return nil
}

func (l *line) close() {
	if l.ownStdin {
		_ = l.stdin.Close()
	}
	l.feeders.Wait()
	l.closeFiles()
}

// run parses and runs shell text to its end, and waits for its background jobs.
func (l *line) run(ctx context.Context, src string) int {
	file, err := parse(src, l.sh.limits.source, true)
	if err != nil {
		return complain(l.stderr, "%s: syntax error: %v", shName, err)
	}
	file.Name = l.name
	defer l.endReads(ctx)()
	return l.finish(ctx, l.runNode(ctx, file))
}

// endReads makes a command that waits for input see the end of ctx, until the result is called.
func (l *line) endReads(ctx context.Context) (stop func() bool) {
	if l.stdin == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, func() { _ = l.stdin.SetReadDeadline(time.Unix(1, 0)) })
}

// finish waits for background jobs, which end with ctx, and returns the line's exit code.
func (l *line) finish(ctx context.Context, code int) int {
	l.runNode(context.WithoutCancel(ctx), waitForJobs)
	if ctx.Err() != nil {
		return exitKilled
	}
	return code
}

var (
	waitForJobs = mustParse("wait")
	tmpdir      = mustParse("export TMPDIR=/data/local/tmp")
)

// mustParse is the statement of a constant text. It is no file, so running it is not the end of the shell.
func mustParse(src string) *syntax.Stmt {
	file, err := syntax.NewParser().Parse(strings.NewReader(src), "")
	if err != nil {
		panic(err)
	}
	return file.Stmts[0]
}

// runNode runs a node and turns the interpreter's answer into an exit code.
func (l *line) runNode(ctx context.Context, node syntax.Node) int {
	err := l.runner.Run(ctx, node)
	l.exited = l.runner.Exited() && ctx.Err() == nil
	status, isStatus := errors.AsType[interp.ExitStatus](err)
	switch {
	case err == nil:
		return exitOK
	case isStatus:
		return int(status)
	case ctx.Err() != nil:
		return exitKilled
	}
	return complain(l.stderr, "%s: %v", shName, err)
}

// onExec runs a command of the phone; there is nothing else that could be run.
func (l *line) onExec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	c := &call{
		ctx: ctx, sh: l.sh, line: l, name: baseName(strings.TrimPrefix(args[0], ownCommand)), args: args[1:], dir: hc.Dir,
		environ: exported(hc.Env), stdin: hc.Stdin, stdout: l.bounded(hc.Stdout), stderr: l.bounded(hc.Stderr),
	}
	var broken atomic.Bool
	c.stdout = &noting{c.stdout, &broken}
	code := c.run()
	if broken.Load() {
		// Nobody reads on. A process would have been ended by SIGPIPE, and its shell with it.
		return hc.Builtin(ctx, []string{"exit", strconv.Itoa(exitPipe)})
	}
	if code != 0 {
		return interp.ExitStatus(code)
	}
	return nil
}

// noting notes that nobody reads what is written.
type noting struct {
	w      io.Writer
	broken *atomic.Bool
}

func (n *noting) Write(b []byte) (int, error) {
	written, err := n.w.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		n.broken.Store(true)
	}
	return written, err
}

func exported(env expand.Environ) []string {
	var out []string
	env.Each(func(name string, v expand.Variable) bool {
		if v.Exported && v.Kind == expand.String {
			out = append(out, name+"="+v.Str)
		}
		return true
	})
	return out
}

// admit counts a command and refuses it when the line has used up what it may.
func (l *line) admit() error {
	if n := l.used.calls.Add(1); n > l.sh.limits.calls {
		return fmt.Errorf("stopped after %d commands", l.sh.limits.calls)
	}
	var pc [1]uintptr
	if runtime.Callers(l.sh.limits.frames, pc[:]) > 0 {
		return errors.New("functions are nested too deeply")
	}
	return nil
}

// bounded returns w with a bound on what it holds in memory, when it does.
func (l *line) bounded(w io.Writer) io.Writer {
	switch w.(type) {
	case *outward, *os.File, *openFile:
		return w
	}
	return &holding{w: w, l: l}
}

// outward passes a line's output on, one Write at a time.
type outward struct {
	mu *sync.Mutex
	w  io.Writer
	l  *line
}

func (o *outward) Write(b []byte) (int, error) {
	if o.l.used.sent.Add(int64(len(b))) > o.l.sh.limits.out {
		return 0, errors.New("the line wrote too much")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(b)
}

// holding is a writer whose bytes stay in memory.
type holding struct {
	w io.Writer
	l *line
}

func (h *holding) Write(b []byte) (int, error) {
	if h.l.used.held.Add(int64(len(b))) > h.l.sh.limits.held {
		return 0, errors.New("the line holds too much")
	}
	return h.w.Write(b)
}

// complain writes a message and returns the exit code of a failure.
func complain(w io.Writer, format string, args ...any) int {
	_, _ = fmt.Fprintf(w, format+"\n", args...)
	return exitFailure
}
