// Package wait has pauses and locks that a context can end, and what wakes all who wait.
package wait

import (
	"context"
	"math/rand/v2"
	"time"
)

// For returns nil after d, at once when d is not positive, and the cause of ctx when that is done
// first.
func For(ctx context.Context, d time.Duration) error { return Until(ctx, d, nil) }

// Until is [For] that also returns nil as soon as something can be received from wake.
func Until(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
	if d <= 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-wake:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Backoff is the pause after so many failures: first, then twice as long each time up to most, and
// never quite the same, so that those who failed together do not come back together.
func Backoff(first, most time.Duration, failures int) time.Duration {
	d := min(first<<min(max(failures-1, 0), 20), most)
	return time.Duration((0.75 + rand.Float64()/2) * float64(d))
}

// Wake leaves a token in ch, which has room for one, for whoever waits there; one is enough.
func Wake(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
