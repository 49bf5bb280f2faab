package adbserver

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

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
	if options[0] != "shell" && name != "exec" && name != "sync" {
		return failure("closed") // the phone does not have this service
	}
	if err := c.okay(); err != nil {
		return err
	}
	// Without a command a shell is for a person on a terminal, unless raw is asked for.
	person := options[0] == "shell" && arg == "" && !slices.Contains(options, "raw")
	switch {
	case name == "sync":
		return c.sync()
	case slices.Contains(options, "v2"):
		return c.shellV2(person, arg)
	}
	out := &plainOut{c: c}
	c.run(arg, person, &plainIn{c: c}, out, out)
	return nil
}

// plainOut sends output as it is.
type plainOut struct{ c *conn }

func (p *plainOut) Write(b []byte) (int, error) {
	if err := p.c.write(b); err != nil {
		p.c.cancel() // the client is gone
		return 0, err
	}
	return len(b), nil
}

// event is something that a client sent to a service.
type event struct {
	data []byte // for stdin
	end  bool   // the end of stdin
}

// events is the reading half of a service's connection. next returns io.EOF when nothing can follow
// and the client still listens, another error when the client is gone.
type events interface {
	next() (event, error)
}

// plainIn takes every byte for stdin. The end of the bytes is the end of stdin: a client may
// half-close.
type plainIn struct {
	c   *conn
	buf [32 << 10]byte
}

func (p *plainIn) next() (event, error) {
	n, err := p.c.r.Read(p.buf[:])
	return event{data: p.buf[:n]}, err
}

// run runs a command line between what the client sends and the outputs, and returns the exit code.
// Without a command the lines come from stdin, but not from a person: there is nothing here to edit
// a line with.
func (c *conn) run(cmdline string, person bool, in events, stdout, stderr io.Writer) int {
	stdout, flush := c.phone.output(cmdline, stdout)
	defer flush()
	stdin, feed := io.Pipe()
	defer stdin.Close()
	c.start(in, feed)
	if person {
		_, _ = io.WriteString(stdout, "the simulated phone has no interactive shell: run adb "+
			"shell COMMAND\r\n")
		return 1
	}
	return c.phone.sh.Run(c.ctx, cmp.Or(cmdline, "sh"), stdin, stdout, stderr)
}

// start begins to hand what the client sends to stdin, even when no command reads it any longer:
// the end of the client must be seen. drain waits for the end of it.
func (c *conn) start(in events, stdin *io.PipeWriter) {
	c.fed = make(chan struct{})
	c.wg.Go(func() {
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
