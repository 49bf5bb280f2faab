package wait

import (
	"context"
	"sync"
	"time"
)

// limit is the time that a context has, counted from when it was last restarted.
type limit struct {
	after time.Duration
	timer *time.Timer
}

type limitKey struct{}

// Limit returns a context that ends with the cause after a time. The time starts again whenever a
// Line moves in which the context waits: it bounds what is waited for, and not how many others have
// their turn first.
func Limit(ctx context.Context, after time.Duration, cause error) (
	context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	l := &limit{after, time.AfterFunc(after, func() { cancel(cause) })}
	return context.WithValue(ctx, limitKey{}, l), func() {
		l.timer.Stop()
		cancel(nil)
	}
}

// Line is a lock whose waiters get it in order, and whose limits start again whenever it moves.
type Line struct {
	lock Mutex

	mu      sync.Mutex
	waiting map[*limit]int
}

// NewLine returns a line without waiters.
func NewLine() *Line { return &Line{lock: NewMutex(), waiting: map[*limit]int{}} }

// Lock waits for the turn, or returns ctx's cause if that ends first.
func (l *Line) Lock(ctx context.Context) error {
	if own, limited := ctx.Value(limitKey{}).(*limit); limited {
		l.count(own, 1)
		defer l.count(own, -1)
	}
	return l.lock.Lock(ctx)
}

func (l *Line) count(own *limit, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting[own] += n; l.waiting[own] == 0 {
		delete(l.waiting, own)
	}
}

// Unlock gives the turn to the next waiter.
func (l *Line) Unlock() {
	l.mu.Lock()
	for own := range l.waiting {
		own.timer.Reset(own.after)
	}
	l.mu.Unlock()
	l.lock.Unlock()
}
