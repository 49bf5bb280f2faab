package adbserver

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/wait"
)

// version is the protocol version of the server; a client with another one would replace it.
const version = 41

// Server is an ADB server. It is safe for concurrent use.
type Server struct {
	mu      sync.Mutex
	phones  []*attachedPhone // in the order of attaching
	lastID  uint64
	changed wait.Broadcast // the list of phones, or a state
	conns   map[*conn]bool
}

// New makes a server without phones.
func New() *Server {
	return &Server{conns: map[*conn]bool{}}
}

// Attach plugs a phone in, in the state device. A phone that was attached under the same serial is
// unplugged.
func (s *Server) Attach(serial string, sh *shell.Shell) {
	s.Detach(serial)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	s.phones = append(s.phones, newPhone(serial, s.lastID, sh))
	s.changed.Send()
}

// Detach unplugs a phone if it is there: its connections end and it leaves the list.
func (s *Server) Detach(serial string) {
	gone, err := s.pick(target{serial: serial}, true)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.phones = slices.DeleteFunc(s.phones, func(p *attachedPhone) bool { return p == gone })
	s.changed.Send()
	s.mu.Unlock()
	s.drop(gone)
}

// Serve answers the connections of ln until ctx ends, which is no error. It closes ln, ends the
// connections that it accepted and waits for them. Phones stay as they are.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(ctx, func() { _ = ln.Close() })()
	var running sync.WaitGroup // connections and what they started
	defer running.Wait()
	defer cancel() // before the wait: connections end with ctx
	for {
		c, err := ln.Accept()
		if err != nil {
			_ = ln.Close()
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("accepting on %s: %w", ln.Addr(), err)
		}
		running.Go(func() { s.handle(ctx, c, &running) })
	}
}
