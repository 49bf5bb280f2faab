package adbserver

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// answer carries out a request, and reports whether another one may follow on the connection.
func (c *conn) answer(req string) (more bool, err error) {
	t, rest, isHost := parseTarget(req)
	if !isHost {
		return false, c.service(req)
	}
	switch {
	case rest == "version":
		return false, c.send("OKAY", fmt.Sprintf("%04x", version))
	case rest == "kill": // the phones belong to this process, which stays
		return false, c.okay()
	case rest == "devices", rest == "devices-l":
		return false, c.send("OKAY", c.s.list(rest == "devices-l"))
	case rest == "host-features":
		return false, c.send("OKAY", features)
	case rest == "features", rest == "get-state", rest == "get-serialno":
		return false, c.describe(t, rest)
	case strings.HasPrefix(rest, "transport"), strings.HasPrefix(rest, "tport:"):
		return true, c.transport(rest)
	case strings.HasPrefix(rest, "wait-for-"):
		return false, c.waitFor(t, strings.TrimPrefix(rest, "wait-for-"))
	}
	return false, failure("unknown host service")
}

// kinds of phones that requests may name.
var kinds = []string{"any", "usb", "local"}

// parseTarget splits the prefix off a host request: host:REST, host-serial:SERIAL:REST,
// host-transport-id:N:REST. There is one kind of phone, so host-usb and host-local are host.
func parseTarget(req string) (t target, rest string, isHost bool) {
	prefix, rest, ok := strings.Cut(req, ":")
	if !ok {
		return t, "", false
	}
	switch prefix {
	case "host", "host-usb", "host-local":
		return t, rest, true
	case "host-transport-id":
		number, rest, _ := strings.Cut(rest, ":")
		id, err := strconv.ParseUint(number, 10, 64)
		if err != nil || id == 0 {
			return t, "", true // an unknown service
		}
		return target{id: id}, rest, true
	case "host-serial":
		// serials may have colons, the requests have none
		i := max(strings.LastIndexByte(rest, ':'), 0)
		return target{serial: rest[:i]}, strings.TrimPrefix(rest[i:], ":"), true
	}
	return t, "", false
}

// transport chooses the phone of the requests that follow. tport answers with the phone's transport
// id, too.
func (c *conn) transport(rest string) error {
	var t target
	which, tport := strings.CutPrefix(rest, "tport:")
	kind, which, _ := strings.Cut(strings.TrimPrefix(which, "transport-"), ":")
	switch {
	case kind == "transport", kind == "serial":
		t.serial = which
	case kind == "id":
		t.id, _ = strconv.ParseUint(which, 10, 64)
	case slices.Contains(kinds, kind):
		t.any = true
	}
	if t == (target{}) {
		return failure("unknown host service")
	}
	p, err := c.s.pick(t, false)
	if err != nil {
		return err
	}
	answer := []byte("OKAY")
	if tport {
		answer = binary.LittleEndian.AppendUint64(answer, p.id)
	}
	if err := c.write(answer); err != nil {
		return err
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.phone = p
	return nil
}

// pick is the server's, but a transport that the connection has chosen before goes for a request
// that names no phone.
func (c *conn) pick(t target, anyState bool) (*attachedPhone, error) {
	if t.serial == "" && t.id == 0 && c.phone != nil {
		return c.phone, nil
	}
	return c.s.pick(t, anyState)
}

// describe answers what a client asks about one phone.
func (c *conn) describe(t target, what string) error {
	p, err := c.pick(t, what != "features")
	if err != nil {
		return err
	}
	return c.send("OKAY", map[string]string{
		"features": features, "get-state": p.now().state, "get-serialno": p.serial,
	}[what])
}

// waitFor answers a second time when a phone has reached a state: TYPE-STATE.
func (c *conn) waitFor(t target, what string) error {
	kind, state, ok := strings.Cut(what, "-")
	if !ok || !slices.Contains(kinds, kind) {
		return failure("unknown type " + kind)
	}
	if !slices.Contains([]string{"device", "any", "disconnect"}, state) {
		return failure("unknown state " + state)
	}
	if err := c.okay(); err != nil {
		return err
	}
	c.listen(func() error { // for its end
		_, _ = io.Copy(io.Discard, c.r)
		return io.EOF
	})
	for {
		changed := c.s.changed.Next()
		p, err := c.s.pick(t, true)
		if reached(p, err, state) {
			return c.okay()
		}
		if err := c.until(changed); err != nil {
			return err
		}
	}
}

func reached(p *attachedPhone, err error, state string) bool {
	if state == "disconnect" {
		return err != nil
	}
	return err == nil && (state == "any" || p.now().state == state)
}
