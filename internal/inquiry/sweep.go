package inquiry

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Run sweeps until ctx ends, and returns its cause. report gets the errors of single sweeps, and
// may be nil; the next sweep tries again.
func (b *Broker) Run(ctx context.Context, report func(error)) error {
	tick := time.NewTicker(b.opts.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
			if err := b.Sweep(ctx, b.now()); err != nil && report != nil && ctx.Err() == nil {
				report(err)
			}
		}
	}
}

// Sweep settles the questions whose time is over at now, unless they are Elsewhere, through the
// same compare-and-set as every answer; tells, once per broker, of questions that got no attention
// in time and that stay open; and tells of questions that other brokers opened or settled.
func (b *Broker) Sweep(ctx context.Context, now time.Time) error {
	defer b.feed.sweep()()
	// every second, of all: the whole of few is needed
	pending, err := b.store.List(ctx, Filter{Status: Pending, Brief: true})
	if err != nil {
		return fmt.Errorf("sweeping questions: %w", err)
	}
	var errs []error
	found := map[string]bool{}
	for _, q := range pending {
		found[q.ID] = true
		errs = append(errs, b.checkDue(ctx, q, now))
	}
	for id := range b.feed.known() {
		if !found[id] {
			errs = append(errs, b.refresh(ctx, id))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sweeping questions: %w", err)
	}
	return nil
}

// due is what the clock makes of an open question at now; Pending while it stays open.
func due(q *Question, now time.Time) (Status, Resolution) {
	timer := Resolution{Channel: ChannelTimer, At: now}
	switch late := !now.Before(q.AttentionUntil); {
	case !now.Before(q.ExpiresAt) && q.Deferred != nil:
		return q.Deferred.status(), *q.Deferred
	case !now.Before(q.ExpiresAt):
		timer.Type = TypeExpire
		return Expired, timer
	case q.Deferred != nil: // a model has the time that it needs
	case late && q.OnTimeout == Default:
		timer.Type, timer.Response = TypeDefault, Plain(q.DefaultAnswer)
		return TimedOut, timer
	case late && (q.OnTimeout == GoOn || q.OnTimeout == GiveUp || q.OnTimeout == RejectAll):
		timer.Type = TypeTimeout
		return TimedOut, timer
	}
	return Pending, Resolution{}
}

// checkDue does the due work of one open question, of which the list had the times only.
func (b *Broker) checkDue(ctx context.Context, brief Question, now time.Time) error {
	told, known := b.feed.opened(brief)
	overdue := told.overdue.Equal(brief.AttentionUntil)
	if known && told.left == brief.LeftBehind &&
		(now.Before(brief.AttentionUntil) || overdue && now.Before(brief.ExpiresAt)) {
		return nil
	}
	q, err := b.store.Get(ctx, brief.ID)
	if errors.Is(err, ErrNotFound) || err == nil && !q.Open() {
		return b.refresh(ctx, brief.ID) // it was settled or deleted since
	}
	if err != nil {
		return err
	}
	b.feed.discover(ctx, q)
	b.feed.left(ctx, q)
	if to, timer := due(&q, now); to != Pending && !q.Elsewhere {
		if _, err = b.settle(ctx, q.ID, to, timer); errors.Is(err, ErrSettled) {
			err = nil
		}
		return err
	}
	if !now.Before(q.AttentionUntil) {
		b.feed.overdue(ctx, q)
	}
	return nil
}

// refresh publishes a question that this broker knows as open, or that somebody waits for, and that
// is not open any more.
func (b *Broker) refresh(ctx context.Context, id string) error {
	q, err := b.store.Get(ctx, id)
	if errors.Is(err, ErrNotFound) {
		b.feed.drop(id)
		return nil
	}
	if err != nil {
		return err
	}
	if !q.Open() {
		b.feed.announce(ctx, q, false)
	}
	return nil
}
