package main

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/taploop/taploop/internal/mcptransport"
)

// serveStdio serves the one client at the other end of stdin and stdout. It ends when that client closes its end, within two
// seconds, or with a signal, within five.
func (a *app) serveStdio(ctx context.Context) error {
	out := a.quiet()
	tty := openTTY()
	defer tty.Close()
	s, err := a.start(ctx, parts{console: tty.console()})
	if err != nil {
		return err
	}
	// The server goes on after a signal until the runs are paused: calls that wait for one return with that.
	serving, end := context.WithCancelCause(context.WithoutCancel(ctx))
	in := &watched{Reader: a.in, gone: make(chan struct{})}
	paused := make(chan *ending, 1)
	go func() { // ends before we return
		var e *ending
		select {
		case <-in.gone:
			e = s.hurry()
		case <-ctx.Done():
			e = s.calm()
		}
		e.pause()
		end(errEnded)
		paused <- e
	}()
	err = mcptransport.ServeStdio(serving, s.mcp, in, out, &mcptransport.Options{Log: a.log})
	in.end() // when out broke
	return errors.Join(without(err, errEnded), (<-paused).finish())
}

// errEnded ends the transport after a signal, which is a normal end.
var errEnded = errors.New("the server ends")

// without is err when it is, or joins, anything but the known one.
func without(err, known error) error {
	var left []error
	for _, e := range split(err) {
		if e != nil && !errors.Is(e, known) {
			left = append(left, e)
		}
	}
	return errors.Join(left...)
}

// watched tells when its reader has ended.
type watched struct {
	io.Reader
	once sync.Once
	gone chan struct{}
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil {
		w.end()
	}
	return n, err
}

func (w *watched) end() { w.once.Do(func() { close(w.gone) }) }
