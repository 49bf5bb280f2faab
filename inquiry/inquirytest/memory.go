// Package inquirytest is the contract of an inquiry.Store as tests, and a store in memory that
// keeps it.
package inquirytest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/inquiry"
)

// Memory is a store that lives as long as the process. The zero value is empty and ready.
type Memory struct {
	mu        sync.Mutex
	questions []inquiry.Question
}

var _ inquiry.Store = (*Memory)(nil)

// find is the question's place. The lock is held.
func (m *Memory) find(id string) (*inquiry.Question, error) {
	i := slices.IndexFunc(m.questions, func(q inquiry.Question) bool { return q.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("question %q: %w", id, inquiry.ErrNotFound)
	}
	return &m.questions[i], nil
}

// Insert implements inquiry.Store.
func (m *Memory) Insert(_ context.Context, q inquiry.Question) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !q.Open() || q.Resolution != nil {
		return fmt.Errorf("storing %s: it is settled", q)
	}
	if _, err := m.find(q.ID); err == nil {
		return fmt.Errorf("storing %s: there is one with this id", q)
	}
	for _, other := range m.questions {
		if q.Key != "" && q.Key == other.Key && q.Client == other.Client {
			return fmt.Errorf("storing %s: %w", q, inquiry.ErrKeyTaken)
		}
	}
	m.questions = append(m.questions, q.Clone())
	return nil
}

// Get implements inquiry.Store.
func (m *Memory) Get(_ context.Context, id string) (inquiry.Question, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q, err := m.find(id)
	if err != nil {
		return inquiry.Question{}, err
	}
	return q.Clone(), nil
}

// Settle implements inquiry.Store.
func (m *Memory) Settle(_ context.Context, id string, to inquiry.Status,
	r inquiry.Resolution) (inquiry.Question, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q, err := m.find(id)
	if err != nil {
		return inquiry.Question{}, err
	}
	if !q.Open() {
		return q.Clone(), inquiry.ErrSettled
	}
	q.Status, q.Resolution = to, &r
	return q.Clone(), nil
}

// SetTurn implements inquiry.Store.
func (m *Memory) SetTurn(_ context.Context, id string, was,
	to inquiry.Turn) (inquiry.Question, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q, err := m.find(id)
	switch {
	case err != nil:
		return inquiry.Question{}, err
	case !q.Open():
		return q.Clone(), inquiry.ErrSettled
	case q.Turn != was:
		return q.Clone(), inquiry.ErrTurn
	}
	q.Turn = to
	return q.Clone(), nil
}

// Apply implements inquiry.Store.
func (m *Memory) Apply(_ context.Context, id string, fence int64,
	at time.Time) (inquiry.Question, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q, err := m.find(id)
	if err != nil {
		return inquiry.Question{}, err
	}
	if err := q.Applicable(fence); err != nil {
		return q.Clone(), err
	}
	q.AppliedAt = at
	applied := q.Clone()
	q.Resolution.Response = q.Resolution.Response.Erased()
	return applied, nil
}

// List implements inquiry.Store.
func (m *Memory) List(_ context.Context, f inquiry.Filter) ([]inquiry.Question, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []inquiry.Question
	for _, q := range m.questions {
		if f.Match(q) {
			out = append(out, q.Clone())
		}
	}
	slices.SortStableFunc(out, func(a, b inquiry.Question) int {
		return a.AskedAt.Compare(b.AskedAt)
	})
	return out, nil
}
