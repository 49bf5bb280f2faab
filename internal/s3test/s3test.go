// Package s3test starts an S3 server for tests, which scripts/setup has built.
package s3test

import (
	"bufio"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbtest"
)

// Bucket is a bucket that each server has.
const Bucket = "frames"

// Keys are the variables of the environment with the keys of the one user that a server knows.
var Keys = map[string]string{"AWS_ACCESS_KEY_ID": "taploop", "AWS_SECRET_ACCESS_KEY": "of-tests"}

// Server is an S3 server that listens on loopback. It ends with the test.
type Server struct {
	address string
	cmd     *exec.Cmd
}

// Start starts a server. It fails the test if the server is not there.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{address: "127.0.0.1:0"}
	s.Up(t)
	t.Cleanup(func() {
		if s.cmd != nil {
			s.Kill(t)
		}
	})
	return s
}

// Up starts a server that was killed, at the address that it had, with nothing in it.
func (s *Server) Up(t testing.TB) {
	t.Helper()
	program := filepath.Join(adbtest.Cache(), "s3", "server")
	require.FileExists(t, program, "the S3 server of the tests is not there: make setup")
	s.cmd = exec.Command(program, s.address, Bucket, Keys["AWS_ACCESS_KEY_ID"],
		Keys["AWS_SECRET_ACCESS_KEY"])
	out, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, "it has ended")
	s.address = strings.TrimSpace(line)
}

// Kill ends the server at once.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Kill())
	_ = s.cmd.Wait() // it was killed
	s.cmd = nil
}

// Address is that of the server.
func (s *Server) Address() string { return "http://" + s.address }

// URL names a place in a bucket of the server, for store.frames.
func (s *Server) URL(bucket, prefix string) string {
	u := url.URL{Scheme: "s3", Host: bucket, Path: "/" + prefix,
		RawQuery: url.Values{"endpoint": {s.Address()}}.Encode()}
	return u.String()
}
