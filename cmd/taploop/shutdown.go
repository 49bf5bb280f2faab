package main

import (
	"context"
	"fmt"
	"time"
)

// shutdown is the end of a service, which has a deadline: whoever wants it waits no longer before he kills.
type shutdown struct {
	s      *service
	by     time.Time
	spare  time.Duration // for what follows once the runs are paused
	paused error         // set by pause
}

// A client that closes its end waits for two seconds, one that sends a signal for five.
func (s *service) hurry() *shutdown {
	return &shutdown{s, time.Now().Add(1800 * time.Millisecond), 600 * time.Millisecond, nil}
}
func (s *service) calm() *shutdown {
	return &shutdown{s, time.Now().Add(4700 * time.Millisecond), 1500 * time.Millisecond, nil}
}

// pause starts nothing any more, and returns when all runs are paused and the calls that waited for them have returned. An
// action that has begun is finished.
func (e *shutdown) pause() {
	e.paused = within(e.by.Add(-e.spare), "pausing the runs", e.s.manager.Close)
	late := time.NewTimer(e.spare / 3)
	defer late.Stop()
	select {
	case <-e.s.calls.over():
	case <-late.C: // the transport ends those that wait for something else
	}
}

// context ends with the transport's share of the time.
func (e *shutdown) context(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadline(context.WithoutCancel(ctx), e.by.Add(-e.spare/3))
}

// finish closes everything. Runs that could not be paused in time hold the store: then only the process's end closes it, and
// the next server takes over.
func (e *shutdown) finish() error {
	if e.paused != nil {
		return e.paused
	}
	return within(e.by, "closing", e.s.Close)
}

// within calls f and gives up waiting for it at the deadline.
func within(deadline time.Time, what string, f func() error) error {
	began := time.Now()
	done := make(chan error, 1)
	go func() { done <- f() }() // ends with f, or with the process
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return fmt.Errorf("%s took longer than %v; what is under way is taken up when the server is back", what, time.Since(began).Round(100*time.Millisecond))
	}
}
