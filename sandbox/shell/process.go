package shell

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// limits bound what one line may take of the machine; time is bounded by its context.
type limits struct {
	source int   // bytes of shell text
	calls  int64 // commands, of nested shells too
	depth  int   // of shells that sh starts in one another
	words  int64 // bytes that become words: what is captured
	held   int64 // bytes of files that are being written
	out    int64 // bytes written outward
}

func defaultLimits() limits {
	return limits{source: 64 << 10, calls: 50_000, depth: 20, words: 1 << 20, held: 128 << 20,
		out: 4 << 30}
}

// process is a shell at work: its streams, and how its last command ended.
type process struct {
	sh             *Shell
	ctx            context.Context // of the line
	used           *usage
	depth          int
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int  // of the last command, $?
	exited         bool // exit was called
}

// usage is what a line has taken of its limits, shared by all of its processes.
type usage struct{ calls, words, held, sent atomic.Int64 }

// newProcess prepares a line's shell. The caller calls end when the line is over.
func (s *Shell) newProcess(
	ctx context.Context, stdin io.Reader, stdout, stderr io.Writer,
) (p *process, end func()) {
	in := newLineInput(ctx, stdin)
	mu := new(sync.Mutex)
	p = &process{sh: s, ctx: ctx, used: new(usage), stdin: in}
	p.stdout = &outward{mu: mu, w: stdout, p: p}
	p.stderr = &outward{mu: mu, w: stderr, p: p}
	return p, in.close
}

// fork is a shell of its own with the same streams.
func (p *process) fork() *process {
	q := *p
	return &q
}

// run parses and runs shell text.
func (p *process) run(src string) int {
	file, err := parse(src, p.sh.limits.source)
	if err == nil && p.depth > p.sh.limits.depth {
		err = errNested
	}
	if err != nil {
		return complain(p.stderr, "%s: syntax error: %v", shName, err)
	}
	return p.statements(file.Stmts)
}

func (p *process) statements(list []*syntax.Stmt) int {
	for _, s := range list {
		if p.code = p.statement(s); p.exited {
			break
		}
	}
	return p.code
}

// statement runs a command with its redirections, which hold for it alone.
func (p *process) statement(s *syntax.Stmt) int {
	q := p.fork()
	var files []*file
	code := exitOK
	for _, r := range s.Redirs {
		f, err := q.redirect(r)
		if err != nil {
			code = complain(p.stderr, "%s: %v", shName, err)
			break
		}
		if f != nil {
			files = append(files, f)
		}
	}
	if code == exitOK {
		code = q.command(s.Cmd)
	}
	for _, f := range files {
		if err := f.close(); err != nil {
			code = complain(p.stderr, "%s: can't write %s: %s", shName, f.name, ErrorText(err))
		}
	}
	p.exited = q.exited
	if s.Negated {
		return map[bool]int{true: exitFailure, false: exitOK}[code == exitOK]
	}
	return code
}

func (p *process) command(cmd syntax.Command) int {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		return p.simple(cmd.Args)
	case *syntax.Block:
		return p.statements(cmd.Stmts)
	case *syntax.Subshell:
		return p.fork().statements(cmd.Stmts)
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe {
			return p.pipe(cmd)
		}
		p.code = p.statement(cmd.X)
		if p.exited || (p.code == exitOK) != (cmd.Op == syntax.AndStmt) {
			return p.code
		}
		return p.statement(cmd.Y)
	}
	return exitOK // redirections alone
}

// pipe runs both sides at once. The end of the right one ends the left one at its next write.
func (p *process) pipe(cmd *syntax.BinaryCmd) int {
	r, w := io.Pipe()
	left, right := p.fork(), p.fork()
	left.stdout, right.stdin = w, r
	var wg sync.WaitGroup
	wg.Go(func() {
		left.statement(cmd.X)
		_ = w.Close()
	})
	code := right.statement(cmd.Y)
	_ = r.CloseWithError(syscall.EPIPE)
	wg.Wait()
	return code
}

// simple runs one command: its words expanded, the first one its name.
func (p *process) simple(words []*syntax.Word) int {
	argv, err := expand.Fields(p.expansion(), words...)
	switch {
	case err != nil:
		return complain(p.stderr, "%s: %s", shName, ErrorText(err))
	case len(argv) == 0:
		return exitOK
	case p.ctx.Err() != nil:
		p.exited = true
		return exitKilled
	case p.used.calls.Add(1) > p.sh.limits.calls:
		p.exited = true
		return complain(p.stderr, "%s: stopped after %d commands", shName, p.sh.limits.calls)
	case p.used.words.Load() > p.sh.limits.words:
		p.exited = true
		return complain(p.stderr, "%s: %s: Argument list too long", shName, argv[0])
	}
	if argv[0] == "exit" {
		return p.exit(argv[1:])
	}
	c := &call{
		ctx: p.ctx, sh: p.sh, shell: p, name: baseName(argv[0]), args: argv[1:], dir: "/",
		stdin: p.stdin, stdout: p.stdout, stderr: p.stderr,
	}
	return c.run(p.sh.commands)
}

// exit ends the shell, with the code of the last command when none is given.
func (p *process) exit(args []string) int {
	p.exited = true
	if len(args) == 0 {
		return p.code
	}
	n, err := strconv.ParseUint(args[0], 10, 8)
	if err != nil {
		return complain(p.stderr, "%s: exit: %s: bad number", shName, args[0])
	}
	return int(n)
}

// expansion is how words become what they stand for: with the phone's environment and
// commands. A glob stands for itself.
func (p *process) expansion() *expand.Config {
	return &expand.Config{
		Env: expand.FuncEnviron(p.variable),
		CmdSubst: func(w io.Writer, s *syntax.CmdSubst) error {
			q := p.fork()
			q.stdout = &captured{w: w, p: p}
			p.code = q.statements(s.Stmts)
			return nil
		},
	}
}

// outward passes a line's output on, one Write at a time.
type outward struct {
	mu *sync.Mutex
	w  io.Writer
	p  *process
}

func (o *outward) Write(b []byte) (int, error) {
	if o.p.used.sent.Add(int64(len(b))) > o.p.sh.limits.out {
		return 0, errors.New("the line wrote too much")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(b)
}

// captured is what a command substitution writes.
type captured struct {
	w io.Writer
	p *process
}

func (c *captured) Write(b []byte) (int, error) {
	if c.p.used.words.Add(int64(len(b))) > c.p.sh.limits.words {
		return 0, syscall.E2BIG
	}
	return c.w.Write(b)
}

// lineInput is a line's stdin. Nothing is read of it before a command asks, and the end of the
// line's context ends it.
type lineInput struct {
	*io.PipeReader
	from  io.Reader
	to    *io.PipeWriter
	start sync.Once
	stop  func() bool
}

func newLineInput(ctx context.Context, from io.Reader) *lineInput {
	if from == nil {
		from = bytes.NewReader(nil)
	}
	in := &lineInput{from: from}
	in.PipeReader, in.to = io.Pipe()
	in.stop = context.AfterFunc(ctx, func() { _ = in.to.CloseWithError(os.ErrDeadlineExceeded) })
	return in
}

func (in *lineInput) Read(b []byte) (int, error) {
	in.start.Do(func() {
		go func() { // ends when from does, or at its next Read after the line; see Run
			_, err := io.Copy(in.to, in.from)
			_ = in.to.CloseWithError(err)
		}()
	})
	return in.PipeReader.Read(b)
}

func (in *lineInput) close() {
	in.stop()
	_ = in.PipeReader.Close()
}
