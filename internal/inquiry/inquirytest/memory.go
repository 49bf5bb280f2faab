// Package inquirytest is the contract of an inquiry.Store as tests, and a store in memory that
// keeps it.
package inquirytest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
)

// Memory is a store that lives as long as the process. The zero value is empty and ready.
type Memory struct {
	mu        sync.Mutex
	questions []inquiry.Question
	answers   []remembered
	forbidden []inquiry.Resolution
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
		m.remember(*q)
		return nil
	})
}

// remembered is an answer with what the questions are like that it is for.
type remembered struct {
	inquiry.Remembered
	likeness string
}

// remember changes the remembered answers as the settled question says.
func (m *Memory) remember(q inquiry.Question) {
	kept := remembered{inquiry.NewRemembered(q, q.Client), inquiry.Likeness(q)}
	for i, a := range m.answers {
		if a.ID == q.Resolution.Recalled {
			m.answers[i].Uses, m.answers[i].UsedAt = a.Uses+1, q.Resolution.At
		}
		if a.Scope == kept.Scope && a.likeness == kept.likeness && a.Fits(q, q.Client) {
			m.answers[i] = kept
			return
		}
	}
	if kept.Scope != "" && !q.Secret {
		m.answers = append(m.answers, kept)
	}
}

// Recall implements inquiry.Store.
func (m *Memory) Recall(_ context.Context, q inquiry.Question) (inquiry.Remembered, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, scope := range inquiry.Scopes {
		for _, a := range m.answers {
			if a.Scope == scope && a.likeness == inquiry.Likeness(q) && a.Fits(q, q.Client) {
				return a.Remembered, nil
			}
		}
	}
	return inquiry.Remembered{}, inquiry.ErrNotFound
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

// Forbid implements inquiry.Store.
func (m *Memory) Forbid(_ context.Context, id string, tried inquiry.Resolution) error {
	_, err := m.change(id, func(*inquiry.Question) error {
		m.forbidden = append(m.forbidden, tried)
		return nil
	})
	return err
}

// Forbidden returns what was recorded with Forbid, oldest first.
func (m *Memory) Forbidden() []inquiry.Resolution {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.forbidden)
}

// Spend implements inquiry.Store.
func (m *Memory) Spend(_ context.Context, id string, u inquiry.Spending) error {
	_, err := m.change(id, func(q *inquiry.Question) error {
		q.Usage = q.Usage.Plus(u)
		return nil
	})
	return err
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
	if f.Limit > 0 {
		out = out[max(len(out)-f.Limit, 0):]
	}
	return out, nil
}
