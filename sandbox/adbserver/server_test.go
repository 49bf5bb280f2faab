package adbserver_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/sandbox"
	"github.com/taploop/taploop/sandbox/adbserver"
	"github.com/taploop/taploop/sandbox/shell"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server with one phone on a loopback port and returns its address.
func serve(t testing.TB, serial string) (*adbserver.Server, *sandbox.Phone, string) {
	t.Helper()
	phone := sandbox.New(nil)
	s := adbserver.New(nil)
	s.Attach(serial, shell.New(phone))
	return s, phone, listen(t, s)
}

func listen(t testing.TB, s *adbserver.Server) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background(), ln) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-done)
	})
	return ln.Addr().String()
}
