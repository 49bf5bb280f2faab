package runs

import "github.com/taploop/taploop/inquiry"

// Desks is how many sessions the Fleet keeps something about.
func (f *Fleet) Desks() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.desks)
}

// Usher leads a question as it was read once.
func (f *Fleet) Usher(q inquiry.Question) { f.usher(q) }
