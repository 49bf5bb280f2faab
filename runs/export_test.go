package runs

import "github.com/taploop/taploop/inquiry"

// Desks is how many sessions the Manager keeps something about.
func (f *Manager) Desks() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.desks)
}

// Usher leads a question as it was read once.
func (f *Manager) Usher(q inquiry.Question) { f.usher(q) }
