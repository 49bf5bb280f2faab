package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// process is a program at the other end of its stdin and stdout, a message a line.
type process struct {
	cmd  *exec.Cmd
	mask text.Mask
	r    Receiver
	in   io.WriteCloser
	out  io.ReadCloser

	limits   Limits
	lines    *wire.LineWriter // to in
	gone     chan struct{}    // closed once it is known why it has ended
	finished chan struct{}
	said     *tail // its stderr

	mu    sync.Mutex
	cause error // why it has ended or was ended
}

// start starts the program of a target.
func start(ctx context.Context, t *Target, l Limits, m text.Mask, r Receiver) (Conn, error) {
	p := &process{mask: m, r: r, limits: l, gone: make(chan struct{}),
		finished: make(chan struct{}), said: &tail{}}
	p.lines = wire.NewLineWriter(p)
	p.cmd = exec.CommandContext(ctx, t.Command[0], t.Command[1:]...)
	p.cmd.Env, p.cmd.Dir = t.Env, t.Dir
	p.cmd.WaitDelay = p.limits.Grace
	Group(p.cmd)
	p.cmd.Stderr = p.said
	var err error
	if p.out, err = p.cmd.StdoutPipe(); err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("it cannot be started: %s", m.Text(text.Line(err.Error())))
	}
	go p.run() // close waits for it
	return p, nil
}

// run reads what the program writes until it ends.
func (p *process) run() {
	defer close(p.finished)
	in, malformed := wire.NewLines(p.out, p.limits.Line), 0
	for {
		line, err := in.Next()
		if errors.Is(err, wire.ErrLong) {
			p.end(fmt.Errorf("it wrote a line of more than %d bytes", p.limits.Line))
		}
		if err != nil {
			break
		}
		line = p.mask.Bytes(line)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		all, err := Read(line)
		if err != nil {
			p.r.Malformed(text.Quote(string(line), maxQuote))
			if malformed++; malformed == maxMalformed {
				p.end(fmt.Errorf("it wrote %d lines that are no messages", malformed))
			}
			continue
		}
		malformed = 0
		for _, m := range all {
			p.r.Receive(p, m)
		}
	}
	_, _ = io.Copy(io.Discard, p.out)
	_ = p.in.Close()
	late := time.AfterFunc(p.limits.Grace, func() { p.end(errOutputClosed) })
	why := p.ended(p.cmd.Wait())
	late.Stop()
	close(p.gone)
	p.r.Lost(p, why)
}

var (
	errOutputClosed = errors.New("it hangs: it has closed its output, and did not end")
	errNotReading   = errors.New("it takes no messages any more")
)

// ended says why the program is gone.
func (p *process) ended(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause != nil {
		return p.cause
	}
	what := "it has ended"
	if err != nil {
		what += " (" + text.Line(err.Error()) + ")"
	}
	if last := p.mask.Text(p.said.last()); last != "" {
		what += ", and said last: " + text.Quote(last, maxQuote)
	}
	p.cause = errors.New(what)
	return p.cause
}

// end ends the program for a reason. What it has written is still read, but others that it has left
// behind, such as a daemon, may hold its output open: that is not waited for.
func (p *process) end(cause error) {
	p.mu.Lock()
	if p.cause == nil {
		p.cause = cause
	}
	p.mu.Unlock()
	kill(p.cmd)
	if out, is := p.out.(interface{ SetReadDeadline(time.Time) error }); is {
		_ = out.SetReadDeadline(time.Now().Add(p.limits.Grace)) // not every system can
	}
}

func (p *process) Send(ctx context.Context, m *Message) error {
	data, err := m.Encode()
	if err != nil || p.lines.Write(data) == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.limits.Grace)
	defer cancel()
	select { // mostly it is about to end, and p.gone says why
	case <-p.gone:
		return p.ended(nil)
	case <-ctx.Done():
	}
	p.end(errNotReading)
	return errNotReading
}

// Write writes to the program's input. If the program does not read it, Write ends the program.
func (p *process) Write(line []byte) (int, error) {
	if in, is := p.in.(interface{ SetWriteDeadline(time.Time) error }); is {
		_ = in.SetWriteDeadline(time.Now().Add(p.limits.Probe)) // not every system can
	}
	n, err := p.in.Write(line)
	if errors.Is(err, os.ErrDeadlineExceeded) { // what was begun cannot be ended
		p.end(errors.New("it hangs: it reads nothing any more"))
	}
	return n, err
}

// Close closes the program's input, "SIGTERM if the server does not exit within a reasonable time".
func (p *process) Close() {
	_ = p.in.Close()
	late := time.AfterFunc(p.limits.Grace, func() { p.end(errClosed) })
	defer late.Stop()
	<-p.finished
}

var errClosed = errors.New("it was ended")

// tail keeps the last line that was written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const maxTail = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - maxTail; over > 0 {
		t.text = append([]byte(nil), t.text[over:]...)
	}
	return len(b), nil
}

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}
