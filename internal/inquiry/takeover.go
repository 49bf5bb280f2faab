package inquiry

import (
	"cmp"
	"fmt"

	"github.com/taploop/taploop/internal/inquiry/secret"
)

// Takeover is the body of a question that a person answers by doing something on the phone.
type Takeover struct {
	Words
	// a person began it, and only a person ends it
	PeopleOnly bool `json:"people_only,omitempty"`
	// the question's text for people, by language
	Says map[string]string `json:"says,omitempty"`
}

var _ = Register(KindTakeover, func([]byte) Body { return new(Takeover) })

// Waits implements [Body].
func (t *Takeover) Waits() Waits { return Waits{"WAITING_TAKEOVER", "TAKEOVER_NEEDED"} }

// Silence implements [Body].
func (t *Takeover) Silence(_, _ OnTimeout) OnTimeout { return Pause }

// Kind implements [Body].
func (t *Takeover) Kind() Kind { return KindTakeover }

// Clone implements [Body].
func (t *Takeover) Clone() Body { return new(*t) }

// Check implements [Body].
func (t *Takeover) Check(q *Question, o *Options) error { return checkSilence(q, o) }

// Types implements [Body].
func (t *Takeover) Types(*Question) []Type {
	return []Type{TypeDone, TypeCouldNot, TypeAnswer, TypeDecline, TypeTimeout}
}

// Unfit implements [Body].
func (t *Takeover) Unfit(q *Question, typ Type) string {
	if typ == TypeDelegate {
		return fmt.Sprintf("what a person does by hand cannot be left to the agent "+
			"(want one of %q)", t.Types(q))
	}
	return ""
}

// Tidy implements [Body]. A code that was for the phone alone is left out.
func (t *Takeover) Tidy(q *Question, said string) string {
	said = t.Words.Tidy(q, said)
	if q.Secret || q.Public {
		return said
	}
	return secret.Hide(q.Text, said, Masked)
}

// Means implements [Body].
func (t *Takeover) Means(words string) Type {
	if secret.Done(words) {
		return TypeDone
	}
	return TypeAnswer
}

// Permit implements [Body]. No model of this program hands a phone back.
func (t *Takeover) Permit(authority string) *ForbiddenError {
	if IsPerson(authority) || !t.PeopleOnly && authority != AuthorityAgent {
		return nil
	}
	return &ForbiddenError{Authority: cmp.Or(authority, "a program"),
		Problem: "a person has taken the phone over, and only a person hands it back"}
}

// Prefill implements [Body].
func (t *Takeover) Prefill(string) Body { return t }

// Sort implements [Body].
func (t *Takeover) Sort() string { return "by hand" }

// Offers implements [Body].
func (t *Takeover) Offers() []Offer {
	return []Offer{{Name: "done", Words: "REMARK", Main: true, Own: "--done"},
		{Name: "cannot", Words: "WHY", Own: "--could-not"}}
}

// Say implements [Body].
func (t *Takeover) Say(q *Question, said ...Said) (Reply, error) {
	if len(said) == 1 && said[0].Name == "done" {
		return Reply{Type: TypeDone, Response: said[0].Words}, nil
	}
	if len(said) == 1 && said[0].Name == "cannot" {
		return Reply{Type: TypeCouldNot, Response: said[0].Words}, nil
	}
	return t.Words.Say(q, said...)
}

// Hear implements [Body].
func (t *Takeover) Hear(_ *Question, words string) Reply {
	if saidOnly(words, finished) {
		return Reply{Type: TypeDone}
	}
	return Reply{Type: TypeCouldNot, Response: words}
}
