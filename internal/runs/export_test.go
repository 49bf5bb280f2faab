package runs

import "github.com/taploop/taploop/internal/inquiry"

// SessionsInUse is how many sessions the Manager keeps something about.
func (m *Manager) SessionsInUse() int {
	m.states.mu.Lock()
	defer m.states.mu.Unlock()
	return len(m.states.byID)
}

// Route routes a question as it was read once.
func (m *Manager) Route(q inquiry.Question) { m.desk.Route(q.ID) }
