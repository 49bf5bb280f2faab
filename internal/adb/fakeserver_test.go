package adb_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adb"
)

// fakeServer is the wire of an ADB server and nothing behind it: each test says what a service does
// with its connection. Connections are pipes in memory, so a test may run in a synctest bubble.
type fakeServer struct {
	features string
	host     map[string]string                  // host service to the block that answers it
	services func(service string, c *wire)      // a phone's services, after the transport
	refuse   map[string]string                  // service to the text of its FAIL
	raw      func(service string, c *wire) bool // takes a service over before anything is answered

	wg    sync.WaitGroup
	mu    sync.Mutex
	asked []string
	dials int
}

// wire is the server's end of a connection.
type wire struct{ net.Conn }

func (w *wire) ok()            { io.WriteString(w, "OKAY") }
func (w *wire) block(s string) { fmt.Fprintf(w, "%04x%s", len(s), s) }
func (w *wire) fail(s string)  { io.WriteString(w, "FAIL"); w.block(s) }
func (w *wire) say(s string)   { io.WriteString(w, s) }
func (w *wire) untilClosed()   { io.Copy(io.Discard, w) }
func (w *wire) packet(id byte, data string) {
	w.Write(append(binary.LittleEndian.AppendUint32([]byte{id}, uint32(len(data))), data...))
}

func (w *wire) request() (string, error) {
	var head [4]byte
	if _, err := io.ReadFull(w, head[:]); err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 16)
	if err != nil {
		return "", err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(w, b)
	return string(b), err
}

func (s *fakeServer) DialContext(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	s.mu.Lock()
	s.dials++
	s.mu.Unlock()
	s.wg.Go(func() {
		defer server.Close()
		s.serve(&wire{server})
	})
	return client, nil
}

func (s *fakeServer) serve(w *wire) {
	for {
		service, err := w.request()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.asked = append(s.asked, service)
		s.mu.Unlock()
		if s.raw != nil && s.raw(service, w) {
			return
		}
		if text, ok := s.refuse[service]; ok {
			w.fail(text)
			return
		}
		switch answer, ok := s.host[service]; {
		case ok:
			w.ok()
			w.block(answer)
			return
		case strings.HasSuffix(service, ":features"):
			w.ok()
			w.block(s.features)
			return
		case strings.HasPrefix(service, "host:transport:"):
			w.ok()
		case s.services != nil:
			s.services(service, w)
			return
		default:
			w.fail("unknown host service")
			return
		}
	}
}

// client is a client of s whose connections are all closed when the test ends.
func (s *fakeServer) client(t *testing.T) *adb.Client {
	t.Helper()
	c, err := adb.New(&adb.Options{Dialer: s, Getenv: noEnv})
	require.NoError(t, err)
	t.Cleanup(s.wg.Wait)
	return c
}

func noEnv(string) string { return "" }
