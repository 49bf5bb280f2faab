package inquiry

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/inquiry/secret"
	"github.com/taploop/taploop/internal/text"
)

// Remember is what a store keeps of the answer to q of this client, whose resolution has a Scope.
func NewRemembered(q Question, client string) Remembered {
	r := q.Resolution
	m := Remembered{ID: q.ID, Scope: r.Remember, Client: client, Question: q.Text,
		Options: As[Ask](q).Options, Answer: r.Response.Reveal(), Authority: r.Authority, By: r.By,
		At: r.At}
	switch r.Remember {
	case ThisSession:
		m.SessionID = q.SessionID
	case ThisApp:
		m.App = q.App
	}
	return m
}

// Fits reports whether m is an answer for a question of the client that is like q; what is alike
// has the same Likeness.
func (m Remembered) Fits(q Question, client string) bool {
	return m.Client == client && (m.Scope == Always || m.Scope == ThisApp && m.App == q.App ||
		m.Scope == ThisSession && m.SessionID == q.SessionID)
}

// Likeness is the same of two questions that ask the same: in the same words, but for case, spacing
// and closing marks, with the same choices and fields.
func Likeness(q Question) string {
	plain := func(s string) string {
		s = strings.Join(strings.Fields(strings.ToLower(text.Line(s))), " ")
		return strings.TrimRightFunc(s, func(r rune) bool {
			return unicode.IsPunct(r) || unicode.IsSpace(r)
		})
	}
	ask := As[Ask](q)
	options := make([]string, len(ask.Options))
	for i, o := range ask.Options {
		options[i] = plain(o)
	}
	slices.Sort(options)
	fields := slices.Clone(As[Form](q).Fields)
	for i := range fields {
		fields[i].Default = nil
	}
	b, _ := json.Marshal([]any{q.Kind, plain(q.Text), options, ask.FreeText, fields}) // of JSON
	return string(b)
}

// rememberable reports whether an answer to the question may be remembered: it is none about an
// act, a draft or a secret, nor does it name one, and it is no consent.
func rememberable(q Question) bool {
	open := Question{Text: q.Text} // whatever its options are
	return bodyOf(&q).Permit(AuthorityAgent) == nil && !q.Secret && As[Ask](q).Draft == "" &&
		!secret.Consent(q.Text, As[Ask](q).Options) && !secret.Named(q.Text) &&
		(len(As[Form](q).Fields) > 0 || secret.Open(q.Text, As[Ask](q).Options)) &&
		!open.AsksForSecret() && !open.AsksForAct() &&
		!slices.ContainsFunc(As[Form](q).Fields, func(f Field) bool {
			return secret.Mentioned(f.Name + " " + f.Label)
		})
}

// scopes are those for which a person can have an answer to the question remembered.
func scopesOf(q Question) (scopes []Scope) {
	if !rememberable(q) {
		return nil
	}
	for _, s := range Scopes {
		if checkScope(q, Reply{Remember: s, Authority: AuthorityHumanToken}) == nil {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// checkRemember says why the reply cannot be remembered as it wishes.
func checkRemember(q Question, r Reply) error {
	const leave = "; leave it out to answer this once"
	switch {
	case r.Remember == "":
		return nil
	case !slices.Contains(Scopes, r.Remember):
		return invalid("unknown scope %s to remember an answer for (want one of %q)",
			text.Quote(string(r.Remember), 40), Scopes)
	case r.Type != TypeAnswer:
		return invalid("only answers are remembered, and this is a reply of type %q"+leave, r.Type)
	case !rememberable(q) || isCode(&q, r.Response):
		return invalid("no answer about a secret, a draft, an action or a take-over, and no " +
			"consent, is remembered" + leave)
	}
	return checkScope(q, r)
}

// checkScope says why the answer cannot be remembered for as long as the reply wishes.
func checkScope(q Question, r Reply) error {
	switch {
	case r.Remember == ThisSession && q.SessionID == "":
		return invalid("the question belongs to no session (remember it %q)", Always)
	case r.Remember == ThisApp && q.App == "":
		return invalid("it is not known in which app the question was asked (remember it %q or %q)",
			ThisSession, Always)
	case r.Remember != ThisSession && !IsPerson(r.Authority):
		return invalid("only a person has an answer used beyond its session, and %s is none "+
			"(remember it %q, or leave it out)", r.Authority, ThisSession)
	}
	return nil
}
