package shell

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/term"
	"mvdan.cc/sh/v3/syntax"
)

// Interactive is a person's shell on a terminal: it prompts, echoes, lets a line be edited, and keeps variables and the
// folder from line to line. It returns at exit, at ctrl-D or when terminal cannot be read any more; a Read that waits is
// not ended by ctx, so the owner closes terminal. resize gives the terminal's size when it changes, and may be nil.
func (s *Shell) Interactive(ctx context.Context, terminal io.ReadWriter, resize <-chan [2]int) int {
	t := term.NewTerminal(terminal, "")
	l, err := s.newLine(nil, nil, t, t)
	if err != nil {
		return complain(t, "%s: %v", shName, err)
	}
	defer l.close()
	return l.session(ctx, func(more bool) (string, error) {
		t.SetPrompt(prompt(l.runner.Dir, more))
		takeSize(t, resize)
		return t.ReadLine()
	})
}

// takeSize sets the terminal's size to the newest that is known.
func takeSize(t *term.Terminal, resize <-chan [2]int) {
	select {
	case size, ok := <-resize:
		if ok && size[0] > 0 && size[1] > 0 {
			_ = t.SetSize(size[0], size[1])
		}
	default:
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
	l, err := s.newLine(nil, nil, stdout, stderr)
	if err != nil {
		return complain(stderr, "%s: %v", shName, err)
	}
	defer l.close()
	lines := bufio.NewReader(stdin)
	return l.session(ctx, func(bool) (string, error) {
		text, err := readLine(lines, l.sh.limits.source)
		if text != "" && errors.Is(err, io.EOF) {
			err = nil
		}
		return text, err
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

// session runs lines until there are no more, and returns the last one's exit code. next gets whether the line before
// was not complete.
func (l *line) session(ctx context.Context, next func(more bool) (string, error)) int {
	code, pending := 0, ""
	for ctx.Err() == nil && !l.runner.Exited() {
		text, err := next(pending != "")
		if err != nil {
			if pending != "" {
				code = complain(l.stderr, "%s: syntax error: %v", shName, errIncomplete)
			}
			break
		}
		pending += text + "\n"
		file, err := parse(pending, l.sh.limits.source)
		if errors.Is(err, errIncomplete) {
			continue
		}
		pending = ""
		if err != nil {
			code = complain(l.stderr, "%s: syntax error: %v", shName, err)
			continue
		}
		code = l.statements(ctx, file.Stmts, code)
	}
	return l.finish(ctx, code)
}

// statements runs what one line of a session held.
func (l *line) statements(ctx context.Context, stmts []*syntax.Stmt, code int) int {
	for _, stmt := range stmts {
		code = l.runNode(ctx, stmt)
		if l.runner.Exited() {
			break
		}
	}
	return code
}

// sh is the command: sh -c TEXT [NAME ARG...], sh FILE [ARG...], or sh for the lines of stdin.
func sh(c *call) int {
	var used *usage
	if c.line != nil {
		used = c.line.used
	}
	args := c.args
	if len(args) > 0 && args[0] == "-c" {
		if len(args) < 2 {
			return c.fail(exitFailure, "%s: -c: requires argument", shName)
		}
		return c.nested(used, args[1], args[min(3, len(args)):])
	}
	if len(args) > 0 {
		src, err := c.read(args[0])
		if err != nil {
			return c.fail(exitNotFound, "%s: %s: %s", shName, args[0], strerror(err))
		}
		return c.nested(used, string(src), args[1:])
	}
	if c.stdin == nil {
		return exitOK
	}
	src, err := io.ReadAll(io.LimitReader(c.stdin, int64(c.sh.limits.source)+1))
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return c.fail(exitFailure, "%s: <stdin>: %s", shName, strerror(err))
	}
	return c.nested(used, string(src), nil)
}

// nested runs shell text in a shell of its own.
func (c *call) nested(used *usage, src string, params []string) int {
	l, err := c.sh.newLine(used, c.stdin, c.stdout, c.stderr)
	if err != nil {
		return c.fail(exitFailure, "%s: %v", shName, err)
	}
	defer l.close()
	l.runner.Params = params
	l.runner.Dir = c.dir
	return l.run(c.ctx, src)
}
