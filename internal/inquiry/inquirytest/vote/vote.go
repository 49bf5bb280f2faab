// Package vote is a kind of question for tests: nothing but this file knows it.
package vote

import (
	"errors"

	"github.com/taploop/taploop/internal/inquiry"
)

// Kind is the kind of a question whether a motion is carried.
const Kind inquiry.Kind = "vote"

var _ = inquiry.Register(Kind, func([]byte) inquiry.Body { return new(Vote) })

// Vote is the body of such a question.
type Vote struct {
	inquiry.Words
	Motion string `json:"motion"`
}

// Waits implements [inquiry.Body].
func (v *Vote) Waits() inquiry.Waits {
	return inquiry.Waits{State: "WAITING_VOTE", Reason: "VOTE_NEEDED"}
}

// Kind implements [inquiry.Body].
func (v *Vote) Kind() inquiry.Kind { return Kind }

// Clone implements [inquiry.Body].
func (v *Vote) Clone() inquiry.Body { return new(*v) }

// Prefill implements [inquiry.Body].
func (v *Vote) Prefill(string) inquiry.Body { return v }

// Check implements [inquiry.Body].
func (v *Vote) Check(*inquiry.Question, *inquiry.Options) error {
	if v.Motion == "" {
		return errors.New("there is no motion")
	}
	return nil
}

// Sort implements [inquiry.Body].
func (v *Vote) Sort() string { return "a vote" }

// Details implements [inquiry.Body].
func (v *Vote) Details() []inquiry.Detail {
	return []inquiry.Detail{{Name: "motion", Text: v.Motion}}
}

// Offers implements [inquiry.Body].
func (v *Vote) Offers() []inquiry.Offer {
	return []inquiry.Offer{{Name: "aye", Main: true}, {Name: "nay", Words: "WHY"}}
}

// Say implements [inquiry.Body].
func (v *Vote) Say(q *inquiry.Question, said ...inquiry.Said) (inquiry.Reply, error) {
	if len(said) == 1 && said[0].Name == "aye" {
		return inquiry.Reply{Type: inquiry.TypeAnswer, Response: "aye"}, nil
	}
	if len(said) == 1 && said[0].Name == "nay" {
		return inquiry.Reply{Type: inquiry.TypeAnswer, Response: "nay: " + said[0].Words}, nil
	}
	return v.Words.Say(q, said...)
}
