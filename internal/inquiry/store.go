package inquiry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// Store keeps questions. Any number of goroutines, brokers and processes may use one at once;
// inquirytest.Run is its contract.
type Store interface {
	// Get returns a question, or ErrNotFound.
	Get(ctx context.Context, id string) (Question, error)
	// List returns questions, oldest first.
	List(ctx context.Context, f Filter) ([]Question, error)
	// Insert adds a new question. A second one with the same id is an error; ErrKeyTaken is the one
	// about a second with the same Client and Key, unless Key is "".
	Insert(ctx context.Context, q Question) error
	// Settle is the compare-and-set: a pending question becomes what [Question.Settle] makes of it,
	// which survives a crash once it returns. When the question is not pending any more it returns
	// the question as it is and ErrSettled. A resolution with a Scope is remembered with it, in
	// place of an earlier answer of that scope; one that was Recalled counts as a use.
	Settle(ctx context.Context, id string, to Status, r Resolution) (Question, error)
	// Hasten ends the time for attention of an open question at by.At, unless it is over; by says
	// who says so. Otherwise it returns the question as it is, and ErrSettled.
	Hasten(ctx context.Context, id string, by Resolution) (Question, error)
	// Recall is the answer that Settle has remembered for a question like q, of the narrowest
	// scope; or ErrNotFound.
	Recall(ctx context.Context, q Question) (Remembered, error)
	// Apply marks a settled question as applied, once, and erases a secret answer; the question
	// that it returns still has the answer. It returns ErrPending, ErrApplied (already done) or
	// ErrFenced (fence is not the question's own).
	Apply(ctx context.Context, id string, fence int64, at time.Time) (Question, error)
	// Amend changes an open question as change does, which sees it as it is; whose error means
	// that nothing changes. Otherwise it returns the question as it is and ErrSettled.
	Amend(ctx context.Context, id string, change func(*Question) error) (Question, error)
	// Forbid records that a reply was not taken because its sender may not settle the question.
	// tried has the reply's words and its sender. The question stays as it is.
	Forbid(ctx context.Context, id string, tried Resolution) error
	// Spend adds to what models have cost that were asked about the question, open or settled.
	Spend(ctx context.Context, id string, u Spending) error
}

// Filter says which questions to list. Zero fields do not restrict.
type Filter struct {
	Status    Status
	SessionID string
	RunID     string
	Client    *string // "" is one, too; nil does not restrict
	Key       string
	Beginning string // of the id
	Unapplied bool   // only those whose answer was not applied
	NoRun     bool   // only questions that no run has asked
	Brief     bool   // the list needs no more of a question than its ID, Status and times
	Limit     int    // of the newest, 0 means all
}

// Match reports whether the filter lets q through.
func (f Filter) Match(q Question) bool {
	return (f.Status == "" || f.Status == q.Status) &&
		(f.SessionID == "" || f.SessionID == q.SessionID) &&
		(f.RunID == "" || f.RunID == q.RunID) &&
		(f.Client == nil || *f.Client == q.Client) &&
		(f.Key == "" || f.Key == q.Key) &&
		strings.HasPrefix(q.ID, f.Beginning) &&
		(!f.Unapplied || q.AppliedAt.IsZero()) &&
		(!f.NoRun || q.RunID == "")
}

// What callers may ask of an error.
var (
	ErrNotFound = errors.New("no such question")
	ErrKeyTaken = errors.New("there is a question under this key")
	ErrSettled  = errors.New("the question is settled")
	ErrPending  = errors.New("the question is still open")
	ErrTurn     = errors.New("another channel asks by now")
	ErrApplied  = errors.New("the answer was applied before")
	// ErrFenced says that the run went on, stopped or was taken over after it had asked: the answer
	// is kept, not applied.
	ErrFenced = errors.New("the run that asked is not waiting for this answer any more")
	// ErrGone says that no one can answer any more: the question timed out, expired or was
	// withdrawn.
	ErrGone = errors.New("the question is gone")
	// ErrInvalid says that a question cannot be asked as it is.
	ErrInvalid = errors.New("the question cannot be asked")
	// ErrReplyIDReused says that the reply id belongs to a reply with other content.
	ErrReplyIDReused = errors.New("the reply id was used for another answer")
)

// AmbiguousError says that several questions, or sessions, have an id with this beginning.
type AmbiguousError struct {
	What      string // of what, with their number if it is known: "2 questions"
	Beginning string
	IDs       []string // of all, or of more than are named
}

func (e *AmbiguousError) Error() string {
	const named = 5
	var names []string
	n := text.Distinct(e.IDs, 8)
	for _, id := range e.IDs[:min(len(e.IDs), named)] {
		names = append(names, id[:min(n, len(id))])
	}
	if len(e.IDs) > named {
		names = append(names, "...")
	}
	return fmt.Sprintf("%s begin with %q: %s", e.What, e.Beginning, strings.Join(names, ", "))
}

// Applicable reports why the answer may not be applied by the run's life fence: ErrPending,
// ErrApplied or ErrFenced; nil when it may.
func (q Question) Applicable(fence int64) error {
	switch {
	case q.Open():
		return ErrPending
	case !q.AppliedAt.IsZero():
		return ErrApplied
	case q.Fence != fence:
		return ErrFenced
	}
	return nil
}

// Remembered is an answer that a person has agreed to have used again, for the questions of the
// same client that are alike.
type Remembered struct {
	ID        string    `json:"id"` // that of the question with which it was given
	Scope     Scope     `json:"scope"`
	SessionID string    `json:"session_id,omitempty"` // under ThisSession
	App       string    `json:"app,omitempty"`        // under ThisApp: its package
	Client    string    `json:"client,omitempty"`
	Question  string    `json:"question"`
	Options   []string  `json:"options,omitempty"`
	Answer    string    `json:"answer"`
	Authority string    `json:"authority,omitempty"`
	By        string    `json:"by,omitempty"`
	At        time.Time `json:"at"`
	UsedAt    time.Time `json:"used_at,omitzero"` // the last time
	Uses      int       `json:"uses"`
}
