package adb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// phonePort is the port of a phone's daemon on a network, unless another one is named.
const phonePort = "5555"

// PhoneAddress completes "HOST" to "HOST:5555" and checks "HOST:PORT".
func PhoneAddress(s string) (string, error) {
	s = strings.TrimSpace(s)
	host, port, err := net.SplitHostPort(s)
	if bare := strings.Trim(s, "[]"); err != nil && (net.ParseIP(bare) != nil ||
		!strings.Contains(s, ":")) {
		host, port = bare, phonePort
	} else if err != nil {
		return "", hint.Add(fmt.Errorf("%q is no address", s), "write HOST or HOST:PORT")
	}
	if host == "" {
		return "", hint.Add(fmt.Errorf("%q names no host", s), "write HOST or HOST:PORT")
	}
	a, err := tcp(host, port)
	if err != nil {
		return "", hint.Add(fmt.Errorf("%q: %w", s, err), "write HOST or HOST:PORT")
	}
	return a.addr, nil
}

// Why a phone on the network could not be reached, for errors.Is.
var (
	ErrConnect = errors.New("the phone cannot be reached over the network")
	ErrPair    = errors.New("the phone was not paired")
)

// Connect has the server connect a phone on the network, at HOST:PORT, and returns what it says. A
// phone that is connected already is no error.
func (c *Client) Connect(ctx context.Context, address string) (said string, err error) {
	said, err = c.told(ctx, "host:connect:"+address)
	if err != nil {
		return "", fmt.Errorf("connecting %s: %w", address, err)
	}
	low := strings.ToLower(said)
	switch {
	case strings.HasPrefix(low, "connected to"), strings.HasPrefix(low, "already connected"):
		return text.Line(said), nil
	case strings.Contains(low, "authenticate"):
		return "", hint.Add(fmt.Errorf("%w: %s", ErrConnect, text.Line(said)),
			"unlock the phone and confirm \"Allow USB debugging?\"; with wireless debugging run "+
				"`taploop pair HOST:PORT` first")
	}
	return "", hint.Add(fmt.Errorf("%w: %s", ErrConnect, text.Line(said)),
		"see that phone and computer are in one network and that the port is the one that "+
			"\"Wireless debugging\" shows now; it changes whenever that is switched on")
}

// Disconnect ends the server's connection to the address, or to all phones on the network for "".
func (c *Client) Disconnect(ctx context.Context, address string) (said string, err error) {
	said, err = c.told(ctx, "host:disconnect:"+address)
	if err != nil {
		return "", fmt.Errorf("disconnecting %s: %w", cmp.Or(address, "all"), err)
	}
	if low := strings.ToLower(said); strings.Contains(low, "no such") ||
		strings.Contains(low, "error") {
		return "", hint.Add(fmt.Errorf("disconnecting %s: %s", address, text.Line(said)),
			"`taploop devices` lists what is connected")
	}
	return text.Line(said), nil
}

// Pair gives the server's key to a phone that shows a pairing code, at the address that it shows
// with the code. A server before 1.0.41 of 2020 cannot pair.
func (c *Client) Pair(ctx context.Context, address, code string) (said string, err error) {
	const digits = 6 // a phone shows so many; one that reads a code gets a longer word
	if _, err := strconv.ParseUint(code, 10, 64); len(code) < digits ||
		len(code) == digits && err != nil || strings.ContainsAny(code, ": \t\r\n") {
		return "", hint.Add(fmt.Errorf("%w: that is no pairing code", ErrPair),
			"type the six digits that \"Pair device with pairing code\" shows")
	}
	said, err = c.told(ctx, "host:pair:"+code+":"+address)
	if err != nil { // which may quote the service, with the code
		return "", withoutCode(fmt.Errorf("pairing %s: %w", address, err), code)
	}
	if !strings.HasPrefix(said, "Successfully paired") {
		return "", hint.Add(withoutCode(fmt.Errorf("%w: %s", ErrPair, text.Line(said)), code),
			"see that the phone still shows the code, and that the address is the one beside it: "+
				"it is another one than that of the connection")
	}
	return text.Line(said), nil
}

// told is what the server says of a service, also where it says it with a refusal.
func (c *Client) told(ctx context.Context, service string) (string, error) {
	said, err := c.Host(ctx, service)
	if r, ok := errors.AsType[*RefusedError](err); ok && r.kind == nil {
		return r.Message, nil
	}
	return said, err
}

// codeless is an error without the code in its text.
type codeless struct {
	error
	code string
}

func withoutCode(err error, code string) error { return codeless{err, code} }

func (c codeless) Unwrap() error { return c.error }
func (c codeless) Error() string { return strings.ReplaceAll(c.error.Error(), c.code, "[code]") }

// Announced is a service that a phone announces on the network (mDNS).
type Announced struct{ Name, Type, Address string }

// The types of services: of a phone that shows a pairing code or has read one, and of one that is
// ready for those it knows.
const (
	ServicePairing = "_adb-tls-pairing._tcp"
	ServiceConnect = "_adb-tls-connect._tcp"
)

// Announced lists what phones announce now. It is an error if the server does not listen for that.
func (c *Client) Announced(ctx context.Context) ([]Announced, error) {
	said, err := c.Host(ctx, "host:mdns:services")
	if _, refused := errors.AsType[*RefusedError](err); refused {
		err = hint.Add(fmt.Errorf("this ADB server does not hear phones: %w", err),
			"taploop pair HOST:PORT CODE, as the phone shows them under \"Pair device with "+
				"pairing code\"")
	}
	if err != nil {
		return nil, err
	}
	var list []Announced
	for line := range strings.Lines(said) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) == 3 {
			list = append(list, Announced{Name: fields[0], Address: fields[2],
				Type: strings.TrimSuffix(fields[1], ".")})
		}
	}
	return list, nil
}

// AwaitAnnounced returns the address of the first announced service that fits. It looks once a
// second until ctx ends.
func (c *Client) AwaitAnnounced(ctx context.Context, fits func(Announced) bool) (string, error) {
	for {
		list, err := c.Announced(ctx)
		if err != nil {
			return "", err
		}
		for _, s := range list {
			if fits(s) {
				return s.Address, nil
			}
		}
		if err := wait.For(ctx, time.Second); err != nil {
			return "", err
		}
	}
}
