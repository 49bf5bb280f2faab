package inquiry

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// Broker settles questions and wakes those who wait. It is safe for concurrent use. Several
// brokers, in one process or in several, may share a store: the store decides who wins, and Sweep
// brings what the others settled.
type Broker struct {
	store   Store
	opts    Options
	digests *digests
	feed    *feed
}

// NewBroker makes a broker over a store. It starts no goroutine: the owner calls Run, or Sweep.
func NewBroker(store Store, opts *Options) *Broker {
	b := &Broker{store: store, digests: &digests{key: []byte(rand.Text()),
		sums: map[string][]byte{}}}
	if opts != nil {
		b.opts = *opts
	}
	o := &b.opts
	o.Attention = cmp.Or(o.Attention, 10*time.Minute)
	o.TTL = cmp.Or(o.TTL, 24*time.Hour)
	o.Every = cmp.Or(o.Every, time.Second)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, 64<<10)
	o.Buffer = cmp.Or(o.Buffer, 256)
	if o.Now == nil {
		o.Now = time.Now
	}
	b.feed = &feed{buffer: o.Buffer, waiters: map[string][]chan struct{}{},
		open: map[string]told{}, settled: map[string]bool{},
		subs: map[*Subscription]struct{}{}}
	return b
}

// Get returns a question, or ErrNotFound.
func (b *Broker) Get(ctx context.Context, id string) (Question, error) {
	return b.store.Get(ctx, id)
}

// List returns questions, oldest first.
func (b *Broker) List(ctx context.Context, f Filter) ([]Question, error) {
	return b.store.List(ctx, f)
}

// SetRouting is the compare-and-set of the routing of an open question, which is still was.
// Otherwise it returns the question as it is, and ErrSettled or ErrTurn.
func (b *Broker) SetRouting(ctx context.Context, id string, was, to Routing) (Question, error) {
	return b.store.Amend(ctx, id, func(q *Question) error {
		if q.Routing != was {
			return ErrTurn
		}
		q.Routing = to
		return nil
	})
}

// Apply takes a settled question's answer for use by the run's life fence, once. See Store.Apply.
func (b *Broker) Apply(ctx context.Context, id string, fence int64) (Question, error) {
	q, err := b.store.Apply(ctx, id, fence, b.now())
	if err != nil {
		return q, fmt.Errorf("applying the answer to question %s: %w", id, err)
	}
	return q, nil
}

// settle is the one way to settle a question: the store first, then those who wait. The question is
// as it is now, with ErrSettled too.
func (b *Broker) settle(ctx context.Context, id string, to Status, r Resolution) (Question, error) {
	q, err := b.store.Settle(ctx, id, to, r)
	if err == nil || errors.Is(err, ErrSettled) {
		b.feed.announce(ctx, q, err == nil)
	}
	return q, err
}

// Withdraw closes a question without an answer, and says why. One that is withdrawn already is
// fine; one that was settled otherwise is a *SettledError.
func (b *Broker) Withdraw(ctx context.Context, id, why string) error {
	q, err := b.settle(ctx, id, Withdrawn, Resolution{Type: TypeWithdraw, Channel: ChannelRun,
		Why: why, At: b.now()})
	switch {
	case err == nil || errors.Is(err, ErrSettled) && q.Status == Withdrawn:
		return nil
	case errors.Is(err, ErrSettled):
		return &SettledError{erased(q)}
	}
	return fmt.Errorf("withdrawing question %s: %w", id, err)
}

// Lapse settles a question as if its time for attention were over: there is no one left to answer.
// One that is settled already is fine.
func (b *Broker) Lapse(ctx context.Context, id string) error {
	_, err := b.settle(ctx, id, TimedOut, Resolution{Type: TypeTimeout, Channel: ChannelTimer,
		At: b.now()})
	if err == nil || errors.Is(err, ErrSettled) {
		return nil
	}
	return fmt.Errorf("settling question %s: %w", id, err)
}

// Wait returns the question once it is settled, or ctx's cause.
// A question that another process settles is noticed by this broker's next sweep.
func (b *Broker) Wait(ctx context.Context, id string) (Question, error) {
	ch := b.feed.await(id)
	defer b.feed.forget(id, ch)
	for {
		q, err := b.store.Get(ctx, id)
		if err != nil || !q.Open() {
			return q, err
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return q, context.Cause(ctx)
		}
	}
}

func (b *Broker) now() time.Time { return b.opts.Now().UTC().Truncate(time.Millisecond) }

// Find returns the question with the id, or the only one whose id begins with it, among those that
// sees lets through; nil lets all. An open question goes before settled ones. Otherwise
// the error is ErrNotFound, an *AmbiguousError, or that of sees.
func (b *Broker) Find(ctx context.Context, id string, sees func(Question) (bool, error)) (
	Question, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	q, err := b.store.Get(ctx, id)
	list := []Question{q}
	if errors.Is(err, ErrNotFound) {
		list, err = nil, nil
		if id != "" {
			list, err = b.store.List(ctx, Filter{Beginning: id})
		}
	}
	if err != nil {
		return Question{}, err
	}
	var found []Question
	for _, q := range list {
		seen := true
		if sees != nil {
			if seen, err = sees(q); err != nil {
				return Question{}, err
			}
		}
		if seen {
			found = append(found, q)
		}
	}
	if slices.ContainsFunc(found, Question.Open) {
		found = slices.DeleteFunc(found, func(q Question) bool { return !q.Open() })
	}
	switch len(found) {
	case 0:
		return Question{}, fmt.Errorf("question %s: %w", text.Quote(id, 60), ErrNotFound)
	case 1:
		return found[0], nil
	}
	e := &AmbiguousError{What: fmt.Sprintf("%d questions", len(found)), Beginning: id}
	for _, q := range found {
		e.IDs = append(e.IDs, q.ID)
	}
	return Question{}, e
}

// Subscribe returns a queue of the events from now on. The caller closes it.
func (b *Broker) Subscribe() *Subscription { return b.feed.subscribe() }

// Spend adds to what models have cost that were asked about the question, open or settled.
func (b *Broker) Spend(ctx context.Context, id string, u Spending) error {
	return b.store.Spend(ctx, id, u)
}

// Claim leaves an open take-over that a program began to people alone. It does nothing when the
// take-over is theirs already, or settled.
func (b *Broker) Claim(ctx context.Context, id string) error {
	_, err := b.store.Amend(ctx, id, func(q *Question) error {
		if t, is := q.Body.(*Takeover); is {
			t.PeopleOnly = true
		}
		return nil
	})
	if errors.Is(err, ErrSettled) {
		return nil
	}
	return err
}
