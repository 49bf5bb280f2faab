package main

import (
	"context"
	"errors"
	"io"

	"github.com/taploop/taploop/internal/mcp/transport"
)

// serveStdio serves the one client at the other end of stdin and stdout. It ends when that client
// closes its end, within two seconds, or with a signal, within five.
func (a *app) serveStdio(ctx context.Context) error {
	out := a.reserveStdout()
	person, closeTTY := openTTY()
	defer closeTTY()
	s, err := a.start(ctx, overrides{console: person})
	if err != nil {
		return err
	}
	// The server goes on after a signal until the runs are paused: calls that wait for one return
	// with that.
	serving, end := context.WithCancelCause(context.WithoutCancel(ctx))
	gone, leave := context.WithCancel(context.Background())
	paused := make(chan *shutdown, 1)
	go func() { // ends before we return
		var e *shutdown
		select {
		case <-gone.Done():
			e = s.shutDown(graceOfEOF)
		case <-ctx.Done():
			e = s.shutDown(graceOfSignal)
		}
		e.pause()
		end(errEnded)
		paused <- e
	}()
	err = transport.ServeStdio(serving, s.mcp, eofReader{a.in, leave}, out,
		&transport.Options{Log: a.log, Subscribe: s.tools.MaySubscribe})
	leave() // when out broke
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

// eofReader calls ended when its reader has ended.
type eofReader struct {
	io.Reader
	ended func()
}

func (r eofReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.ended()
	}
	return n, err
}
