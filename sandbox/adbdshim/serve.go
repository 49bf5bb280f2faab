package adbdshim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/taploop/taploop/sandbox/adbdshim/standin"
	"github.com/taploop/taploop/sandbox/shell"
)

// Env names the variable that holds the path of the phone's socket.
const Env = standin.Env

// Listen opens the phone's socket at path, for this user only. A socket without a listener is
// replaced. Close removes it.
func Listen(path string) (net.Listener, error) {
	if c, err := net.Dial("unix", path); err == nil {
		_ = c.Close()
		return nil, fmt.Errorf("opening %s: %w", path, syscall.EADDRINUSE)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket == 0 {
		return nil, fmt.Errorf("opening %s: there is a file that is no socket", path)
	}
	// Made in a folder of its own, so that at no time another user can connect.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".sandbox")
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, "s")
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: made, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	ln.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(made, 0o600), os.Rename(made, path)); err != nil {
		_ = ln.Close()
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	return &listener{UnixListener: ln, path: path}, nil
}

type listener struct {
	*net.UnixListener
	path string
	once sync.Once
}

func (l *listener) Close() error {
	l.once.Do(func() { _ = os.Remove(l.path) })
	return l.UnixListener.Close()
}

// Serve runs what stand-ins ask for on sh's phone until ctx ends, which is no error. It closes ln,
// ends what runs and waits for it.
func Serve(ctx context.Context, ln net.Listener, sh *shell.Shell) error {
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(ctx, func() { _ = ln.Close() })()
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel() // before the wait
	for {
		c, err := ln.Accept()
		if err != nil {
			_ = ln.Close()
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("accepting stand-ins: %w", err)
		}
		running.Go(func() { handle(ctx, c, sh) })
	}
}

// maxToPhone bounds the bytes of a stand-in to the phone: what a command line may be.
const maxToPhone = 4 << 20

// peer is one stand-in that runs a command.
type peer struct {
	ctx     context.Context // of the command; ends when the stand-in does
	wire    *standin.Wire
	answers chan standin.Saved // closed at the stand-in's end
}

func handle(ctx context.Context, c net.Conn, sh *shell.Shell) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	p := &peer{ctx: ctx, wire: standin.NewWire(io.LimitReader(c, maxToPhone), c),
		answers: make(chan standin.Saved)}
	var ask standin.Request
	if _, err := p.wire.Receive(&ask, nil, 0); err != nil {
		return
	}
	var argv []string
	for _, a := range ask.Argv {
		argv = append(argv, string(a))
	}
	var listening sync.WaitGroup
	listening.Go(func() {
		defer cancel()
		p.listen()
	})
	code := sh.In(string(ask.Dir), p.save).Exec(ctx, argv,
		stream{p, standin.Reply{}}, stream{p, standin.Reply{Err: true}})
	_ = p.wire.Send(standin.Reply{Last: true, Code: code}, nil)
	cancel() // closes the connection, which ends listen
	listening.Wait()
}

// listen hands on the stand-in's answers until it ends.
func (p *peer) listen() {
	defer close(p.answers)
	for {
		var s standin.Saved
		if _, err := p.wire.Receive(&s, nil, 0); err != nil {
			return
		}
		select {
		case p.answers <- s:
		case <-p.ctx.Done():
			return
		}
	}
}

// save has the stand-in write a file.
func (p *peer) save(name string, data []byte) error {
	if err := p.wire.Send(standin.Reply{File: []byte(name)}, data); err != nil {
		return err
	}
	s, ok := <-p.answers
	switch {
	case !ok:
		return io.ErrUnexpectedEOF
	case s.Errno != 0:
		return s.Errno
	}
	return nil
}

// stream is the command's stdout or stderr: what is written goes with its reply.
type stream struct {
	p  *peer
	as standin.Reply
}

// piece bounds what goes to a stand-in at once, and so the memory that it takes.
const piece = 64 << 10

func (s stream) Write(b []byte) (int, error) {
	n := 0
	for part := range slices.Chunk(b, piece) {
		if err := s.p.wire.Send(s.as, part); err != nil {
			return n, err
		}
		n += len(part)
	}
	return n, nil
}
