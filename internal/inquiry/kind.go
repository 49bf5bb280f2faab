package inquiry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// bodies makes an empty body of each kind from the JSON of a question.
var bodies = map[Kind]func(question []byte) Body{}

// Register adds a kind of question. It returns the kind, so that a package variable can hold it;
// kinds are not added later than that. empty makes a body without content, to read the question's
// JSON into.
func Register(k Kind, empty func(question []byte) Body) Kind {
	if bodies[k] != nil {
		panic(fmt.Sprintf("the kind %q is registered twice", k))
	}
	bodies[k] = empty
	return k
}

// Kinds lists all kinds of questions by name.
func Kinds() []Kind { return slices.Sorted(maps.Keys(bodies)) }

// Empty returns the body of a question of the kind that has nothing in it. It is one in words if
// there is no such kind.
func (k Kind) Empty() Body {
	if empty := bodies[k]; empty != nil {
		return empty(nil)
	}
	return new(Ask)
}

// AllWaits lists how runs can stand that wait for an answer, each once, by their states.
func AllWaits() (all []Waits) {
	for k := range bodies {
		if w := k.Empty().Waits(); !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	slices.SortStableFunc(all, func(a, b Waits) int { return strings.Compare(a.State, b.State) })
	return all
}

// As returns the body of q if it is a *B, else an empty B.
func As[B any](q Question) *B {
	if b, is := any(q.Body).(*B); is {
		return b
	}
	return new(B)
}

// bodyOf returns the question's body, or an empty one of its kind.
func bodyOf(q *Question) Body {
	if q.Body != nil {
		return q.Body
	}
	return q.Kind.Empty()
}

// MarshalJSON writes the fields of the question and of its body as one object.
func (q Question) MarshalJSON() ([]byte, error) { return q.JSON(struct{}{}) }

// JSON writes the fields of the question, of its body, and of a struct with more, as one object.
func (q Question) JSON(more any) ([]byte, error) {
	type plain Question
	object, err := json.Marshal(plain(q))
	for _, part := range []any{q.Body, more} {
		if part == nil || err != nil {
			continue
		}
		var own []byte
		if own, err = json.Marshal(part); len(own) > len("{}") {
			object = append(append(object[:len(object)-1], ','), own[1:]...)
		}
	}
	return object, err
}

// UnmarshalJSON reads what MarshalJSON writes.
func (q *Question) UnmarshalJSON(raw []byte) error {
	type plain Question
	common := plain(*q)
	if err := json.Unmarshal(raw, &common); err != nil {
		return err
	}
	*q = Question(common)
	q.Body = nil
	if empty := bodies[q.Kind]; empty != nil {
		q.Body = empty(raw)
		return json.Unmarshal(raw, q.Body)
	}
	return nil
}

// checkType checks the id and the type of a reply.
func checkType(q *Question, r Reply) error {
	types := bodyOf(q).Types(q)
	unfit := bodyOf(q).Unfit(q, r.Type)
	switch {
	case len(r.ID) > maxReplyID || !isPlainText(r.ID):
		return invalid("the reply id is not plain text of at most %d bytes", maxReplyID)
	case !slices.Contains(types, r.Type):
	case (r.Type == TypeTimeout || r.Type == TypeDelegate) && r.Response != "":
		return invalid("a reply of type %q has no words, which would be lost "+
			"(leave them out, or send them as an answer)", r.Type)
	default:
		return nil
	}
	switch {
	case unfit != "":
		return invalid("%s", unfit)
	case r.Type == TypeDelegate:
		return invalid("a secret cannot be left to the agent (want one of %q)", types)
	case r.Type == TypeDone || r.Type == TypeCouldNot:
		return invalid("a reply of type %q is for a take-over, and this question is none "+
			"(want one of %q)", r.Type, types)
	case r.Type == TypeDecisions:
		return invalid("decisions are about actions, and this question is about none "+
			"(want one of %q)", types)
	}
	return invalid("unknown type of reply %s (want one of %q)", text.Quote(string(r.Type), 100),
		types)
}

// IsOffer reports whether questions of some kind offer a command of the name.
func IsOffer(name string) bool {
	for _, empty := range bodies {
		if offers(empty(nil), name) {
			return true
		}
	}
	return false
}

// offers reports whether questions with the body offer a command of the name.
func offers(b Body, name string) bool {
	return slices.ContainsFunc(b.Offers(), func(o Offer) bool { return o.Name == name })
}
