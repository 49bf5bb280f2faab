package inquiry

import (
	"cmp"
	"slices"
)

// Sent is a reply as programs send it. A nil field was left out.
type Sent struct {
	Type      Type
	Words     *string
	Values    []byte // of a form, as one JSON object
	Decisions []Decision
}

// Misfit says why what was sent is no reply. Whoever took it words that for its sender.
type Misfit int

// The misfits.
const (
	Fits        Misfit = iota
	Nothing            // there is no answer
	NoDecisions        // there are no decisions in a reply of their type
	Both               // there are decisions beside an answer, or words beside values
	NotValues          // there are values in a reply that is not an answer
)

// Reply makes a reply. Whether it suits its question, [Broker.Resolve] says.
func (s Sent) Reply() (Reply, Misfit) {
	r := Reply{Type: s.Type, Decisions: s.Decisions}
	if r.Type == "" && s.Decisions != nil {
		r.Type = TypeDecisions
	}
	answers := r.Type == "" || r.Type == TypeAnswer
	decides := r.Type == TypeDecisions
	switch {
	case decides && s.Decisions == nil:
		return r, NoDecisions
	case s.Decisions != nil && (!decides || s.Words != nil || s.Values != nil),
		s.Values != nil && s.Words != nil:
		return r, Both
	case s.Values != nil && !answers:
		return r, NotValues
	case s.Values != nil:
		r.Response = string(s.Values)
	case s.Words != nil:
		r.Response = *s.Words
	case answers:
		return r, Nothing
	}
	return r, Fits
}

// Decides reports whether the reply decides in words about the question's acts. Such words are for
// what their sender has seen, so they have to come with the id of the question.
func (q Question) Decides(r Reply) bool {
	return (r.Type == "" || r.Type == TypeAnswer) &&
		bodyOf(&q).Means(r.Response) == TypeDecisions
}

// meant is a reply as the question understands it: an answer may be words for another type.
func meant(q *Question, r Reply) Reply {
	if q.Decides(r) {
		heard := q.Hear(r.Response)
		r.Type, r.Response, r.Decisions = heard.Type, heard.Response, heard.Decisions
	}
	if r.Type = cmp.Or(r.Type, TypeAnswer); r.Type == TypeAnswer {
		r.Type = bodyOf(q).Means(r.Response)
	}
	return decided(q, r)
}

// decided is a reply of decisions to a question that takes none, as what it offers under their
// names. A reply that names anything else stays as it is.
func decided(q *Question, r Reply) Reply {
	if r.Type != TypeDecisions || slices.Contains(bodyOf(q).Types(q), TypeDecisions) {
		return r
	}
	said := make([]Said, len(r.Decisions))
	for i, d := range r.Decisions {
		if said[i] = (Said{d.Type, d.Message}); !offers(bodyOf(q), d.Type) {
			return r
		}
	}
	if named, err := q.Say(said...); err == nil {
		r.Type, r.Response, r.Decisions = named.Type, named.Response, named.Decisions
	}
	return r
}
