package notify_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/notify"
)

// memory is a ledger that ends with the test.
type memory struct {
	mu   sync.Mutex
	list []notify.Receipt
	at   []time.Time

	notices []notify.Notice
}

// Noticed implements notify.Ledger.
func (l *memory) Noticed(_ context.Context, n notify.Notice) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notices = append(l.notices, n)
	return nil
}

// Notices implements notify.Ledger.
func (l *memory) Notices(_ context.Context, since time.Time) ([]notify.Notice, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.notices),
		func(n notify.Notice) bool { return n.At.Before(since) }), nil
}

// Delivered implements notify.Ledger.
func (l *memory) Delivered(_ context.Context, r notify.Receipt) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list, l.at = append(l.list, r), append(l.at, time.Now())
	return nil
}

// Receipts implements notify.Ledger.
func (l *memory) Receipts(_ context.Context, s notify.Span) ([]notify.Receipt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []notify.Receipt
	for i, r := range l.list {
		if (s.QuestionID == "" || s.QuestionID == r.QuestionID) && !l.at[i].Before(s.Since) {
			found = append(found, r)
		}
	}
	return slices.Clip(found), nil
}
