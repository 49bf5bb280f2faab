package wait

import "sync"

// Broadcast wakes all waiters, any number of times. The zero value is ready to use. A Broadcast is
// safe for concurrent use.
type Broadcast struct {
	mu   sync.Mutex
	next chan struct{} // nil if Next was not called since the last Send
}

// Next returns a channel that the next Send closes.
func (b *Broadcast) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Send wakes the current waiters.
func (b *Broadcast) Send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
