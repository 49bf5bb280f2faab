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
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// secretWord stands for a secret answer in everything that the model reads and writes.
const secretWord = "{{secret}}"

// secretPhone is a phone that types a secret where the model wrote its placeholder, so that the
// secret itself is in no prompt, journal, event or log. The one that was given last is typed, once.
type secretPhone struct {
	Phone
	secrets []store.Secret
	typed   func(ctx context.Context, questionID string)
}

// Type types the text, with the secret in the place of its placeholder.
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

// secretTyped notes that a secretPhone has typed a secret. Should that not be stored, the secret
// can be typed once more after a crash.
func (m *Manager) secretTyped(ctx context.Context, questionID string) {
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	if err := m.store.Secrets.Typed(ctx, questionID); err != nil {
		m.log.ErrorContext(ctx, "a secret was typed", "question", questionID, "err", err)
	}
}

// masked is an error whose text does not hold the secret.
type masked struct {
	error
	secret string
}

func (m masked) Error() string { return strings.ReplaceAll(m.error.Error(), m.secret, secretWord) }

func (m masked) Unwrap() error { return m.error }

// redactingPolicy is a policy that does not repeat the run's secrets, which the model may have read
// on the screen.
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
		// A placeholder stays whole, even when the secret is a part of it.
		p = redact(p, strings.NewReplacer(secretWord, secretWord, x.Text, secretWord).Replace)
		if err != nil {
			err = masked{err, x.Text}
		}
	}
	return p, err
}

// redactingGate is a gate that is not shown the run's secrets, which the phone may list among what
// is on its screen: what a gate knows is kept, and shown to people.
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

type redactingReader struct {
	agentloop.Reader
	secrets []store.Secret
}

// Elements implements agentloop.Reader.
func (r *redactingReader) Elements(ctx context.Context) ([]screen.Element, error) {
	list, err := r.Reader.Elements(ctx)
	return redactElements(list, r.secrets), err
}

// redactElements is the list without the secrets, in whatever field they were typed.
func redactElements(list []screen.Element, secrets []store.Secret) []screen.Element {
	list = slices.Clone(list)
	for _, x := range secrets {
		for i := range list {
			e := &list[i]
			hide := distinctive(x.Text) || e.Editable && e.Text == x.Text
			if hide {
				e.Text = strings.ReplaceAll(e.Text, x.Text, secretWord)
				e.ContentDesc = strings.ReplaceAll(e.ContentDesc, x.Text, secretWord)
			}
		}
	}
	return list
}

// plainWord reports whether s is what stands in texts that have nothing to do with a secret: up to
// twelve letters, of which only the first may be a capital one.
func plainWord(s string) bool {
	n := 0
	for _, r := range s {
		if n++; n > 12 || !unicode.IsLetter(r) || n > 1 && !unicode.In(r, unicode.Ll, unicode.Lo) {
			return false
		}
	}
	return n > 0
}

// distinctive reports whether the text, wherever it stands in what the model says, is the secret. A
// plain word may be any word, and fewer than four characters are found everywhere.
func distinctive(secret string) bool {
	return utf8.RuneCountInString(secret) >= 4 && !plainWord(secret)
}

// redact is p with each of its texts hidden. A secret that is to be typed becomes the placeholder,
// and is typed.
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
