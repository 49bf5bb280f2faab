package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/terminal/tty"
)

// serverFlag is shared by commands that speak to the ADB server alone.
type serverFlag struct {
	ADB string `name:"adb-server" key:"adb.server" placeholder:"ADDR"`
}

type connectCmd struct {
	Address string `arg:""`
	serverFlag
}

// Run has the ADB server connect a phone on the network.
func (c *connectCmd) Run(ctx context.Context, a *invocation) error {
	address, err := adb.PhoneAddress(c.Address)
	if err != nil {
		return app.Usage(err, "")
	}
	server, err := loadedServer(a)
	if err != nil {
		return err
	}
	return tell(a)(server.Connect(ctx, address))
}

type disconnectCmd struct {
	Address string `arg:"" optional:""`
	All     bool
	serverFlag
}

// Run ends the ADB server's connection to a phone on the network.
func (c *disconnectCmd) Run(ctx context.Context, a *invocation) error {
	if c.All == (c.Address != "") {
		return app.Usage(errors.New("name one address, or pass --all"),
			"taploop devices lists them")
	}
	server, err := loadedServer(a)
	if err != nil {
		return err
	}
	return tell(a)(server.Disconnect(ctx, c.Address))
}

type pairCmd struct {
	Address string        `arg:"" optional:""`
	Code    string        `arg:"" optional:""`
	Timeout time.Duration `default:"2m" placeholder:"D"`
	serverFlag
}

// Run pairs a phone for wireless debugging.
func (c *pairCmd) Run(ctx context.Context, a *invocation) error {
	if c.Timeout <= 0 {
		return app.Usage(fmt.Errorf("--timeout is %v", c.Timeout),
			"use one of more than 0, such as 2m")
	}
	server, err := loadedServer(a)
	if err != nil {
		return err
	}
	if c.Address == "" {
		return tell(a)(c.byPicture(ctx, a, server))
	}
	if _, _, err := net.SplitHostPort(c.Address); err != nil {
		return app.Usage(fmt.Errorf("%q is no address with a port", c.Address),
			"write the HOST:PORT that the phone shows with the code")
	}
	address, err := adb.PhoneAddress(c.Address)
	if err != nil {
		return app.Usage(err, "")
	}
	if c.Code == "" {
		if c.Code, err = askCode(ctx, a); err != nil {
			return err
		}
	}
	return tell(a)(server.Pair(ctx, address, strings.TrimSpace(c.Code)))
}

// askCode asks the person at the terminal for the code that the phone shows.
func askCode(ctx context.Context, a *invocation) (string, error) {
	person, end := tty.Person(a.in, a.err)
	defer end()
	if person == nil {
		return "", app.Usage(errors.New("the pairing code is missing"),
			"taploop pair HOST:PORT CODE")
	}
	code, err := person.Ask(ctx, "Pairing code: ", false)
	return strings.TrimSpace(code), err
}

// byPicture shows a QR code that the phone reads under "Pair device with QR code", pairs the phone
// that then announces itself, and connects it.
func (c *pairCmd) byPicture(ctx context.Context, a *invocation, server *adb.Client) (
	string, error) {
	if _, err := server.Announced(ctx); err != nil {
		return "", err
	}
	name, secret := "taploop-"+rand.Text()[:10], rand.Text()[:12]
	err := tty.NewPainter(a.err, a.Options.Environ).
		QR(a.err, "WIFI:T:ADB;S:"+name+";P:"+secret+";;")
	if err != nil {
		return "", err
	}
	a.notef("On the phone: Developer options, Wireless debugging, Pair device with QR code.")
	late := hint.Add(fmt.Errorf("no phone has read the code within %s", c.Timeout),
		"see that phone and computer are in one network, or use taploop pair HOST:PORT CODE")
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, late)
	defer cancel()
	at, err := server.AwaitAnnounced(ctx, func(s adb.Announced) bool {
		return s.Type == adb.ServicePairing && s.Name == name
	})
	if err != nil {
		return "", err
	}
	said, err := server.Pair(ctx, at, secret)
	if err != nil {
		return "", err
	}
	host, _, _ := net.SplitHostPort(at)
	at, err = server.AwaitAnnounced(ctx, func(s adb.Announced) bool {
		its, _, _ := net.SplitHostPort(s.Address)
		return s.Type == adb.ServiceConnect && its == host
	})
	if err != nil {
		return said, nil // paired; servers connect phones that they know by themselves
	}
	a.notef("%s", said)
	return server.Connect(ctx, at)
}

// loadedServer is the configured ADB server.
func loadedServer(a *invocation) (*adb.Client, error) {
	if err := a.Load(); err != nil {
		return nil, err
	}
	return app.NewServer(&a.Settings)
}

// tell prints what the server said.
func tell(a *invocation) func(string, error) error {
	return func(said string, err error) error {
		if err == nil {
			_, err = fmt.Fprintln(a.out, said)
		}
		return app.PhoneTrouble(err)
	}
}
