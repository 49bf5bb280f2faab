package inquiry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// AmbiguousError says that several questions have an id with this beginning.
type AmbiguousError struct {
	Beginning string
	IDs       []string // as much of each as tells them apart
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d questions begin with %q: %s", len(e.IDs), e.Beginning,
		strings.Join(e.IDs[:min(len(e.IDs), mostNamed)], ", "))
}

const (
	shownID   = 8 // the least number of characters of an id that an error names
	mostNamed = 5 // ids in one error
)

// Find returns the question with the id, or the only one whose id begins with it, among those that
// sees lets through; nil lets all. One that is open goes before those that are settled. Otherwise
// the error is ErrNotFound, an *AmbiguousError, or that of sees.
func (b *Broker) Find(ctx context.Context, id string, sees func(Question) (bool, error)) (
	Question, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	q, err := b.store.Get(ctx, id)
	found := []Question{q}
	if errors.Is(err, ErrNotFound) {
		found, err = b.beginning(ctx, id)
	}
	if err != nil {
		return Question{}, err
	}
	var open, settled []Question
	for _, q := range found {
		seen := true
		if sees != nil {
			if seen, err = sees(q); err != nil {
				return Question{}, err
			}
		}
		switch {
		case seen && q.Open():
			open = append(open, q)
		case seen:
			settled = append(settled, q)
		}
	}
	if len(open) > 0 {
		settled = open
	}
	switch len(settled) {
	case 0:
		return Question{}, fmt.Errorf("question %s: %w", text.Quote(id, 60), ErrNotFound)
	case 1:
		return settled[0], nil
	}
	return Question{}, ambiguous(id, settled)
}

// beginning are the questions whose ids begin with the text.
func (b *Broker) beginning(ctx context.Context, id string) (found []Question, err error) {
	if id == "" {
		return nil, nil
	}
	all, err := b.store.List(ctx, Filter{Brief: true})
	if err != nil {
		return nil, err
	}
	for _, brief := range all {
		if !strings.HasPrefix(brief.ID, id) {
			continue
		}
		q, err := b.store.Get(ctx, brief.ID)
		if errors.Is(err, ErrNotFound) { // deleted meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, q)
	}
	return found, nil
}

func ambiguous(id string, found []Question) error {
	e := &AmbiguousError{Beginning: id}
	for _, q := range found {
		e.IDs = append(e.IDs, q.ID)
	}
	n := text.Distinct(e.IDs, shownID)
	for i, id := range e.IDs {
		e.IDs[i] = id[:min(n, len(id))]
	}
	return e
}
