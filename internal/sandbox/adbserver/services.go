package adbserver

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"
)

// service carries out a request to the phone of the connection.
func (c *conn) service(req string) error {
	if c.phone == nil {
		return failure("device offline (no transport)")
	}
	name, line, _ := strings.Cut(req, ":")
	options := strings.Split(name, ",")
	isShell := options[0] == "shell" || name == "exec"
	read := c.bytes
	v2 := slices.Contains(options, "v2")
	if v2 {
		read = c.packets
	}
	stdin, feed := io.Pipe()
	defer stdin.Close()
	if isShell { // at once, so that the client's end is seen whatever the phone does
		c.listen(func() error {
			defer feed.Close()
			err := read(feed)
			if err != nil {
				c.cancel() // before the command sees its input end and runs what follows
			}
			return err
		})
	}
	if err := c.ready(); err != nil {
		return err
	}
	if err := c.phone.usable(); err != nil {
		return err
	}
	if !isShell && name != "sync" {
		return failure("closed") // the phone does not have this service
	}
	if err := c.okay(); err != nil {
		return err
	}
	// Without a command a shell is for a person on a terminal, unless raw is asked for.
	person := options[0] == "shell" && line == "" && !slices.Contains(options, "raw")
	switch {
	case name == "sync":
		return c.sync()
	case v2:
		code := c.run(line, person, stdin, &output{c, packetStdout}, &output{c, packetStderr})
		return c.write([]byte{packetExit, 1, 0, 0, 0, byte(code)})
	}
	out := &output{c: c}
	c.run(line, person, stdin, out, out)
	return nil
}

// run runs a command line and returns the exit code. Without one the lines come from stdin, but not
// from a person: there is nothing here to edit a line with.
func (c *conn) run(line string, person bool, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, flush := c.phone.output(line, stdout)
	defer flush()
	if person {
		_, _ = io.WriteString(stdout, "the simulated phone has no interactive shell: run adb "+
			"shell COMMAND\r\n")
		return 1
	}
	return c.phone.sh.Run(c.ctx, line, stdin, stdout, stderr)
}

// bytes takes all that the client sends for stdin. The end of the bytes is the end of stdin: a
// client may half-close.
func (c *conn) bytes(stdin *io.PipeWriter) error {
	_, err := io.Copy(unread{stdin}, c.r)
	return err
}

// unread takes everything, even when no command reads it any longer: the end of the client must be
// seen.
type unread struct{ stdin *io.PipeWriter }

func (u unread) Write(b []byte) (int, error) {
	_, _ = u.stdin.Write(b)
	return len(b), nil
}

// Packets of shell v2: one byte of kind, four of length, then the data.
const (
	packetStdin      = 0
	packetStdout     = 1
	packetStderr     = 2
	packetExit       = 3
	packetCloseStdin = 4
)

// packets reads the client's packets. The connection's end is the client's end.
func (c *conn) packets(stdin *io.PipeWriter) error {
	for {
		var head [5]byte
		if _, err := io.ReadFull(c.r, head[:]); err != nil {
			return err
		}
		to := io.Discard // a terminal's size, and kinds that came later, are passed over
		switch head[0] {
		case packetStdin:
			to = unread{stdin}
		case packetCloseStdin:
			_ = stdin.Close()
		}
		n := int64(binary.LittleEndian.Uint32(head[1:]))
		if _, err := io.CopyN(to, c.r, n); err != nil {
			return err
		}
	}
}

// chunk is how much output is sent at once.
const chunk = 256 << 10

// output sends the bytes written to it as packets of its kind, or unframed when the kind is 0.
type output struct {
	c    *conn
	kind byte
}

func (o *output) Write(b []byte) (sent int, err error) {
	for part := range slices.Chunk(b, chunk) {
		var head []byte
		if o.kind != 0 {
			head = append([]byte{o.kind}, le32(uint32(len(part)))...)
		}
		if err := o.c.write(head, part); err != nil {
			o.c.cancel() // the client is gone
			return sent, err
		}
		sent += len(part)
	}
	return sent, nil
}
