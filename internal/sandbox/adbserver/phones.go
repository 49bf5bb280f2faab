package adbserver

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/sandbox/shell"
)

// States of a phone, as adb devices lists them.
const (
	StateDevice       = "device"
	StateOffline      = "offline"
	StateUnauthorized = "unauthorized"
)

// features are what a phone and the server say they can do; nothing that is not so.
const features = "shell_v2,cmd"

// attachedPhone is an attached phone with its faults.
type attachedPhone struct {
	serial string
	id     uint64
	sh     *shell.Shell

	mu sync.Mutex
	health
}

// health is a phone's state and its faults.
type health struct {
	state   string
	open    chan struct{} // closed while the phone answers
	latency time.Duration
	corrupt bool
}

func newPhone(serial string, id uint64, sh *shell.Shell) *attachedPhone {
	p := &attachedPhone{serial: serial, id: id, sh: sh,
		health: health{state: StateDevice, open: make(chan struct{})}}
	close(p.open)
	return p
}

func (p *attachedPhone) now() health {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.health
}

// line is the phone's line of adb devices.
func (p *attachedPhone) line(long bool) string {
	state := p.now().state
	if !long {
		return fmt.Sprintf("%s\t%s\n", p.serial, state)
	}
	out := fmt.Sprintf("%-22s %s usb:1-%d", p.serial, state, p.id)
	if state == StateDevice {
		props := p.sh.Phone().Settings.Props()
		for _, name := range []string{"name", "model", "device"} {
			key := strings.Replace(name, "name", "product", 1)
			value := strings.ReplaceAll(props["ro.product."+name], " ", "_") // one word
			out += " " + key + ":" + value
		}
	}
	return out + fmt.Sprintf(" transport_id:%d\n", p.id)
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

// target says which phone a request is for.
type target struct {
	serial string // "" for any
	id     uint64 // 0 for any
	any    bool   // asked for in so many words
}

// failure is a refusal in the words of the real server; they go to the client as they are.
type failure string

func (f failure) Error() string { return string(f) }

// pick finds the phone of a target. Unless anyState, a phone that cannot be used is refused with
// what is the matter.
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

func (t target) notOne(n int) error {
	switch {
	case t.serial != "":
		return failure(fmt.Sprintf("device '%s' not found", t.serial))
	case t.id != 0:
		return failure(fmt.Sprintf("no device with transport id '%d'", t.id))
	}
	if n > 0 {
		return failure("more than one device/emulator")
	}
	return failure("no devices/emulators found")
}

func (p *attachedPhone) usable() error {
	switch p.now().state {
	case StateOffline:
		return failure("device offline")
	case StateUnauthorized:
		return failure("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\n" +
			"Try 'adb kill-server' if that seems wrong.\nOtherwise check for a confirmation " +
			"dialog on your device.")
	}
	return nil
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
// commands; its connections end.
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
	for c := range s.conns {
		if c.phone == p {
			c.cancel() // which closes it at once
		}
	}
}

// output wraps the output of a command line in the phone's faults. done hands on what was held
// back.
func (p *attachedPhone) output(cmdline string, w io.Writer) (out io.Writer, done func()) {
	if !p.now().corrupt || !strings.Contains(cmdline, "screencap") {
		return w, func() {}
	}
	var all bytes.Buffer // stdout is never written by two at once
	return &all, func() { _, _ = w.Write(all.Bytes()[:all.Len()/3*2]) }
}
