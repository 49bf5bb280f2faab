package app

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// leases say whether this process may write to phones now. store.Owner implements it.
type leases interface {
	May(done <-chan struct{}) bool
	OnLapse(func())
}

// leasedDialer opens connections to phones that write only while the leases hold. It resets all of
// them when the leases lapse, so that no touch arrives late from a buffer.
type leasedDialer struct {
	leases leases
	dial   func(ctx context.Context, network, addr string) (net.Conn, error)

	mu   sync.Mutex
	open map[*leasedConn]bool
}

func newLeasedDialer(of leases) *leasedDialer {
	d := &leasedDialer{leases: of, dial: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		open: map[*leasedConn]bool{}}
	of.OnLapse(d.reset)
	return d
}

// DialContext connects to an ADB server.
func (d *leasedDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	n, err := d.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c := &leasedConn{Conn: n, of: d, closed: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[c] = true
	return c, nil
}

func (d *leasedDialer) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.open {
		raw := c.Conn
		if encrypted, is := raw.(*tls.Conn); is {
			raw = encrypted.NetConn()
		}
		if tcp, ok := raw.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // unsent bytes are thrown away
		}
		_ = c.Conn.Close() // its user closes it as well
	}
}

// leasedConn is a connection to a phone.
type leasedConn struct {
	net.Conn
	of     *leasedDialer
	once   sync.Once
	closed chan struct{}
}

// Write writes as soon as the leases allow it.
func (c *leasedConn) Write(p []byte) (int, error) {
	if !c.of.leases.May(c.closed) {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

// Close ends the connection.
func (c *leasedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}
