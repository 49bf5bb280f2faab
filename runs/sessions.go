package runs

import (
	"context"
	"sync"
	"time"
)

// sessionState is what a Manager keeps in memory about one session.
type sessionState struct {
	op chan struct{} // holds one token: its holder may change the session's runs

	mu       sync.Mutex
	active   *activeRun
	unstored *ending       // that the store did not take; nil when there is none
	changed  chan struct{} // closed when the run is in another state, or another channel is asked
	watchers map[*Watch]struct{}
	grace    time.Duration // how long a run goes on with no call attached; 0 is for ever
	attached int
	timer    *time.Timer // of the grace; nil when it is not being counted

	users int // of this state; the registry's lock guards it
}

// activeRun is a run that a goroutine of this Manager carries out.
type activeRun struct {
	alone  bool // goes on with no call attached
	cancel context.CancelCauseFunc
	// closed when the goroutine has left the phone alone and the run's end is stored
	done chan struct{}
}

// sessionStates are those of the sessions that are in use.
type sessionStates struct {
	grace time.Duration // of each

	mu   sync.Mutex
	byID map[string]*sessionState
}

// use gives the session's state, the same to all who use it at one time. Each calls done once;
// after the last one the state is forgotten: it is of no use to anybody else.
func (l *sessionStates) use(sessionID string) (s *sessionState, done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s = l.byID[sessionID]; s == nil {
		s = &sessionState{
			op:       make(chan struct{}, 1),
			changed:  make(chan struct{}),
			watchers: map[*Watch]struct{}{},
			grace:    l.grace,
		}
		l.byID[sessionID] = s
	}
	s.users++
	return s, sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(l.byID, sessionID)
		}
	})
}

// inUse is the session's state, nil when nobody uses one.
func (l *sessionStates) inUse(sessionID string) *sessionState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[sessionID]
}

// wake wakes those who wait for a change of the session.
func (l *sessionStates) wake(sessionID string) {
	if s := l.inUse(sessionID); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wake()
	}
}

// lock waits for the right to change the session's runs; the caller gives it back.
func (s *sessionState) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case s.op <- struct{}{}:
		return func() { <-s.op }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *sessionState) current() *activeRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

// changes is closed at the next change.
func (s *sessionState) changes() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

func (s *sessionState) enter(r *activeRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = r
	s.countDown()
}

// leave ends the life of a run here.
func (s *sessionState) leave(r *activeRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == r {
		s.active = nil
	}
	s.countDown()
	close(r.done)
	s.wake()
}

// wake wakes those who wait for a change. s.mu is held.
func (s *sessionState) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}
