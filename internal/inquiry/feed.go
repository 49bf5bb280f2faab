package inquiry

import (
	"context"
	"slices"
	"sync"
	"time"
)

// feed is what a broker tells of questions, and whom: those who wait for one, and those who have
// subscribed to all. It knows which questions were told of as open. It is safe for concurrent use.
type feed struct {
	buffer int // events that a subscriber may be behind

	mu       sync.Mutex
	waiters  map[string][]chan struct{} // by question; closed when it is settled
	open     map[string]told            // questions that were told of as open
	subs     map[*Subscription]struct{}
	sweeping int // sweeps under way
	// settled while a sweep is under way: its list may be older
	settled map[string]bool
}

// told is what was told of an open question: that it was left behind, and the attention time of
// which was told that it is over. Of one that is coming, which is being stored, nothing was.
type told struct {
	left    bool
	overdue time.Time
	coming  bool
}

func (f *feed) subscribe() *Subscription {
	s := &Subscription{most: f.buffer, leave: f.unsubscribe, wake: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs[s] = struct{}{}
	return s
}

func (f *feed) unsubscribe(s *Subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subs, s)
}

// expect notes a question that is about to be stored, so that no sweep takes it for another
// broker's.
func (f *feed) expect(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[id] = told{coming: true}
}

// publishIfOpen publishes something about a question that is open. Of one that was settled
// meanwhile everybody knows.
func (f *feed) publishIfOpen(ctx context.Context, t EventType, q Question) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if was, open := f.open[q.ID]; open {
		was.coming = false
		f.open[q.ID] = was
		f.publish(ctx, t, q)
	}
}

func (f *feed) await(id string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	ch := make(chan struct{})
	f.waiters[id] = append(f.waiters[id], ch)
	return ch
}

func (f *feed) forget(id string, ch chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiters[id] = slices.DeleteFunc(f.waiters[id], func(w chan struct{}) bool { return w == ch })
	if len(f.waiters[id]) == 0 {
		delete(f.waiters, id)
	}
}

// publish gives an event to all. f.mu is held, so that every subscriber sees the events in one
// order.
func (f *feed) publish(ctx context.Context, t EventType, q Question) {
	for s := range f.subs {
		s.put(Event{Context: ctx, Type: t, Question: erased(q)})
	}
}

// announce wakes those who wait for a settled question, and publishes it: when this broker settled
// it, or knew it as open.
func (f *feed) announce(ctx context.Context, q Question, won bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wake(q.ID)
	_, known := f.open[q.ID]
	delete(f.open, q.ID)
	if f.sweeping > 0 {
		f.settled[q.ID] = true
	}
	if won || known {
		f.publish(ctx, q.Status.Event(), q)
	}
}

func (f *feed) wake(id string) {
	for _, ch := range f.waiters[id] {
		close(ch)
	}
	delete(f.waiters, id)
}

// discover notes an open question, and publishes it when another broker opened it.
func (f *feed) discover(ctx context.Context, q Question) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.open[q.ID]; !known && !f.settled[q.ID] {
		f.open[q.ID] = told{left: q.LeftBehind}
		f.publish(ctx, Created, q)
	}
}

// opened returns what was told of the question, if the feed knows it as open.
func (f *feed) opened(q Question) (t told, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, known = f.open[q.ID]
	return t, known
}

// overdue publishes, once, that a question stays open although its attention time is over.
func (f *feed) overdue(ctx context.Context, q Question) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t, known := f.open[q.ID]; known && !t.overdue.Equal(q.AttentionUntil) {
		t.overdue = q.AttentionUntil
		f.open[q.ID] = t
		f.publish(ctx, Overdue, q)
	}
}

// left publishes, once, that a question was left behind, or that it is not any more.
func (f *feed) left(ctx context.Context, q Question) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t, known := f.open[q.ID]; known && t.left != q.LeftBehind {
		t.left = q.LeftBehind
		f.open[q.ID] = t
		f.publish(ctx, Drafted, q)
	}
}

// known is the questions that are believed open, or that somebody waits for: none that is coming,
// which a sweep would not find yet, and take for one that was deleted.
func (f *feed) known() map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := map[string]bool{}
	for id, t := range f.open {
		if !t.coming {
			ids[id] = true
		}
	}
	for id := range f.waiters {
		ids[id] = true
	}
	return ids
}

// drop forgets a question that was deleted. Those who wait look again and find it gone.
func (f *feed) drop(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, id)
	f.wake(id)
}

// sweep begins a sweep; the caller calls what it returns at the end.
func (f *feed) sweep() (end func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sweeping++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.sweeping--; f.sweeping == 0 {
			clear(f.settled)
		}
	}
}
