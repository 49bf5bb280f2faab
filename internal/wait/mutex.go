package wait

import "context"

// Mutex is a lock for which a context ends the waiting. Those who wait get it first come, first
// served.
type Mutex chan struct{}

// NewMutex is one that is free.
func NewMutex() Mutex { return make(Mutex, 1) }

// Lock takes it, or returns the cause of ctx.
func (m Mutex) Lock(ctx context.Context) error {
	select {
	case m <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TryLock takes it when it is free.
func (m Mutex) TryLock() bool {
	select {
	case m <- struct{}{}:
		return true
	default:
		return false
	}
}

// Unlock gives it back.
func (m Mutex) Unlock() { <-m }
