// Package wait is the pause that a context can end, and what ends it.
package wait

import (
	"context"
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

// Wake leaves a token in ch, which has room for one, for whoever waits there; one is enough.
func Wake(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
