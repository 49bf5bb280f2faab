package inquiry

import (
	"context"
	"encoding/json"
	"errors"
)

// Why no model is asked a question.
var (
	ErrSecret    = errors.New("the answer is a secret, which no model is asked for")
	ErrForPeople = errors.New("this is for a person to decide, and no model is asked")
)

// ForModels is why no model may answer the question or draft the answer: ErrSecret, or ErrForPeople
// of an approval, a take-over and whatever only people decide; nil when one may. It is the one
// place that says so: [Broker.Resolve] takes no model's answer against it, [Broker.Suggest] no
// draft, and no reply is passed on to a model.
func (q Question) ForModels() error {
	switch {
	case q.Secret:
		return ErrSecret
	case q.body().Permit(AuthorityAgent) != nil:
		return ErrForPeople
	}
	return nil
}

// ForPeople reports whether only people may settle the question.
func (q Question) ForPeople() bool { return q.body().Permit(AuthorityToken) != nil }

// Prefilled is the question with its suggestion in the places of defaults: of its fields, or as its
// text to edit; without a suggestion it is the question itself.
func (q Question) Prefilled() Question {
	if q.Suggestion == nil {
		return q
	}
	q.Body = q.body().Prefill(q.Suggestion.Answer)
	return q
}

// fallBack has a model asked in place of what a person replied, who has no answer: the question
// stays open, and that reply is what it is settled with when the model has none, either.
func (b *Broker) fallBack(ctx context.Context, q Question, r Resolution) (Result, error) {
	q, err := b.store.Amend(ctx, q.ID, func(q *Question) error {
		if q.Deferred != nil {
			return ErrSettled
		}
		q.Deferred = &r
		q.Routing = Routing{Channel: q.Fallback[r.Type], Since: r.At, Router: q.Routing.Router,
			Trouble: q.Routing.Trouble, Resume: string(r.Resume)}
		q.AttentionUntil = r.At // nobody else is waited for
		return nil
	})
	switch {
	case errors.Is(err, ErrSettled) && q.Open(): // two have refused: nobody is asked after that
		q, err = b.settle(ctx, q.ID, r.status(), r)
	case err == nil:
		b.feed.overdue(q)
	}
	if errors.Is(err, ErrSettled) {
		return b.tooLate(q, Reply{ID: r.ReplyID, Type: r.Type, Response: r.Response.Reveal()})
	}
	return Result{Question: q}, err
}

// SettleDeferred settles a question that was passed on to a model with the reply that it was passed
// on for. It does nothing when it is settled.
func (b *Broker) SettleDeferred(ctx context.Context, id string) error {
	q, err := b.store.Get(ctx, id)
	if err != nil || !q.Open() || q.Deferred == nil {
		return err
	}
	r := *q.Deferred
	r.Resume = json.RawMessage(q.Routing.Resume)
	if _, err = b.settle(ctx, id, r.status(), r); errors.Is(err, ErrSettled) {
		return nil
	}
	return err
}

// Suggest keeps a model's draft of the answer with an open question that has none, and publishes
// it. A draft that would not do as an answer is an *InvalidReplyError.
func (b *Broker) Suggest(ctx context.Context, id string, s Suggestion) error {
	q, err := b.store.Amend(ctx, id, func(q *Question) error {
		if err := q.ForModels(); err != nil {
			return err
		}
		if q.Suggestion != nil {
			return errDrafted
		}
		res, err := q.body().Take(q, Reply{Type: TypeAnswer, Response: s.Answer}, &b.opts)
		answer := res.Response.Reveal()
		if err == nil && q.IsCode(answer) {
			err = ErrSecret
		}
		q.Suggestion = &Suggestion{Answer: answer, By: s.By}
		return err
	})
	switch {
	case errors.Is(err, errDrafted), errors.Is(err, ErrSettled):
		return nil // it is too late, or somebody was faster
	case err != nil:
		return err
	}
	b.feed.publishIfOpen(Drafted, q)
	return nil
}

// Spend adds to what models have cost that were asked about the question, open or settled.
func (b *Broker) Spend(ctx context.Context, id string, u Spending) error {
	return b.store.Spend(ctx, id, u)
}

var errDrafted = errors.New("the question has a draft")

// status is what a reply makes of a question.
func (r *Resolution) status() Status {
	if r.Type == TypeDecline {
		return Refused
	}
	return Answered
}
