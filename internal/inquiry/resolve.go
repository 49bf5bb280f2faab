package inquiry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// Resolve settles the question with the reply, if it is the first. Otherwise: the same reply again
// (by its id) is the same success, Replayed; ErrReplyIDReused when its id came with other content;
// a *SettledError that tells the winner, or, as ErrGone, that the question timed out, expired or
// was withdrawn. A reply that does not fit is an *InvalidReplyError, one whose sender may not
// decide a *ForbiddenError, and the question stays open. RefusalOf tells them apart.
//
// An answer that only acknowledges is no secret, and nor is its question from then on. One that is
// a code of which the question speaks is a secret, unless the question is Public.
//
// The answer to a Takeover that says no more than that it is done is a TypeDone.
//
// A TypeTimeout does now what silence until AttentionUntil does: under Pause, and where a
// model answers then, the question stays open, and is Overdue.
//
// What an answer says is kept without control characters other than line breaks and tabs, and
// without characters that hide or turn words (see package text).
//
// When it returns nil the resolution is on disk. A question whose time is over is settled so,
// whether or not a sweep was there first.
func (b *Broker) Resolve(ctx context.Context, id string, r Reply) (Result, error) {
	q, err := b.store.Get(ctx, id)
	if err != nil {
		return Result{}, err
	}
	r = meant(&q, r)
	if !q.Open() {
		return b.tooLate(q, r)
	}
	if p := q.Deferred; p != nil && r.ID != "" && r.ID == p.ReplyID {
		return b.tooLate(q, r)
	}
	now := b.now()
	if to, timer := due(&q, now); to != Pending {
		q, err := b.settle(ctx, q.ID, to, timer)
		if err != nil && !errors.Is(err, ErrSettled) {
			return Result{}, err
		}
		return b.tooLate(q, r)
	}
	if r.Type == TypeAnswer && (r.Secret && openEnded(&q) || isCode(&q, text.Lines(r.Response))) {
		q.Secret = true
	}
	if err := permit(&q, r.Authority); err != nil {
		return Result{}, errors.Join(err, b.store.Forbid(ctx, q.ID, tried(&q, r, now)))
	}
	if err := checkRemember(q, r); err != nil {
		return Result{}, err
	}
	if err := checkType(&q, r); err != nil {
		return Result{}, err
	}
	if r.Type == TypeTimeout {
		return b.resolveTimeout(ctx, q, r, now)
	}
	return b.resolveWith(ctx, q, r, now)
}

// tried is a reply that is not taken, as the audit has it.
func tried(q *Question, r Reply, at time.Time) Resolution {
	words := text.Cut(text.Lines(cmp.Or(wordsOf(r.Decisions), r.Response)), maxTried)
	t := Resolution{Type: r.Type, Response: Plain(words), Channel: r.Channel,
		Authority: r.Authority, By: r.By, At: at}
	if q.Secret {
		t.Response = Secret(words)
	}
	return t
}

const maxTried = 300 // characters

// resolveWith settles a question with a reply, or has a model asked in its place.
func (b *Broker) resolveWith(
	ctx context.Context, q Question, r Reply, now time.Time,
) (Result, error) {
	res, err := bodyOf(&q).Take(&q, r, &b.opts)
	if err != nil {
		return Result{}, err
	}
	res.Channel, res.Authority, res.By = r.Channel, r.Authority, r.By
	res.ReplyID, res.At, res.Resume, res.Remember = r.ID, now, r.Resume, r.Remember
	answer := res.Response.Reveal()
	if s := q.Suggestion; s != nil && r.Type == TypeAnswer && r.Authority != AuthorityAgent &&
		answer == s.Answer {
		res.Unedited = s.By
	}
	switch {
	case r.Authority == AuthorityAgent && q.Deferred != nil && r.Resume == nil:
		res.Resume = json.RawMessage(q.Routing.Resume)
	case q.Fallback[r.Type] != "" && q.Deferred == nil && q.ForModels() == nil:
		return b.fallBack(ctx, q, res)
	}
	q, err = b.settle(ctx, q.ID, res.status(), res)
	if err == nil && q.Secret {
		b.digests.keep(q.ID, answer)
	}
	return b.unlessTooLate(q, r, err)
}

// resolveTimeout does to an open question what [OnTimeout] says of silence, now: somebody says that
// no answer comes in time. A question that stays open comes back as it is then, and is told of as
// Overdue; how its asker is to go on is not kept with it.
func (b *Broker) resolveTimeout(
	ctx context.Context, q Question, r Reply, now time.Time,
) (Result, error) {
	by := Resolution{Type: r.Type, Channel: r.Channel, Authority: r.Authority, By: r.By,
		ReplyID: r.ID, At: now, Resume: r.Resume}
	q.AttentionUntil = now
	to, timer := due(&q, now)
	if to == Pending {
		if q, err := b.store.Hasten(ctx, q.ID, by); err != nil {
			return b.unlessTooLate(q, r, err)
		}
		err := b.checkDue(ctx, q, now)
		if err == nil {
			q, err = b.store.Get(ctx, q.ID)
		}
		return Result{Question: q}, err
	}
	by.Type, by.Response = timer.Type, timer.Response
	q, err := b.settle(ctx, q.ID, to, by)
	return b.unlessTooLate(q, r, err)
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
		q.AttentionUntil = r.At // no one else is waited for
		return nil
	})
	switch {
	case errors.Is(err, ErrSettled) && q.Open(): // two have refused: no one is asked after that
		q, err = b.settle(ctx, q.ID, r.status(), r)
	case err == nil:
		b.feed.overdue(ctx, q)
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
		res, err := bodyOf(q).Take(q, Reply{Type: TypeAnswer, Response: s.Answer}, &b.opts)
		answer := res.Response.Reveal()
		if err == nil && isCode(q, answer) {
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
	b.feed.publishIfOpen(ctx, Drafted, q)
	return nil
}

var errDrafted = errors.New("the question has a draft")
