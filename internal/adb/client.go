package adb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/wait"
)

// Options of a Client. The zero value works.
type Options struct {
	// "host:port" or a socket specification as in ADB_SERVER_SOCKET. "" means adb's own variables,
	// or 127.0.0.1:5037 without them
	Server string
	ADB    string              // binary that starts the server, "" means adb on PATH
	Getenv func(string) string // nil means os.Getenv
	Dialer dialer              // nil means a net.Dialer
	Log    *slog.Logger        // nil discards
	// StartsNone reports that no server is there instead of starting one at another port than
	// adb's own. Something else is meant to listen there: a tunnel, or a simulated phone.
	StartsNone bool
}

// dialer opens connections. *net.Dialer is one.
type dialer interface {
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
}

// Client is one ADB server. It holds no connection and is safe for concurrent use.
type Client struct {
	addr   address
	binary string
	dialer dialer
	log    *slog.Logger
	start  wait.Mutex // its holder may start the server
	fixed  bool       // see Options.StartsNone
	dialed atomic.Uint64
}

// New makes a Client without connecting. Its error is about an address that cannot be read.
func New(opts *Options) (*Client, error) {
	o := *cmp.Or(opts, &Options{})
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Dialer == nil {
		o.Dialer = &net.Dialer{Timeout: 5 * time.Second}
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	addr, err := findAddress(o.Server, o.Getenv)
	if err != nil {
		return nil, err
	}
	return &Client{addr: addr, binary: o.ADB, dialer: o.Dialer, log: o.Log,
		start: wait.NewMutex(), fixed: o.StartsNone && addr.port() != defaultPort}, nil
}

// Address is where the server is, for people.
func (c *Client) Address() string { return c.addr.String() }

// Connections is how many connections to the server have been asked for. Each serves one service,
// as the protocol has it: one that has become a phone's cannot become anything else.
func (c *Client) Connections() uint64 { return c.dialed.Load() }

// Dial connects. When nothing listens and the server would be on this machine, it is started first.
func (c *Client) Dial(ctx context.Context) (*Conn, error) {
	c.dialed.Add(1)
	n, err := c.dialer.DialContext(ctx, c.addr.network, c.addr.addr)
	if nothingListens(err) {
		n, err = c.startAndDial(ctx)
	}
	if until, set := ctx.Deadline(); err != nil && set && time.Now().After(until) {
		<-ctx.Done() // its timer is later than the dialer's
	}
	if ctx.Err() != nil {
		if n != nil {
			n.Close()
		}
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &Conn{net: n, ctx: ctx, stop: context.AfterFunc(ctx, func() { n.Close() })}, nil
}

func nothingListens(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT)
}

// connect asks a host service on a fresh connection. The caller closes the connection.
func (c *Client) connect(ctx context.Context, service string) (*Conn, error) {
	conn, err := c.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("reaching the ADB server at %s: %w", c.addr, noServer(err))
	}
	if err := conn.request(service); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// noServer marks errors of dialing that mean that there is no server to talk to.
func noServer(err error) error {
	if op, is := errors.AsType[*net.OpError](err); is && op.Op == "dial" {
		return hint.Add(fmt.Errorf("%w (%w)", ErrNoServer, err),
			"check the address; over there run `adb -a nodaemon server`, or tunnel its port "+
				"with ssh -L")
	}
	return err
}

// Host asks a host service that answers with one block, for example "host:version".
func (c *Client) Host(ctx context.Context, service string) (string, error) {
	conn, err := c.connect(ctx, service)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	b, err := conn.block(service)
	return string(b), err
}
