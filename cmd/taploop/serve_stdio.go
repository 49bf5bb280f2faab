package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/mcptransport"
)

// serveStdio serves the one client at the other end of stdin and stdout. It ends when that client closes its end, within two
// seconds, or with a signal, within five.
func (a *app) serveStdio(ctx context.Context) error {
	out := a.quiet()
	tty := openTTY()
	defer tty.Close()
	s, err := a.start(ctx, tty.console())
	if err != nil {
		return err
	}
	// The server goes on after a signal until the runs are paused: calls that wait for one return with that.
	serving, end := context.WithCancelCause(context.WithoutCancel(ctx))
	in := &watched{Reader: a.in, gone: make(chan struct{})}
	paused := make(chan error, 1)
	go func() { // ends before we return
		select {
		case <-in.gone:
			paused <- s.pause(hurried)
		case <-ctx.Done():
			paused <- s.pause(patient)
		}
		end(errEnded)
	}()
	err = mcptransport.ServeStdio(serving, s.mcp, in, out, &mcptransport.Options{Log: a.log})
	in.end() // when out broke
	return errors.Join(without(err, errEnded), s.finish(<-paused))
}

// errEnded ends the transport after a signal, which is a normal end.
var errEnded = errors.New("the server ends")

// How long the end may take: a client that closes its end waits for two seconds before it kills, one that sends a signal for
// five. An action that has begun is finished.
const (
	hurried = 1500 * time.Millisecond
	patient = 3500 * time.Millisecond
	closing = 300 * time.Millisecond // what comes after the runs are paused
)

// pause starts nothing any more and returns when all runs are paused, and the calls that waited for them know.
func (s *service) pause(d time.Duration) error {
	err := within(d, "pausing the runs", s.fleet.Close)
	late := time.NewTimer(closing)
	defer late.Stop()
	select {
	case <-s.calls.over():
	case <-late.C: // the transport ends those that wait for something else
	}
	return err
}

// finish closes everything once the runs are paused. What could not be paused in time holds the store: then only the process's
// end closes it, and the next server takes over.
func (s *service) finish(paused error) error {
	if paused != nil {
		return paused
	}
	return within(closing, "closing", s.Close)
}

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
