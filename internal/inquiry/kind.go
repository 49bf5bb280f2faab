package inquiry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Kind is what sort of decision a question wants.
type Kind string

// The kinds of questions.
const (
	KindInfo     Kind = "info"     // the agent on the phone needs a piece of information
	KindInquiry  Kind = "inquiry"  // any other agent asks
	KindApproval Kind = "approval" // an action waits for consent
	KindTakeover Kind = "takeover" // a person is to do something on the phone
)

// Body is what a question asks for, and how such a question behaves. A kind of question embeds
// [Words] and overrides what it does in its own way.
//
// A body is not changed once its question is stored. Its fields are part of the question's JSON,
// beside those of [Question].
type Body interface {
	// Kind returns the kind that every question with such a body has. It is "" if the asker chooses
	// between KindInfo and KindInquiry.
	Kind() Kind
	// Clone returns a copy that shares nothing with the body.
	Clone() Body
	// Check reports what is wrong with a new question, and brings its values into the form in which
	// they are kept.
	Check(q *Question, o *Options) error
	// Types lists the types of replies that the question takes.
	Types(q *Question) []Type
	// Unfit says why a reply of a type that is not among Types is not taken. "" leaves it to the
	// general words.
	Unfit(q *Question, t Type) string
	// Means returns the type of reply that an answer in these words amounts to.
	Means(words string) Type
	// Tidy brings what was said to the question into the form in which it is kept.
	Tidy(q *Question, said string) string
	// Take checks a reply of one of the Types, and returns what is kept of it: its type, its
	// response and its decisions. It is not called with TypeTimeout.
	Take(q *Question, r Reply, o *Options) (Resolution, error)
	// Permit returns why somebody with the authority may not settle the question; nil if they may.
	Permit(authority string) *ForbiddenError
	// Prefill returns the body with a draft of the answer as its default.
	Prefill(draft string) Body
	// Offers lists what can be said to the question besides an answer in words.
	Offers() []Offer
	// Say makes a reply of one of the Offers and its words for each part of the question.
	Say(q *Question, said ...Said) (Reply, error)
	// Hear makes a reply of what somebody has said in a conversation, where nobody is asked twice.
	Hear(q *Question, words string) Reply
	// Sort says in a few words what sort of answer the question wants, for a list of questions.
	Sort() string
	// Parts is how many times something has to be said for a whole reply.
	Parts() int
}

// Offer is something that can be said to a question besides an answer: a command at a terminal, a
// flag of the command line, a button of a page.
type Offer struct {
	Name  string `json:"name"`
	Words string `json:"words,omitempty"` // a placeholder for the words it takes, if it takes any
	Main  bool   `json:"main,omitempty"`  // it is the one to name if only one is named

	// its own flag of "taploop reply"; "" if it is a --decision
	Own string `json:"-"`
}

// Flag returns the flag of "taploop reply" that says it.
func (o Offer) Flag() string { return cmp.Or(o.Own, "--decision "+o.Name) }

// Said is one of a question's offers with its words. Without a name it is an answer.
type Said struct{ Name, Words string }

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
func Kinds() (all []Kind) {
	for k := range bodies {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// Flag returns the flag of "taploop reply" that does what questions of the kind ask for: "--approve".
// It is "" if they want an answer in words. What has a flag is about an act, and has to be seen
// before it is decided.
func (k Kind) Flag() string {
	if empty := bodies[k]; empty != nil {
		for _, o := range empty(nil).Offers() {
			if o.Main {
				return o.Flag()
			}
		}
	}
	return ""
}

// As returns the body of q if it is a *B, else an empty B.
func As[B any](q Question) *B {
	if b, is := any(q.Body).(*B); is {
		return b
	}
	return new(B)
}

// body returns the question's body, or an empty one of its kind.
func (q *Question) body() Body {
	empty := bodies[q.Kind]
	switch {
	case q.Body != nil:
		return q.Body
	case empty == nil:
		empty = bodies[KindInfo]
	}
	return empty(nil)
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
