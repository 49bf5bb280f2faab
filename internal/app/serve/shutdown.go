package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/internal/web"
)

// A grace is how long a service may take to end, and how much of that is kept for what follows once
// the runs are paused. A third of that is for what only the closing of the store takes.
type grace struct{ all, afterRuns time.Duration }

// A client that closes its end kills the server after two seconds, one that sends a signal after
// five.
var (
	graceOfEOF    = grace{1800 * time.Millisecond, 600 * time.Millisecond}
	graceOfSignal = grace{4700 * time.Millisecond, 1500 * time.Millisecond}
)

// shutdown is the end of a service, which has a deadline.
type shutdown struct {
	s      *Service
	grace  grace
	by     time.Time
	paused error // set by pause
}

// shutDown begins the end. The deadline counts from now.
func (s *Service) shutDown(g grace) *shutdown {
	return &shutdown{s: s, grace: g, by: time.Now().Add(g.all)}
}

// pause starts nothing any more, and returns when all runs are paused and the calls that waited for
// them have returned. An action that has begun is finished.
func (e *shutdown) pause() {
	e.s.draining.Store(true)
	e.paused = within(e.by.Add(-e.grace.afterRuns), "pausing the runs", e.s.Manager.Close)
	// The transport ends calls that wait for something else.
	_ = wait.Until(context.Background(), e.grace.afterRuns/3, e.s.calls.over())
}

// context ends with the transport's share of the time.
func (e *shutdown) context(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadline(context.WithoutCancel(ctx), e.by.Add(-e.grace.afterRuns/3))
}

// finish closes everything. Runs that could not be paused in time hold the store: then only the
// process's end closes it, and the next server takes over.
func (e *shutdown) finish() error {
	if e.paused != nil {
		return e.paused
	}
	return within(e.by, "closing", e.s.Close)
}

// lateKey is the context key of requests on connections that came while the server was draining.
type lateKey struct{}

// markLate implements http.Server.ConnContext.
func (s *Service) markLate(ctx context.Context, _ net.Conn) context.Context {
	if s.draining.Load() {
		return context.WithValue(ctx, lateKey{}, true)
	}
	return ctx
}

// turnLateAway refuses what late connections ask for, except how the server is.
func turnLateAway(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(lateKey{}) != nil && !asksHealth(r) {
			w.Header().Set("Connection", "close")
			web.TurnAway(w, r, "CLOSING", errors.New("the server is closing"), 0)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// within calls f and gives up waiting for it at the deadline.
func within(deadline time.Time, what string, f func() error) error {
	began := time.Now()
	done := make(chan error, 1)
	go func() { done <- f() }() // ends with f, or with the process
	select {
	case err := <-done:
		return err
	case <-time.After(time.Until(deadline)):
		return fmt.Errorf(
			"%s took longer than %v; what is under way is taken up when the server is back",
			what, time.Since(began).Round(100*time.Millisecond))
	}
}
