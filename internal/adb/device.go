package adb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// Device is one address of a phone behind a server. It holds no connection and is safe for
// concurrent use.
type Device struct {
	client    *Client
	serial    string
	transport string // its id, where the serial names several; else ""

	mu       sync.Mutex
	features map[string]bool // nil until asked
}

// Device names a phone. It does not ask whether there is one.
func (c *Client) Device(serial string) *Device { return &Device{client: c, serial: serial} }

// Transport names the address with this transport id. Phones that share a serial can be told apart
// by it. It ends with the connection: a phone that is plugged in again has another one.
func (c *Client) Transport(serial, id string) *Device {
	return &Device{client: c, serial: serial, transport: id}
}

// Args are the arguments with which adb itself addresses the phone.
func (d *Device) Args() []string {
	if d.transport != "" {
		return []string{"-t", d.transport}
	}
	return []string{"-s", d.serial}
}

// services are the host services that choose the phone, and that ask for its features.
func (d *Device) services() (choose, features string) {
	if d.transport != "" {
		return "host:transport-id:" + d.transport, "host-transport-id:" + d.transport + ":features"
	}
	return "host:transport:" + d.serial, "host-serial:" + d.serial + ":features"
}

// Open connects to a service of the phone, for example "exec:ls". The caller closes the connection.
// The error is ErrNotReached if the phone has not been asked for the service.
func (d *Device) Open(ctx context.Context, service string) (*Conn, error) {
	if strings.ContainsRune(service, 0) {
		return nil, errors.New("a NUL byte in an ADB service")
	}
	choose, _ := d.services()
	conn, err := d.client.connect(ctx, choose)
	if err != nil {
		return nil, notReached{err}
	}
	if err := conn.request(service); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// Has reports whether phone and server both have a feature, for example "shell_v2". The answer is
// asked for once.
func (d *Device) Has(ctx context.Context, feature string) (bool, error) {
	d.mu.Lock()
	known := d.features
	d.mu.Unlock()
	if known == nil {
		_, features := d.services()
		s, err := d.client.Host(ctx, features)
		if err != nil {
			return false, notReached{err}
		}
		known = map[string]bool{}
		for f := range strings.SplitSeq(s, ",") {
			known[strings.TrimSpace(f)] = true
		}
		d.mu.Lock()
		d.features = known
		d.mu.Unlock()
	}
	return known[feature], nil
}

// Exec runs a command line and returns its raw output, including stderr. There is no exit code. The
// output uses buf's memory where it fits. More than limit bytes are ErrTooMuch, with the first of
// them. seen, which may be nil, is called with all output so far whenever more arrives.
func (d *Device) Exec(
	ctx context.Context, line string, buf []byte, limit int, seen func([]byte),
) ([]byte, error) {
	conn, err := d.Open(ctx, "exec:"+line)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return readAll(conn, "exec:"+line, buf, limit, seen)
}

// readAll reads to the end. The stream's end is its only end mark: whether it is whole is the
// caller's to judge.
func readAll(
	r io.Reader, service string, buf []byte, limit int, seen func([]byte),
) ([]byte, error) {
	buf = slices.Grow(buf[:0], 512)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if seen != nil {
			seen(buf)
		}
		switch {
		case len(buf) > limit:
			return buf[:limit], fmt.Errorf("adb %s: %w: over %d bytes", brief(service),
				ErrTooMuch, limit)
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return nil, fmt.Errorf("adb %s: %w", brief(service), err)
		case len(buf) == cap(buf):
			buf = append(buf, 0)[:len(buf)]
		}
	}
}
