package inquiry

import (
	"context"
	"errors"
	"sync"

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
	// the open question has a suggestion now, or was left behind
	Drafted EventType = "drafted"
	// the subscriber was too slow and Event.Lost events are gone: it should list the questions anew
	Lost EventType = "lost"
)

// Event is something that happened to a question. It happened: the store has it. The words of a
// secret answer are not in it.
type Event struct {
	Context  context.Context // of the call of the broker by which it happened, for logs
	Type     EventType
	Question Question
	Lost     int
}

// ErrClosed is returned by Next after Close.
var ErrClosed = errors.New("the subscription is closed")

// Subscription is a queue of events. It never holds up the broker: one that is full is emptied and
// its reader learns how many it lost.
type Subscription struct {
	most  int // events in the queue
	leave func(*Subscription)
	wake  chan struct{} // holds one token when there is something to read

	mu     sync.Mutex
	queue  []Event
	lost   int
	closed bool
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
	s.leave(s)
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
	if len(s.queue) >= s.most {
		s.lost += len(s.queue)
		s.queue = nil
	}
	s.queue = append(s.queue, e)
	wait.Wake(s.wake)
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
