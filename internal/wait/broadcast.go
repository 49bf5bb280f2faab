package wait

import "sync"

// Broadcast wakes all who wait, again and again. The zero value is ready; it is safe for concurrent
// use.
type Broadcast struct {
	mu   sync.Mutex
	next chan struct{} // nil when nobody has asked since the last time
}

// Next is closed by the next Send.
func (b *Broadcast) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Send wakes those who wait now.
func (b *Broadcast) Send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
