package inquiry

import (
	"errors"
	"fmt"
)

// tooLate is the answer to a reply whose question was settled before.
func (b *Broker) tooLate(q Question, r Reply) (Result, error) {
	won := q.Resolution
	if p := q.Deferred; p != nil && r.ID == p.ReplyID { // it counted, as far as it could
		won = p
	}
	if r.ID == "" || r.ID != won.ReplyID {
		return Result{}, &SettledError{erased(q)}
	}
	if !b.same(q, won, r) {
		return Result{}, fmt.Errorf("question %s: %w", q.ID, ErrReplyIDReused)
	}
	return Result{Question: q, Replayed: true}, nil
}

// same reports whether the reply says what the resolution says. An erased secret is compared by its
// digest, while this process lives; after that the id decides.
func (b *Broker) same(q Question, won *Resolution, r Reply) bool {
	if r.Type == TypeTimeout {
		return q.Status == TimedOut
	}
	if checkType(&q, r) != nil {
		return false
	}
	res, err := bodyOf(&q).Take(&q, r, &b.opts)
	switch {
	case err != nil || res.Type != won.Type || r.Remember != won.Remember:
		return false
	case won.Response.IsSecret() && !q.AppliedAt.IsZero():
		return b.digests.fits(q.ID, res.Response.Reveal())
	}
	return res.Response.Reveal() == won.Response.Reveal() &&
		sameDecisions(res.Decisions, won.Decisions)
}

// Result is what became of a reply that won.
type Result struct {
	Question Question
	Replayed bool // the same reply was accepted before
}

// unlessTooLate is the question that a reply has settled, unless err says that another one was
// first.
func (b *Broker) unlessTooLate(q Question, r Reply, err error) (Result, error) {
	if errors.Is(err, ErrSettled) {
		return b.tooLate(q, r)
	}
	return Result{Question: q}, err
}
