package notify

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Receipt says that an endpoint has had a message. Endpoint is a name that gives no address away.
type Receipt struct{ QuestionID, SessionID, Event, Endpoint string }

// Span says which receipts: those of one question, or those since a time.
type Span struct {
	QuestionID string
	Since      time.Time
}

// Ledger keeps receipts. It is used by many goroutines at once.
type Ledger interface {
	// Delivered adds the receipt of a message about the question as it was then. It survives a crash once it returns.
	Delivered(ctx context.Context, r Receipt) error
	Receipts(ctx context.Context, s Span) ([]Receipt, error)
}

// Memory is a Ledger that ends with the process. The zero value is ready.
type Memory struct {
	mu   sync.Mutex
	list []Receipt
	at   []time.Time
}

// Delivered implements Ledger.
func (l *Memory) Delivered(_ context.Context, r Receipt) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list, l.at = append(l.list, r), append(l.at, time.Now())
	return nil
}

// Receipts implements Ledger.
func (l *Memory) Receipts(_ context.Context, s Span) ([]Receipt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []Receipt
	for i, r := range l.list {
		if (s.QuestionID == "" || s.QuestionID == r.QuestionID) && !l.at[i].Before(s.Since) {
			found = append(found, r)
		}
	}
	return slices.Clip(found), nil
}
