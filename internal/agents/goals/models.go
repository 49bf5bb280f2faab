package goals

import (
	"errors"
	"sync"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/text"
)

// models opens the models of the roles, each once.
type models struct {
	open func(name string) (agents.Priced, func() error, error)

	mu     sync.Mutex
	byName map[string]agents.Priced
	ends   []func() error
}

// get returns the model with the name. "" means the configured model.
func (m *models) get(name string) (agents.Priced, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p, known := m.byName[name]; known {
		return p, nil
	}
	p, end, err := m.open(name)
	if err != nil {
		return p, err
	}
	if m.byName == nil {
		m.byName = map[string]agents.Priced{}
	}
	m.byName[name] = p
	m.ends = append(m.ends, end)
	return p, nil
}

// close closes the open models. get can open them again.
func (m *models) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	errs := text.Each(m.ends, func(end func() error) error { return end() })
	m.byName, m.ends = nil, nil
	return errors.Join(errs...)
}
