package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// secretWord replaces a secret answer in all texts of the model.
const secretWord = "{{secret}}"

// secretPhone is a phone that types a secret where the model wrote its placeholder. The secret
// itself is in no prompt, journal, event or log. Only the latest secret is typed, and only once.
type secretPhone struct {
	Phone
	secrets []store.Secret
	typed   func(ctx context.Context, questionID string)
}

// Type types the text with the placeholder replaced by the secret.
func (p *secretPhone) Type(ctx context.Context, text string) error {
	if !strings.Contains(text, secretWord) {
		return p.Phone.Type(ctx, text)
	}
	if len(p.secrets) == 0 || p.secrets[len(p.secrets)-1].Typed {
		return fmt.Errorf("nothing was typed: no secret is kept for %s any more (ask for it again)",
			secretWord)
	}
	s := &p.secrets[len(p.secrets)-1]
	err := p.Phone.Type(ctx, strings.ReplaceAll(text, secretWord, s.Text))
	if err != nil {
		err = fmt.Errorf("typing a secret: %w", masked{err, s.Text})
	}
	if err == nil || errors.Is(err, actions.ErrDone) {
		s.Typed = true
		p.typed(ctx, s.QuestionID)
	}
	return err
}

// masked is an error with the secret removed from its text.
type masked struct {
	error
	secret string
}

func (m masked) Error() string { return strings.ReplaceAll(m.error.Error(), m.secret, secretWord) }

func (m masked) Unwrap() error { return m.error }

// redactingPolicy removes the run's secrets, which the model may have read on the screen, from the
// model's proposals.
type redactingPolicy struct {
	agentloop.Policy
	secrets []store.Secret
}

// Next implements agentloop.Policy.
func (r *redactingPolicy) Next(
	ctx context.Context, s agentloop.Situation,
) (agentloop.Proposal, error) {
	p, err := r.Policy.Next(ctx, s)
	p.Elements = redactElements(p.Elements, r.secrets)
	for _, x := range r.secrets {
		if !distinctive(x.Text) {
			continue
		}
		// A placeholder stays whole even if it contains the secret.
		p = redact(p, strings.NewReplacer(secretWord, secretWord, x.Text, secretWord).Replace)
		if err != nil {
			err = masked{err, x.Text}
		}
	}
	return p, err
}

// redactingGate hides the run's secrets from a gate. The gate's data is stored and shown to people.
type redactingGate struct {
	agentloop.Gate
	secrets []store.Secret
}

// Check implements agentloop.Gate.
func (g *redactingGate) Check(
	ctx context.Context, s agentloop.Situation, d actions.Decision,
) (agentloop.Verdict, error) {
	if s.Reader != nil {
		s.Reader = &redactingReader{s.Reader, g.secrets}
	}
	return g.Gate.Check(ctx, s, d)
}

// Preview implements agentloop.Previewer.
func (g *redactingGate) Preview(ctx context.Context, s agentloop.Situation) {
	if p, is := g.Gate.(agentloop.Previewer); is {
		s.Reader = &redactingReader{s.Reader, g.secrets}
		p.Preview(ctx, s)
	}
}

// redactingVerifier hides the run's secrets from a verifier, whose evidence is stored and shown.
type redactingVerifier struct {
	agentloop.Verifier
	secrets []store.Secret
}

// Verify implements agentloop.Verifier.
func (v *redactingVerifier) Verify(
	ctx context.Context, s agentloop.Situation, report string,
) (agentloop.Verification, error) {
	if s.Reader != nil {
		s.Reader = &redactingReader{s.Reader, v.secrets}
	}
	return v.Verifier.Verify(ctx, s, report)
}

type redactingReader struct {
	agentloop.Reader
	secrets []store.Secret
}

// Elements implements agentloop.Reader.
func (r *redactingReader) Elements(ctx context.Context) ([]screen.Element, error) {
	list, err := r.Reader.Elements(ctx)
	return redactElements(list, r.secrets), err
}

// redactElements returns the list without the secrets, in any field.
func redactElements(list []screen.Element, secrets []store.Secret) []screen.Element {
	list = slices.Clone(list)
	for _, x := range secrets {
		for i := range list {
			e := &list[i]
			hide := distinctive(x.Text) || e.Editable && e.Text == x.Text
			if hide {
				e.Text = strings.ReplaceAll(e.Text, x.Text, secretWord)
				e.ContentDesc = strings.ReplaceAll(e.ContentDesc, x.Text, secretWord)
				e.Hint = strings.ReplaceAll(e.Hint, x.Text, secretWord)
			}
		}
	}
	return list
}

// plainWord reports whether s looks like an ordinary word: up to twelve letters, of which at most
// the first is a capital.
func plainWord(s string) bool {
	n := 0
	for _, r := range s {
		if n++; n > 12 || !unicode.IsLetter(r) || n > 1 && !unicode.In(r, unicode.Ll, unicode.Lo) {
			return false
		}
	}
	return n > 0
}

// distinctive reports whether any occurrence of the text in the model's words can be taken for the
// secret. That is not so for plain words and for fewer than four characters.
func distinctive(secret string) bool {
	return utf8.RuneCountInString(secret) >= 4 && !plainWord(secret)
}

// redact applies hide to all texts of p. A secret in a text to type becomes the placeholder, so
// that it is still typed.
func redact(p agentloop.Proposal, hide func(string) string) agentloop.Proposal {
	p.Decision = p.Decision.Texts(hide)
	p.Caption = hide(p.Caption)
	p.History = slices.Clone(p.History)
	for i, t := range p.History {
		p.History[i] = t.Texts(hide)
	}
	p.Tries = slices.Clone(p.Tries)
	for i := range p.Tries {
		t := &p.Tries[i]
		t.Prompt = hide(t.Prompt)
		t.Reply = hide(t.Reply)
		t.Error = hide(t.Error)
	}
	return p
}
