package shell

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/taploop/taploop/internal/sandbox"
)

// process is a shell at work: its streams, and how its last command ended.
type process struct {
	sh             *Shell
	ctx            context.Context // of the line
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int  // of the last command, $?
	exited         bool // exit was called
}

// fork is another shell with the same streams.
func (p *process) fork() *process {
	q := *p
	return &q
}

// run parses and runs shell text.
func (p *process) run(src string) int {
	file, err := parse(src)
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
	if p.ctx.Err() != nil {
		p.exited = true
		return exitKilled
	}
	q := p.fork()
	code := exitOK
	for _, r := range s.Redirs {
		if err := q.redirect(r); err != nil {
			code = complain(p.stderr, "%s: %v", shName, err)
			break
		}
	}
	if code == exitOK {
		code = q.command(s.Cmd)
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
	}
	if argv[0] == "exit" {
		return p.exit(argv[1:])
	}
	c := &invocation{
		ctx: p.ctx, sh: p.sh, name: baseName(argv[0]), args: argv[1:], dir: "/",
		stdin: p.stdin, stdout: &kept{Writer: p.stdout}, stderr: p.stderr,
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

// expansion is how words become what they stand for. A glob stands for itself.
func (p *process) expansion() *expand.Config {
	return &expand.Config{Env: expand.FuncEnviron(p.variable)}
}

// variable is what $NAME stands for: there is $?. "HOME name" is the expansion's question for a
// user's home. There are no users, so the word stays, and the host is not asked.
func (p *process) variable(name string) string {
	switch user, home := strings.CutPrefix(name, "HOME "); {
	case home:
		return "~" + user
	case name == "HOME":
		return "/"
	case name == "?":
		return strconv.Itoa(p.code)
	}
	return ""
}

// outward passes a line's output on, one Write at a time.
type outward struct {
	mu *sync.Mutex
	w  io.Writer
}

func (o *outward) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(b)
}

// redirect changes a stream of p. Its errors read as the phone's shell writes them.
func (p *process) redirect(r *syntax.Redirect) error {
	name, err := expand.Literal(p.expansion(), r.Word)
	if err != nil {
		return err
	}
	from := &p.stdout
	if r.N != nil && r.N.Value == "2" {
		from = &p.stderr
	}
	full, files := join("/", name), p.sh.phone.Files()
	write := files.Write
	switch {
	case r.Op == syntax.DplOut && name == "2":
		*from = p.stderr
		return nil
	case r.Op == syntax.DplOut:
		*from = p.stdout
		return nil
	case devices[full]:
		*from = io.Discard
		return nil
	case r.Op == syntax.AppOut:
		write = files.Append
	}
	if err := write(full, nil); err != nil {
		return fmt.Errorf("can't create %s: %s", name, ErrorText(err))
	}
	*from = &file{files, full}
	return nil
}

// file is a file that is written to at its end.
type file struct {
	files *sandbox.Files
	name  string
}

func (f *file) Write(b []byte) (int, error) {
	if err := f.files.Append(f.name, b); err != nil {
		return 0, err
	}
	return len(b), nil
}
