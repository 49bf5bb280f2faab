package adbserver

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/wait"
)

// version is the protocol version of the server. A client with another one would replace it.
const version = 41

// Server is an ADB server. It is safe for concurrent use.
type Server struct {
	mu      sync.Mutex
	phones  []*attachedPhone // in the order of attaching
	lastID  uint64
	changed wait.Broadcast // the list of phones, or a state
	links   map[*link]bool
}

// link is a connection as the server knows it. Its fields are changed under the server's lock.
type link struct {
	phone  *attachedPhone // chosen by a transport request, nil before
	cancel context.CancelFunc
}

// New makes a server without phones.
func New() *Server {
	return &Server{links: map[*link]bool{}}
}

// Attach plugs a phone in, in the state device. A phone that was attached under the same serial is
// unplugged. A phone may be attached under several serials, and has the first as its factory serial
// unless it was made with one.
func (s *Server) Attach(serial string, sh *shell.Shell) {
	s.Detach(serial)
	sh.Phone().Settings.Name(serial)
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

func (s *Server) attached() []*attachedPhone {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.phones)
}

func (s *Server) list(long bool) string {
	var b strings.Builder
	for _, p := range s.attached() {
		b.WriteString(p.line(long))
	}
	return b.String()
}

// pick finds the phone of a target. Unless anyState, a phone that cannot be used is refused with
// the reason.
func (s *Server) pick(t target, anyState bool) (*attachedPhone, error) {
	found := slices.DeleteFunc(s.attached(), func(p *attachedPhone) bool {
		return t.serial != "" && p.serial != t.serial || t.id != 0 && p.id != t.id
	})
	if len(found) != 1 {
		return nil, t.notOne(len(found))
	}
	if anyState {
		return found[0], nil
	}
	return found[0], found[0].usable()
}

// change changes a phone under its lock.
func (s *Server) change(serial string, f func(*attachedPhone)) error {
	p, err := s.pick(target{serial: serial}, true)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p)
	return nil
}

// SetState puts a phone into a state of adb devices. In any other than StateDevice it takes no
// commands. Its connections end.
func (s *Server) SetState(serial, state string) error {
	if err := s.change(serial, func(p *attachedPhone) { p.state = state }); err != nil {
		return err
	}
	s.mu.Lock()
	s.changed.Send()
	s.mu.Unlock()
	if state != StateDevice {
		return s.DropConnections(serial)
	}
	return nil
}

// Hang stops a phone from answering, as a stopped daemon does: services are accepted and nothing
// comes, even in the middle of one, until it is called with false.
func (s *Server) Hang(serial string, hung bool) error {
	return s.change(serial, func(p *attachedPhone) {
		select {
		case <-p.open:
			if hung {
				p.open = make(chan struct{})
			}
		default:
			if !hung {
				close(p.open)
			}
		}
	})
}

// SetLatency makes a phone wait before it begins a service.
func (s *Server) SetLatency(serial string, d time.Duration) error {
	return s.change(serial, func(p *attachedPhone) { p.latency = d })
}

// CorruptCaptures makes the output of screencap lose its last third, as when a transfer breaks off.
func (s *Server) CorruptCaptures(serial string, corrupt bool) error {
	return s.change(serial, func(p *attachedPhone) { p.corrupt = corrupt })
}

// DropConnections ends the connections that a phone has now, in the middle of whatever they do.
func (s *Server) DropConnections(serial string) error {
	p, err := s.pick(target{serial: serial}, true)
	if err == nil {
		s.drop(p)
	}
	return err
}

func (s *Server) drop(p *attachedPhone) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.links {
		if l.phone == p {
			l.cancel() // which closes it at once
		}
	}
}
