package adbserver

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/sandbox/shell"
)

// closed is what a client hears of a service that the phone does not have.
const closed = failure("closed")

// service carries out a request to the phone of the connection.
func (c *conn) service(req string) error {
	if c.phone == nil {
		return failure("device offline (no transport)")
	}
	if err := c.ready(); err != nil {
		return err
	}
	if err := c.phone.usable(); err != nil {
		return err
	}
	name, arg, _ := strings.Cut(req, ":")
	options := strings.Split(name, ",")
	switch {
	case c.phone.current() != StateDevice:
		return closed
	case options[0] == "shell":
		return c.shell(options[1:], arg)
	case name == "exec":
		return c.exec(arg)
	case name == "sync":
		if err := c.okay(); err != nil {
			return err
		}
		return c.sync()
	}
	return closed
}

// shell carries out shell[,v2][,pty|,raw][,TERM=...]:COMMAND. Without a command it is a session, on a terminal unless raw
// is asked for.
func (c *conn) shell(options []string, cmdline string) error {
	pty := cmdline == ""
	for _, o := range options {
		switch o {
		case "pty":
			pty = true
		case "raw":
			pty = false
		}
	}
	if err := c.okay(); err != nil {
		return err
	}
	if slices.Contains(options, "v2") {
		return c.shellV2(pty, cmdline)
	}
	out := &plainOut{c: c}
	c.run(cmdline, pty, &plainIn{c: c}, out, out)
	return nil
}

// exec carries out exec:COMMAND: raw bytes both ways, no exit code.
func (c *conn) exec(cmdline string) error {
	if err := c.okay(); err != nil {
		return err
	}
	out := &plainOut{c: c}
	c.run(cmdline, false, &plainIn{c: c}, out, out)
	return nil
}

// plainOut sends output as it is.
type plainOut struct{ c *conn }

func (p *plainOut) Write(b []byte) (int, error) {
	if err := p.c.write(b); err != nil {
		p.c.cancel() // nobody reads on
		return 0, err
	}
	return len(b), nil
}

// event is something that a client sent to a service.
type event struct {
	data []byte // for stdin
	end  bool   // the end of stdin
	size [2]int // the terminal's new width and height, when not zero
}

// events is the reading half of a service's connection. next returns io.EOF when nothing can follow and the client still
// listens, another error when the client is gone.
type events interface {
	next() (event, error)
}

// plainIn takes every byte for stdin. The end of the bytes is the end of stdin: a client may half-close.
type plainIn struct {
	c   *conn
	buf [32 << 10]byte
}

func (p *plainIn) next() (event, error) {
	n, err := p.c.r.Read(p.buf[:])
	return event{data: p.buf[:n]}, err
}

// run runs a command line, or a session without one, between what the client sends and the outputs, and returns the exit
// code.
func (c *conn) run(cmdline string, pty bool, in events, stdout, stderr io.Writer) int {
	sh := c.phone.sh
	stdout, flush := c.phone.output(cmdline, stdout)
	defer flush()
	stdin, feed, err := os.Pipe()
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "no pipe for stdin: %v\n", err)
		return 1
	}
	defer stdin.Close()
	if cmdline == "" && pty {
		session := sh.NewSession(stdin, stdout)
		c.start(in, feed, session)
		return session.Run(c.ctx)
	}
	c.start(in, feed, nil)
	if pty {
		stdout = &crlf{w: stdout}
		stderr = stdout
	}
	if cmdline == "" {
		return sh.Script(c.ctx, stdin, stdout, stderr)
	}
	return sh.Run(c.ctx, cmdline, stdin, stdout, stderr)
}

// start begins to hand what the client sends to stdin; drain waits for the end of it.
func (c *conn) start(in events, stdin *os.File, session *shell.Session) {
	c.fed = make(chan struct{})
	c.s.handlers.Go(func() {
		defer close(c.fed)
		defer stdin.Close()
		if err := feed(in, stdin, session); err != io.EOF {
			c.cancel() // the client is gone
		}
	})
}

// feed hands events on until there are no more, also when nobody reads stdin any longer: the end of the client must be
// seen. On a terminal ctrl-C interrupts what runs.
func feed(in events, stdin *os.File, session *shell.Session) error {
	for {
		e, err := in.next()
		if session != nil {
			session.Resize(e.size[0], e.size[1])
			e.data = interrupts(e.data, session)
		}
		if len(e.data) > 0 {
			_, _ = stdin.Write(e.data)
		}
		if e.end {
			_ = stdin.Close()
		}
		if err != nil {
			return err
		}
	}
}

const (
	ctrlC = 0x03
	ctrlU = 0x15 // clears the line being typed
)

// interrupts takes ctrl-C out of typed bytes: it ends the command that runs, or clears the line.
func interrupts(data []byte, session *shell.Session) []byte {
	if !slices.Contains(data, ctrlC) {
		return data
	}
	var out []byte
	for _, b := range data {
		switch {
		case b != ctrlC:
			out = append(out, b)
		case !session.Interrupt():
			out = append(out, ctrlU)
		}
	}
	return out
}

// crlf is the output of a terminal: lines end with CR LF.
type crlf struct {
	mu sync.Mutex
	w  io.Writer
}

func (c *crlf) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := io.WriteString(c.w, strings.ReplaceAll(string(b), "\n", "\r\n")); err != nil {
		return 0, err
	}
	return len(b), nil
}
