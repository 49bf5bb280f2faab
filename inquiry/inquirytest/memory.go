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

// change calls f with the question, and returns the question as it is after that.
func (m *Memory) change(id string, f func(*inquiry.Question) error) (inquiry.Question, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.questions {
		if q := &m.questions[i]; q.ID == id {
			err := f(q)
			return q.Clone(), err
		}
	}
	return inquiry.Question{}, fmt.Errorf("question %q: %w", id, inquiry.ErrNotFound)
}

// Insert implements inquiry.Store.
func (m *Memory) Insert(_ context.Context, q inquiry.Question) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !q.Open() || q.Resolution != nil {
		return fmt.Errorf("storing %s: it is settled", q)
	}
	for _, other := range m.questions {
		if q.ID == other.ID {
			return fmt.Errorf("storing %s: there is one with this id", q)
		}
		if q.Key != "" && q.Key == other.Key && q.Client == other.Client {
			return fmt.Errorf("storing %s: %w", q, inquiry.ErrKeyTaken)
		}
	}
	m.questions = append(m.questions, q.Clone())
	return nil
}

// Get implements inquiry.Store.
func (m *Memory) Get(_ context.Context, id string) (inquiry.Question, error) {
	return m.change(id, func(*inquiry.Question) error { return nil })
}

// Settle implements inquiry.Store.
func (m *Memory) Settle(_ context.Context, id string, to inquiry.Status,
	r inquiry.Resolution) (inquiry.Question, error) {
	return m.change(id, func(q *inquiry.Question) error {
		if !q.Open() {
			return inquiry.ErrSettled
		}
		q.Settle(to, r)
		return nil
	})
}

// SetTurn implements inquiry.Store.
func (m *Memory) SetTurn(_ context.Context, id string, was,
	to inquiry.Turn) (inquiry.Question, error) {
	return m.change(id, func(q *inquiry.Question) error {
		switch {
		case !q.Open():
			return inquiry.ErrSettled
		case q.Turn != was:
			return inquiry.ErrTurn
		}
		q.Turn = to
		return nil
	})
}

// Hasten implements inquiry.Store.
func (m *Memory) Hasten(_ context.Context, id string,
	by inquiry.Resolution) (inquiry.Question, error) {
	return m.change(id, func(q *inquiry.Question) error {
		if !q.Open() {
			return inquiry.ErrSettled
		}
		if by.At.Before(q.AttentionUntil) {
			q.AttentionUntil = by.At
		}
		return nil
	})
}

// Amend implements inquiry.Store.
func (m *Memory) Amend(_ context.Context, id string,
	change func(*inquiry.Question) error) (inquiry.Question, error) {
	return m.change(id, func(q *inquiry.Question) error {
		if !q.Open() {
			return inquiry.ErrSettled
		}
		changed := q.Clone()
		err := change(&changed)
		if err == nil {
			*q = changed
		}
		return err
	})
}

// Apply implements inquiry.Store.
func (m *Memory) Apply(_ context.Context, id string, fence int64,
	at time.Time) (inquiry.Question, error) {
	var answer inquiry.Answer
	q, err := m.change(id, func(q *inquiry.Question) error {
		if err := q.Applicable(fence); err != nil {
			return err
		}
		q.AppliedAt, answer = at, q.Resolution.Response
		q.Resolution.Response = answer.Erased()
		return nil
	})
	if err == nil {
		q.Resolution.Response = answer
	}
	return q, err
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
