package adbserver

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"sync"
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

// shell carries out shell[,v2][,pty|,raw][,TERM=...]:COMMAND, without a command on a terminal unless raw is asked for.
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

// run runs a command line between what the client sends and the outputs, and returns the exit code. Without a command
// the lines come from stdin; there is nobody who would edit them on a terminal.
func (c *conn) run(cmdline string, pty bool, in events, stdout, stderr io.Writer) int {
	stdout, flush := c.phone.output(cmdline, stdout)
	defer flush()
	if pty {
		stdout = &crlf{w: stdout}
		stderr = stdout
	}
	stdin, feed := io.Pipe()
	defer stdin.Close()
	c.start(in, feed)
	if cmdline == "" && pty {
		_, _ = io.WriteString(stderr, "the simulated phone has no interactive shell: run adb shell COMMAND\n")
		return 1
	}
	return c.phone.sh.Run(c.ctx, cmp.Or(cmdline, "sh"), stdin, stdout, stderr)
}

// start begins to hand what the client sends to stdin, also when nobody reads it any longer: the end of the client must
// be seen. drain waits for the end of it.
func (c *conn) start(in events, stdin *io.PipeWriter) {
	c.fed = make(chan struct{})
	c.s.handlers.Go(func() {
		defer close(c.fed)
		defer stdin.Close()
		for {
			e, err := in.next()
			if len(e.data) > 0 {
				_, _ = stdin.Write(e.data)
			}
			if e.end {
				_ = stdin.Close()
			}
			switch err {
			case nil:
				continue
			case io.EOF:
			default:
				c.cancel() // the client is gone
			}
			return
		}
	})
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
