package inquiry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// recall answers a new question with what was remembered for it, if anything was and still fits.
func (b *Broker) recall(ctx context.Context, q Question) {
	if len(q.RememberFor) == 0 {
		return
	}
	m, err := b.store.Recall(ctx, q)
	if err != nil || isCode(&q, m.Answer) {
		return // it is asked
	}
	res, err := bodyOf(&q).Take(&q, Reply{Type: TypeAnswer, Response: m.Answer}, &b.opts)
	if err != nil {
		return
	}
	from := ""
	if m.By != "" {
		from = " from " + m.By
	}
	why := fmt.Sprintf("remembered %s (%s)%s; taploop answers forget %s",
		m.At.Local().Format("2006-01-02 15:04"), m.Scope, from, m.ID)
	_, _ = b.settle(ctx, q.ID, Answered, Resolution{Type: TypeAnswer, Response: res.Response,
		Channel: ChannelMemory, Authority: m.Authority, By: m.By, Why: why, At: b.now(),
		Recalled: m.ID}) // else it stays open
}

// Open stores a new question and then publishes it. Id, status and AskedAt are the broker's own;
// the deadlines are those of q, or the options'. A question that cannot be asked as it is gives
// ErrInvalid. One whose answer was remembered is answered with it at once.
func (b *Broker) Open(ctx context.Context, q Question) (Question, error) {
	q = q.Clone()
	q.ID, q.Status = NewID(), Pending
	q.Resolution, q.Deferred = nil, nil
	q.AppliedAt = time.Time{}
	q.AskedAt = b.now()
	if q.Kind == "" {
		q.Kind = KindInfo
		if q.Body != nil {
			q.Kind = cmp.Or(q.Body.Kind(), q.Kind)
		}
	}
	q.Body = bodyOf(&q)
	Clean(&q)
	if q.AttentionUntil.IsZero() {
		q.AttentionUntil = q.AskedAt.Add(b.opts.Attention)
	}
	if q.ExpiresAt.IsZero() {
		q.ExpiresAt = q.AskedAt.Add(max(b.opts.TTL, q.AttentionUntil.Sub(q.AskedAt)))
	}
	q.AttentionUntil, q.ExpiresAt = q.AttentionUntil.UTC().Truncate(time.Millisecond),
		q.ExpiresAt.UTC().Truncate(time.Millisecond)
	if err := check(&q, &b.opts); err != nil {
		return Question{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	q.RememberFor = scopesOf(q)
	b.feed.expect(q.ID)
	if err := b.store.Insert(ctx, q); err != nil {
		b.feed.drop(q.ID)
		return Question{}, fmt.Errorf("asking: %w", err)
	}
	b.feed.publishIfOpen(ctx, Created, q)
	b.recall(ctx, q)
	return q, nil
}

// check reports a fault of a new question, and brings its defaults into their canonical
// form.
func check(q *Question, o *Options) error {
	switch own := q.Body.Kind(); {
	case bodies[q.Kind] == nil:
		return fmt.Errorf("unknown kind %q", q.Kind)
	case own != q.Kind && (own != "" || q.Kind.Empty().Kind() != ""):
		return fmt.Errorf("what it asks for is not of the kind %s", q.Kind)
	case strings.TrimSpace(q.Text) == "":
		return errors.New("the question is empty")
	case q.AttentionUntil.Before(q.AskedAt) || q.ExpiresAt.Before(q.AttentionUntil):
		return fmt.Errorf(
			"the deadlines are out of order: asked %s, attention until %s, expires %s", q.AskedAt,
			q.AttentionUntil, q.ExpiresAt)
	}
	return q.Body.Check(q, o)
}
