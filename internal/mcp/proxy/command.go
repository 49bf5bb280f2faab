package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// maxLine is how much of one message of a server is read.
var maxLine = 64 << 20

// endGrace is how long a program has to end once its input is closed.
var endGrace = 2 * time.Second

const (
	// lines in a row that are no messages, after which a program is given up
	maxMalformed = 1000
	// how much of what a program says is quoted
	maxQuote = 300
)

// process is a program at the other end of its stdin and stdout, a message a line.
type process struct {
	cmd  *exec.Cmd
	mask mask
	r    receiver
	in   io.WriteCloser
	out  io.ReadCloser

	grace time.Duration // [endGrace]

	writing  sync.Mutex    // to in
	gone     chan struct{} // closed once it is known why it has ended
	finished chan struct{}
	said     *tail // its stderr

	mu    sync.Mutex
	cause error // why it has ended, or was ended by us
}

// start starts the program of a target.
func start(ctx context.Context, t *Target, m mask, r receiver) (upstream, error) {
	p := &process{mask: m, r: r, grace: endGrace, gone: make(chan struct{}),
		finished: make(chan struct{}), said: &tail{}}
	p.cmd = exec.CommandContext(ctx, t.Command[0], t.Command[1:]...)
	p.cmd.Env, p.cmd.Dir = t.Env, t.Dir
	p.cmd.WaitDelay = p.grace
	group(p.cmd)
	p.cmd.Stderr = p.said
	var err error
	if p.out, err = p.cmd.StdoutPipe(); err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("it cannot be started: %s", m.text(text.Line(err.Error())))
	}
	go p.run() // close waits for it
	return p, nil
}

// run reads what the program writes until it ends.
func (p *process) run() {
	defer close(p.finished)
	in, malformed := bufio.NewReaderSize(p.out, 16<<10), 0
	for {
		line, err := readLine(in)
		if errors.Is(err, errLong) {
			p.end(fmt.Errorf("it wrote a line of more than %d bytes", maxLine))
		}
		if err != nil {
			break
		}
		line = p.mask.bytes(line)
		if len(strings.TrimSpace(string(line[:min(len(line), 64)]))) == 0 && len(line) < 64 {
			continue
		}
		all, err := read(line)
		if err != nil {
			p.r.malformed(text.Quote(string(line), maxQuote))
			if malformed++; malformed == maxMalformed {
				p.end(fmt.Errorf("it wrote %d lines that are no messages", malformed))
			}
			continue
		}
		malformed = 0
		for _, m := range all {
			p.r.receive(p, m)
		}
	}
	_, _ = io.Copy(io.Discard, p.out)
	_ = p.in.Close()
	late := time.AfterFunc(p.grace, func() { p.end(errOutputClosed) })
	why := p.ended(p.cmd.Wait())
	late.Stop()
	close(p.gone)
	p.r.lost(p, why)
}

var (
	errLong         = errors.New("it sent a line that is too long")
	errOutputClosed = errors.New("it hangs: it has closed its output, and did not end")
	errNotReading   = errors.New("it takes no messages any more")
)

// readLine gives the next line without its end, until the next call. The last line needs no end.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(line) > maxLine {
			return nil, errLong
		}
		var more []byte
		more, err = r.ReadSlice('\n')
		line = append(line, more...)
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// read reads a line: one message, or several as 2025-03-26 has them.
func read(line []byte) ([]*message, error) {
	all := make([]*message, 1)
	var err error
	if line[0] == '[' {
		err = json.Unmarshal(line, &all)
	} else {
		err = json.Unmarshal(line, &all[0])
	}
	if err == nil && (len(all) == 0 || slices.ContainsFunc(all, noMessage)) {
		err = errors.New("it is no message")
	}
	return all, err
}

// noMessage tidies m, and reports whether it is nothing.
func noMessage(m *message) bool {
	if m == nil {
		return true
	}
	m.normalize()
	return m.Method == "" && len(m.ID) == 0
}

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
	if last := p.mask.text(p.said.last()); last != "" {
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
		_ = out.SetReadDeadline(time.Now().Add(p.grace)) // not every system can
	}
}

func (p *process) send(ctx context.Context, m *message) error {
	data, err := m.encode()
	if err != nil || p.write(append(data, '\n')) == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.grace)
	defer cancel()
	select { // it is mostly about to end, and then it is told why
	case <-p.gone:
		return p.ended(nil)
	case <-ctx.Done():
	}
	p.end(errNotReading)
	return errNotReading
}

func (p *process) write(line []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	if in, is := p.in.(interface{ SetWriteDeadline(time.Time) error }); is {
		_ = in.SetWriteDeadline(time.Now().Add(maxProbe)) // not every system can
	}
	_, err := p.in.Write(line)
	if errors.Is(err, os.ErrDeadlineExceeded) { // what was begun cannot be ended
		p.end(errors.New("it hangs: it reads nothing any more"))
	}
	return err
}

// close closes the program's input, "SIGTERM if the server does not exit within a reasonable time".
func (p *process) close() {
	_ = p.in.Close()
	late := time.AfterFunc(p.grace, func() { p.end(errClosed) })
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
