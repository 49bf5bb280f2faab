package httpguard

import "sync"

// Shares bounds what clients hold of something, such as sessions, so that none of them takes what
// the others need: a client may hold as many as are still free, so the first one at most half, and
// one that comes later always finds some. An eighth is kept for operators, who may hold them all.
// It is safe for concurrent use.
type Shares struct {
	most int

	mu   sync.Mutex
	all  int
	held map[string]int // by clients that are no operators
}

// NewShares has that many to give.
func NewShares(most int) *Shares { return &Shares{most: most, held: map[string]int{}} }

// Take gives the client one, until it is given back, for which give may be called more than once.
// It reports whether there was one.
func (s *Shares) Take(client string, operator bool) (give func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := s.most - s.all
	if operator && free <= 0 || !operator && s.held[client] >= free-s.most/8 {
		return nil, false
	}
	s.all++
	if !operator {
		s.held[client]++
	}
	return sync.OnceFunc(func() { s.give(client, operator) }), true
}

func (s *Shares) give(client string, operator bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if operator {
		return
	}
	if s.held[client]--; s.held[client] == 0 {
		delete(s.held, client)
	}
}
