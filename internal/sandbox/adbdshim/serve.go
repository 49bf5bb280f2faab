package adbdshim

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/taploop/taploop/internal/sandbox/adbdshim/standin"
	"github.com/taploop/taploop/internal/sandbox/shell"
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
	// Made in a new folder, so that at no time another user can connect.
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
	ctx   context.Context // of the command, ends with the stand-in
	out   io.Writer
	saved chan syscall.Errno // closed at the stand-in's end
}

func handle(ctx context.Context, c net.Conn, sh *shell.Shell) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	in := bufio.NewReader(io.LimitReader(c, maxToPhone))
	kind, ask, err := standin.Receive(in, nil, maxToPhone)
	if err != nil || kind != standin.Ask {
		return
	}
	words := strings.Split(string(ask), "\x00")
	p := &peer{ctx: ctx, out: c, saved: make(chan syscall.Errno)}
	var listening sync.WaitGroup
	listening.Go(func() {
		defer cancel()
		p.listen(in)
	})
	code := sh.In(words[0], p.save).Exec(ctx, words[1:],
		stream{c, standin.Stdout}, stream{c, standin.Stderr})
	_ = standin.Send(c, standin.Exit, []byte(strconv.Itoa(code)))
	cancel() // closes the connection, which ends listen
	listening.Wait()
}

// listen hands on the stand-in's answers until it ends.
func (p *peer) listen(in io.Reader) {
	defer close(p.saved)
	for {
		_, digits, err := standin.Receive(in, nil, maxToPhone)
		if err != nil {
			return
		}
		code, err := strconv.Atoi(string(digits))
		if err != nil {
			return
		}
		select {
		case p.saved <- syscall.Errno(code):
		case <-p.ctx.Done():
			return
		}
	}
}

// save has the stand-in write a file.
func (p *peer) save(name string, data []byte) error {
	if err := errors.Join(standin.Send(p.out, standin.Name, []byte(name)),
		standin.Send(p.out, standin.File, data)); err != nil {
		return err
	}
	code, ok := <-p.saved
	switch {
	case !ok:
		return io.ErrUnexpectedEOF
	case code != 0:
		return code
	}
	return nil
}

// stream is the command's stdout or stderr, whose bytes are sent with its kind.
type stream struct {
	out  io.Writer
	kind byte
}

// piece bounds what goes to a stand-in at once, and so the memory that it takes.
const piece = 64 << 10

func (s stream) Write(b []byte) (int, error) {
	n := 0
	for part := range slices.Chunk(b, piece) {
		if err := standin.Send(s.out, s.kind, part); err != nil {
			return n, err
		}
		n += len(part)
	}
	return n, nil
}
