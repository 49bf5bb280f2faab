package shell

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
	"mvdan.cc/sh/v3/syntax"
)

// Session is a person's shell on a terminal: it prompts, echoes, lets a line be edited, and keeps variables and the
// folder from line to line.
type Session struct {
	sh   *Shell
	term *term.Terminal

	mu   sync.Mutex
	busy bool
	ctx  context.Context // of what runs: the session's until an interrupt, then a new one
	stop context.CancelFunc
}

// NewSession makes a session between what is typed on a terminal in raw mode and what the terminal shows.
func (s *Shell) NewSession(in io.Reader, out io.Writer) *Session {
	return &Session{sh: s, term: term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "")}
}

// Resize tells the terminal's new width and height. Sizes that are not positive are ignored.
func (s *Session) Resize(width, height int) {
	if width > 0 && height > 0 {
		_ = s.term.SetSize(width, height)
	}
}

// Interrupt ends the command that runs, as ctrl-C does, and reports whether one did.
func (s *Session) Interrupt() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy {
		s.stop()
	}
	return s.busy
}

// Run reads and runs lines until exit, ctrl-D on an empty line, or the end of what is typed, and returns the last exit
// code. A read that waits is not ended by ctx: the owner ends the reader.
func (s *Session) Run(ctx context.Context) int {
	l, err := s.sh.newLine(around{}, nil, s.term, s.term)
	if err != nil {
		return complain(s.term, "%s: %v", shName, err)
	}
	defer l.close()
	defer s.end()
	return l.session(ctx, session{
		next: func(more bool) (string, error) {
			s.term.SetPrompt(prompt(l.runner.Dir, more))
			return s.term.ReadLine()
		},
		run: func(ctx context.Context, stmts []*syntax.Stmt) int { return s.interruptible(ctx, l, stmts) },
	})
}

// interruptible runs what a line held. An interrupt ends it, whatever of it is being run.
func (s *Session) interruptible(ctx context.Context, l *line, stmts []*syntax.Stmt) int {
	ctx = s.begin(ctx)
	code := l.statements(ctx, stmts)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = false
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return code
}

// begin returns the context that statements share until an interrupt, so that background jobs outlive their line.
func (s *Session) begin(ctx context.Context) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx == nil || s.ctx.Err() != nil {
		s.ctx, s.stop = context.WithCancel(ctx)
	}
	s.busy = true
	return s.ctx
}

// end ends what the session left running.
func (s *Session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
}

func prompt(dir string, more bool) string {
	if more {
		return "> "
	}
	return "sandbox:" + dir + " $ "
}

// Script runs the lines of stdin one after the other, each when it has come, as a shell without a terminal does.
func (s *Shell) Script(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
	l, err := s.newLine(around{}, nil, stdout, stderr)
	if err != nil {
		return complain(stderr, "%s: %v", shName, err)
	}
	defer l.close()
	lines := bufio.NewReader(stdin)
	return l.session(ctx, session{
		next: func(bool) (string, error) {
			text, err := readLine(lines, l.sh.limits.source)
			if text != "" && errors.Is(err, io.EOF) {
				err = nil
			}
			return text, err
		},
		run: l.statements,
	})
}

// readLine reads up to and without a newline; a line longer than limit is an error.
func readLine(r *bufio.Reader, limit int) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > limit {
			return "", errors.New("the line is too long")
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if n := len(line); n > 0 && line[n-1] == '\n' {
			line = line[:n-1]
		}
		return string(line), err
	}
}

// session is where lines come from and how what they hold is run.
type session struct {
	next func(more bool) (string, error) // more: the line before was not complete
	run  func(ctx context.Context, stmts []*syntax.Stmt) int
}

// statements runs statements until one of them ends the shell.
func (l *line) statements(ctx context.Context, stmts []*syntax.Stmt) (code int) {
	for _, stmt := range stmts {
		if code = l.runNode(ctx, stmt); l.exited || ctx.Err() != nil {
			break
		}
	}
	return code
}

// session runs lines until there are no more, and returns the last one's exit code.
func (l *line) session(ctx context.Context, s session) int {
	code, pending := 0, ""
	for ctx.Err() == nil && !l.exited {
		text, err := s.next(pending != "")
		if err != nil {
			if pending != "" {
				code = complain(l.stderr, "%s: syntax error: %v", shName, errIncomplete)
			}
			break
		}
		pending += text + "\n"
		file, err := parse(pending, l.sh.limits.source, true)
		if errors.Is(err, errIncomplete) {
			continue
		}
		pending = ""
		if err != nil {
			code = complain(l.stderr, "%s: syntax error: %v", shName, err)
			continue
		}
		if len(file.Stmts) > 0 { // an empty line leaves the exit code as it is
			code = s.run(ctx, file.Stmts)
		}
	}
	return l.finish(ctx, code)
}

// sh is the command: sh -c TEXT [NAME ARG...], sh FILE [ARG...], or sh for the lines of stdin.
func sh(c *call) int {
	args := c.args
	if len(args) > 0 && args[0] == "-c" {
		if len(args) < 2 {
			return c.fail(exitFailure, "%s: -c: requires argument", shName)
		}
		return c.nested(args[1], args[2:])
	}
	if len(args) > 0 {
		src, err := c.read(args[0])
		if err != nil {
			return c.fail(exitNotFound, "%s: %s: %s", shName, args[0], strerror(err))
		}
		return c.nested(string(src), args)
	}
	if c.stdin == nil {
		return exitOK
	}
	src, err := io.ReadAll(io.LimitReader(c.stdin, int64(c.sh.limits.source)+1))
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return c.fail(exitFailure, "%s: <stdin>: %s", shName, strerror(err))
	}
	return c.nested(string(src), nil)
}

// nested runs shell text in a shell of its own. params are $0 and what follows.
func (c *call) nested(src string, params []string) int {
	outer := around{dir: c.dir}
	if c.line != nil {
		outer.used = c.line.used
	}
	if len(params) > 0 {
		outer.name, outer.params = params[0], params[1:]
	}
	l, err := c.sh.newLine(outer, c.stdin, c.stdout, c.stderr)
	if err != nil {
		return c.fail(exitFailure, "%s: %v", shName, err)
	}
	defer l.close()
	return l.run(c.ctx, src)
}
