package adbdshim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/taploop/taploop/sandbox/shell"
)

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

// peer is one stand-in that runs a command.
type peer struct {
	c       net.Conn
	ctx     context.Context // of the command; ends when the stand-in does
	answers chan frame      // what comes for kindSave; closed at the stand-in's end
	mu      sync.Mutex      // around frames to the stand-in
}

type frame struct {
	kind byte
	body []byte
}

func handle(ctx context.Context, c net.Conn, sh *shell.Shell) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	first, err := readFrame(c)
	if err != nil || first.kind != kindArgs {
		return
	}
	words, err := unpack(first.body)
	if err != nil || len(words) < 2 {
		return
	}
	p := &peer{c: c, ctx: ctx, answers: make(chan frame)}
	var listening sync.WaitGroup
	listening.Go(func() {
		defer cancel()
		p.listen()
	})
	out, errs := &stream{p, kindOut}, &stream{p, kindErr}
	code := sh.WithSave(p.save).WithDir(words[0]).Exec(ctx, words[1:], out, errs)
	_ = p.send(kindExit, []byte{byte(code)})
	cancel() // closes the connection, which ends listen
	listening.Wait()
}

func readFrame(r io.Reader) (frame, error) {
	kind, n, err := readHead(r)
	if err != nil {
		return frame{}, err
	}
	if n > maxToPhone {
		return frame{}, fmt.Errorf("a frame of %d bytes", n)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return frame{kind, body}, err
}

// listen hands on the stand-in's answers until it ends.
func (p *peer) listen() {
	defer close(p.answers)
	for {
		f, err := readFrame(p.c)
		if err != nil {
			return
		}
		select {
		case p.answers <- f:
		case <-p.ctx.Done():
			return
		}
	}
}

func (p *peer) send(kind byte, parts ...[]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return writeFrame(p.c, kind, parts...)
}

// save has the stand-in write a file.
func (p *peer) save(name string, data []byte) error {
	if err := p.send(kindSave, packed([]string{name}), data); err != nil {
		return err
	}
	f, ok := <-p.answers
	if !ok || f.kind != kindSaved || len(f.body) < 4 {
		return io.ErrUnexpectedEOF
	}
	if code := binary.LittleEndian.Uint32(f.body); code != 0 {
		return syscall.Errno(code)
	}
	return nil
}

// stream is the command's stdout or stderr.
type stream struct {
	p    *peer
	kind byte
}

func (s *stream) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if err := s.p.send(s.kind, b); err != nil {
		return 0, err
	}
	return len(b), nil
}
