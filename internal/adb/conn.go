package adb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
)

// Conn is one connection to the server. It lives for one call: when the call's context ends, the
// connection is closed and what was waiting on it returns the context's cause.
type Conn struct {
	net  net.Conn
	ctx  context.Context // of the one call that this connection is made for
	stop func() bool
}

// Close ends the connection. The server sees it and ends the service.
func (c *Conn) Close() error {
	c.stop()
	return c.net.Close()
}

// Read reads from the service. io.EOF is the service's own end.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.net.Read(p)
	return n, c.explain(err)
}

// Write writes to the service.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.net.Write(p)
	return n, c.explain(err)
}

func (c *Conn) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case c.ctx.Err() != nil:
		return context.Cause(c.ctx)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.ErrClosedPipe), errors.Is(err, net.ErrClosed):
		return fmt.Errorf("%w (%w)", ErrCut, err)
	}
	return err
}

// full reads exactly len(p) bytes. An earlier end is ErrCut.
func (c *Conn) full(p []byte) error {
	_, err := io.ReadFull(c, p)
	return cut(err)
}

// request asks for a service and waits for OKAY or FAIL.
func (c *Conn) request(service string) error {
	if len(service) > 0xffff {
		return fmt.Errorf("%w: a service of %d bytes, at most %d fit", ErrTooMuch, len(service),
			0xffff)
	}
	if _, err := fmt.Fprintf(c, "%04x%s", len(service), service); err != nil {
		return fmt.Errorf("adb %s: %w", brief(service), err)
	}
	return c.verdict(service)
}

func (c *Conn) verdict(service string) error {
	var b [4]byte
	if err := c.full(b[:]); err != nil {
		return fmt.Errorf("adb %s: %w", brief(service), err)
	}
	switch string(b[:]) {
	case "OKAY":
		return nil
	case "FAIL":
		return c.refusal(service)
	}
	return fmt.Errorf("adb %s: %w: answer %q, want OKAY or FAIL", brief(service), ErrProtocol, b)
}

// refusal reads the reason behind a FAIL.
func (c *Conn) refusal(service string) error {
	var head [4]byte
	message, err := c.rest(head[:], c.full(head[:]))
	if err != nil {
		return fmt.Errorf("adb %s: reading the reason of a refusal: %w", brief(service), err)
	}
	return refused(brief(service), string(message))
}

// block reads four hexadecimal digits and that many bytes, or FAIL and the reason, which is how a
// service fails after its OKAY.
func (c *Conn) block(service string) ([]byte, error) {
	var head [4]byte
	err := c.full(head[:])
	if string(head[:]) == "FAIL" {
		return nil, c.refusal(service)
	}
	b, err := c.rest(head[:], err)
	if err != nil {
		return nil, fmt.Errorf("adb %s: %w", brief(service), err)
	}
	return b, nil
}

// rest reads the bytes of a block behind its digits, unless reading these has failed.
func (c *Conn) rest(digits []byte, failed error) ([]byte, error) {
	if failed != nil {
		return nil, failed
	}
	n, err := strconv.ParseUint(string(digits), 16, 16)
	if err != nil {
		return nil, fmt.Errorf("%w: length %q", ErrProtocol, digits)
	}
	b := make([]byte, n)
	return b, c.full(b)
}

// brief is a service as error texts show it: its first two words. What follows may be a text that
// is being typed, which belongs in no error and no log.
func brief(service string) string {
	const most = 60
	words := strings.Fields(service)
	words = words[:min(len(words), 2)]
	r := []rune(strings.Join(words, " "))
	q := strconv.Quote(string(r[:min(len(r), most)]))
	return q[1 : len(q)-1]
}

// cut names a stream's early end.
func cut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrCut
	}
	return err
}
