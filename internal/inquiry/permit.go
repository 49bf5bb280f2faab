package inquiry

import (
	"errors"
	"fmt"
)

// permit says whether somebody with this authority may settle the question.
func permit(q *Question, authority string) error {
	forbidden := bodyOf(q).Permit(authority)
	why := q.ForModels()
	switch {
	case authority == AuthorityAgent && why != nil && forbidden == nil: // it is a secret
		forbidden = new(Approval).Permit(authority)
	case forbidden == nil:
		return nil
	}
	forbidden.Question = q.ID
	if authority == AuthorityAgent {
		return fmt.Errorf("%w: %w", why, forbidden)
	}
	return forbidden
}

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
	case bodyOf(&q).Permit(AuthorityAgent) != nil:
		return ErrForPeople
	}
	return nil
}

// ForPeople reports whether only people may settle the question.
func (q Question) ForPeople() bool { return bodyOf(&q).Permit(AuthorityToken) != nil }

// Prefilled is the question with its suggestion in the places of defaults: of its fields, or as its
// text to edit; without a suggestion it is the question itself.
func (q Question) Prefilled() Question {
	if q.Suggestion == nil {
		return q
	}
	q.Body = bodyOf(&q).Prefill(q.Suggestion.Answer)
	return q
}
