package app

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lapsing are leases that hold until lapse is called.
type lapsing struct {
	held  chan struct{} // closed while they hold
	lapse func()
}

func (l *lapsing) May(done <-chan struct{}) bool {
	select {
	case <-l.held:
		return true
	case <-done:
		return false
	}
}

func (l *lapsing) OnLapse(f func()) { l.lapse = f }

func TestNothingIsWrittenToAPhoneWhoseLeaseLapsed(t *testing.T) {
	phone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer phone.Close()
	of := &lapsing{held: make(chan struct{})}
	d := newLeasedDialer(of)
	conn, err := d.DialContext(t.Context(), "tcp", phone.Addr().String())
	require.NoError(t, err)
	there, err := phone.Accept()
	require.NoError(t, err)
	defer there.Close()

	wrote := make(chan error)
	go func() { _, err := conn.Write([]byte("late")); wrote <- err }()
	of.lapse()
	_, err = there.Read(make([]byte, 1))
	require.Error(t, err, "the connection is reset")
	require.NotErrorIs(t, err, io.EOF, "and not ended in order: what is in buffers is lost")
	require.ErrorIs(t, conn.Close(), net.ErrClosed)
	require.ErrorIs(t, <-wrote, net.ErrClosed, "its writer does not wait for ever")

	close(of.held)
	conn, err = d.DialContext(t.Context(), "tcp", phone.Addr().String())
	require.NoError(t, err)
	there, err = phone.Accept()
	require.NoError(t, err)
	defer there.Close()
	_, err = conn.Write([]byte("x"))
	require.NoError(t, err)
	got := make([]byte, 1)
	_, err = there.Read(got)
	require.NoError(t, err)
	require.Equal(t, "x", string(got))
	require.NoError(t, conn.Close())
	require.Empty(t, d.open)
}

// What is said to a phone of another machine is encrypted, and as little of it may arrive late.
func TestAnEncryptedConnectionIsResetAsWell(t *testing.T) {
	known := httptest.NewTLSServer(nil)
	defer known.Close()
	machine, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer machine.Close()
	of := &lapsing{held: make(chan struct{})}
	close(of.held)
	d := newLeasedDialer(of)
	d.dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		trust := known.Client().Transport.(*http.Transport).TLSClientConfig
		trust.ServerName = "example.com"
		return (&tls.Dialer{Config: trust}).DialContext(ctx, "tcp", machine.Addr().String())
	}
	raw := make(chan net.Conn, 1)
	go func() {
		c, err := machine.Accept()
		if err == nil {
			err = tls.Server(c, known.TLS).HandshakeContext(t.Context())
		}
		assert.NoError(t, err)
		raw <- c
	}()
	conn, err := d.DialContext(t.Context(), "", "")
	require.NoError(t, err)
	there := <-raw
	defer there.Close()
	of.lapse()
	_, err = io.Copy(io.Discard, there)
	require.ErrorIs(t, err, syscall.ECONNRESET, "what is in buffers is lost")
	require.Error(t, conn.Close())
}
