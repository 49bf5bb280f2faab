package inquiry

import (
	"context"
	"errors"
	"time"
)

// silence does to an open question what [OnTimeout] says of silence, now: somebody says that no
// answer comes in time. A question that stays open comes back as it is then, and is told of as
// Overdue; how its asker is to go on is not kept with it.
func (b *Broker) silence(ctx context.Context, q Question, r Reply, now time.Time) (Result, error) {
	if _, err := q.fit(r, b.opts.MaxAnswer); err != nil {
		return Result{}, err
	}
	by := Resolution{Type: r.Type, Channel: r.Channel, Authority: r.Authority, By: r.By,
		ReplyID: r.ID, At: now, Resume: r.Resume}
	q.AttentionUntil = now
	to, timer := q.due(now)
	if to == Pending {
		if q, err := b.store.Hasten(ctx, q.ID, by); err != nil {
			return b.unlessLost(q, r, err)
		}
		err := b.look(ctx, q, now)
		if err == nil {
			q, err = b.store.Get(ctx, q.ID)
		}
		return Result{Question: q}, err
	}
	by.Type, by.Response = timer.Type, timer.Response
	q, err := b.settle(ctx, q.ID, to, by)
	return b.unlessLost(q, r, err)
}

// unlessLost is the question that a reply has settled, unless err says that another one was first.
func (b *Broker) unlessLost(q Question, r Reply, err error) (Result, error) {
	if errors.Is(err, ErrSettled) {
		return b.lost(q, r)
	}
	return Result{Question: q}, err
}
