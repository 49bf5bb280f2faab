package notify

import (
	"context"
	"time"
)

// Receipt says that an endpoint has had a message. Endpoint is a name that gives no address away.
// Without a question, Event is the id of the message about a notice.
type Receipt struct{ QuestionID, SessionID, Event, Endpoint string }

// Span says which receipts: those of one question, or those since a time.
type Span struct {
	QuestionID string
	Since      time.Time
}

// ledger keeps receipts and notices. It is used by many goroutines at once.
type ledger interface {
	// Delivered adds the receipt of a message about the question as it was then. It survives a
	// crash once it returns.
	Delivered(ctx context.Context, r Receipt) error
	Receipts(ctx context.Context, s Span) ([]Receipt, error)
	// Noticed keeps a notice. It survives a crash once it returns.
	Noticed(ctx context.Context, n Notice) error
	// Notices returns the notices kept since the time, oldest first.
	Notices(ctx context.Context, since time.Time) ([]Notice, error)
}
