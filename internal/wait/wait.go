// Package wait provides pauses and locks that a context can end, and a broadcast to waiters.
package wait

import (
	"context"
	"math/rand/v2"
	"time"
)

// For waits for d, and returns nil. It returns ctx's cause if ctx ends first.
func For(ctx context.Context, d time.Duration) error { return Until(ctx, d, nil) }

// Until is like [For], but also returns nil as soon as it receives from wake.
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

// Backoff returns the pause after a number of failures. It doubles from first up to most, with
// jitter so that callers that failed together do not retry together.
func Backoff(first, most time.Duration, failures int) time.Duration {
	d := min(first<<min(max(failures-1, 0), 20), most)
	return time.Duration((0.75 + rand.Float64()/2) * float64(d))
}

// Wake puts a token into ch, which has a buffer of one, unless there already is one.
func Wake(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
