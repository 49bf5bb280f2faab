package inquiry

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// EventType says what happened.
type EventType string

// The events.
const (
	Created  EventType = "created"
	Overdue  EventType = "overdue"  // no attention was given in time; the question stays open
	Resolved EventType = "resolved" // answered, refused or timed out
	Withdrew EventType = "withdrawn"
	RanOut   EventType = "expired"
	Drafted  EventType = "drafted" // the open question has a suggestion now
	// the subscriber was too slow and Event.Lost events are gone: it should list the questions anew
	Lost EventType = "lost"
)

// Event is something that happened to a question. It happened: the store has it. The words of a
// secret answer are not in it.
type Event struct {
	Type     EventType
	Question Question
	Lost     int
}

// ErrClosed is returned by Next after Close.
var ErrClosed = errors.New("the subscription is closed")

// Subscription is a queue of events. It never holds up the broker: one that is full is emptied and
// its reader is told how many it lost.
type Subscription struct {
	b    *Broker
	wake chan struct{} // holds one token when there is something to read

	mu     sync.Mutex
	queue  []Event
	lost   int
	closed bool
}

// Subscribe returns a queue of the events from now on. The caller closes it.
func (b *Broker) Subscribe() *Subscription {
	s := &Subscription{b: b, wake: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs[s] = struct{}{}
	return s
}

// Next waits for the next event. It returns ctx's cause when that ends, and ErrClosed after Close.
// It is for one goroutine.
func (s *Subscription) Next(ctx context.Context) (Event, error) {
	for {
		if e, ok, err := s.take(); ok || err != nil {
			return e, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return Event{}, context.Cause(ctx)
		}
	}
}

// Close ends the subscription; a reader that waits gets ErrClosed. Closing again does nothing.
func (s *Subscription) Close() {
	s.b.mu.Lock()
	delete(s.b.subs, s)
	s.b.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.queue = true, nil
	wait.Wake(s.wake)
}

func (s *Subscription) take() (Event, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		wait.Wake(s.wake) // for a reader that asks again
		return Event{}, false, ErrClosed
	case s.lost > 0:
		e := Event{Type: Lost, Lost: s.lost}
		s.lost = 0
		return e, true, nil
	case len(s.queue) > 0:
		e := s.queue[0]
		s.queue = s.queue[1:]
		return e, true, nil
	}
	return Event{}, false, nil
}

func (s *Subscription) put(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) >= s.b.opts.Buffer {
		s.lost += len(s.queue)
		s.queue = nil
	}
	s.queue = append(s.queue, e)
	wait.Wake(s.wake)
}

// publish gives an event to all. b.mu is held, so that every subscriber sees the events in one
// order.
func (b *Broker) publish(t EventType, q Question) {
	for s := range b.subs {
		s.put(Event{Type: t, Question: q.erased()})
	}
}

// announce wakes those who wait for a settled question, and publishes it: when this broker settled
// it, or knew it as open.
func (b *Broker) announce(q Question, won bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wake(q.ID)
	_, known := b.open[q.ID]
	delete(b.open, q.ID)
	if b.sweeping > 0 {
		b.settled[q.ID] = true
	}
	if won || known {
		b.publish(q.Status.Event(), q)
	}
}

func (b *Broker) wake(id string) {
	for _, ch := range b.waiters[id] {
		close(ch)
	}
	delete(b.waiters, id)
}

// Event is the type of event for a question that was settled so.
func (s Status) Event() EventType {
	switch s {
	case Withdrawn:
		return Withdrew
	case Expired:
		return RanOut
	}
	return Resolved
}

// discover notes an open question, and publishes it when another broker opened it.
func (b *Broker) discover(q Question) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.open[q.ID]; !known && !b.settled[q.ID] {
		b.open[q.ID] = time.Time{}
		b.publish(Created, q)
	}
}

// opened reports whether this broker knows the question as open, and whether it published that this
// attention time of it is over.
func (b *Broker) opened(q Question) (known, overdue bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	told, known := b.open[q.ID]
	return known, told.Equal(q.AttentionUntil)
}

// overdue publishes, once, that a question stays open although its attention time is over.
func (b *Broker) overdue(q Question) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if told, known := b.open[q.ID]; known && !told.Equal(q.AttentionUntil) {
		b.open[q.ID] = q.AttentionUntil
		b.publish(Overdue, q)
	}
}

// known is the questions that this broker believes open, or that somebody waits for.
func (b *Broker) known() map[string]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := map[string]bool{}
	for id := range b.open {
		ids[id] = true
	}
	for id := range b.waiters {
		ids[id] = true
	}
	return ids
}

// drop forgets a question that was deleted. Those who wait look again and find it gone.
func (b *Broker) drop(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, id)
	b.wake(id)
}

// sweep begins a sweep; the caller calls what it returns at the end.
func (b *Broker) sweep() (end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweeping++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.sweeping--; b.sweeping == 0 {
			clear(b.settled)
		}
	}
}
