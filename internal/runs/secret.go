package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// SecretWord replaces a secret answer in all texts of the model.
const SecretWord = "{{secret}}"

// kept are the secrets of a run, the latest one at the end. They are read while a gate looks ahead,
// too.
type kept struct {
	mu   sync.Mutex
	list []store.Secret
}

// all returns a copy.
func (k *kept) all() []store.Secret {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.list)
}

// add takes one more, in the place of one with its id.
func (k *kept) add(x store.Secret) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(o store.Secret) bool {
		return o.QuestionID == x.QuestionID
	})
	k.list = append(k.list, x)
}

// secretPhone is a phone that types a secret where the model wrote its placeholder. The secret
// itself is in no prompt, journal, event or log. Only the latest secret is typed, and only once.
type secretPhone struct {
	Phone
	secrets *kept
	typed   func(ctx context.Context, questionID string)
}

// Elements implements agentloop.Reader. Neither the model nor the gate nor the record is shown the
// secrets.
func (p *secretPhone) Elements(ctx context.Context) ([]screen.Element, error) {
	list, err := p.Phone.Elements(ctx)
	return redactElements(list, p.secrets.all()), err
}

// Type types the text with the placeholder replaced by the secret.
func (p *secretPhone) Type(ctx context.Context, text string) error {
	if !strings.Contains(text, SecretWord) {
		return p.Phone.Type(ctx, text)
	}
	list := p.secrets.all()
	if len(list) == 0 || list[len(list)-1].Typed {
		return fmt.Errorf("nothing was typed: no secret is kept for %s any more (ask for it again)",
			SecretWord)
	}
	s := list[len(list)-1]
	err := p.Phone.Type(ctx, strings.ReplaceAll(text, SecretWord, s.Text))
	if err != nil {
		err = fmt.Errorf("typing a secret: %w", masked{err, s.Text})
	}
	if err == nil || errors.Is(err, actions.ErrDone) {
		s.Typed = true
		p.secrets.add(s)
		p.typed(ctx, s.QuestionID)
	}
	return err
}

// masked is an error with the secret removed from its text.
type masked struct {
	error
	secret string
}

func (m masked) Error() string { return strings.ReplaceAll(m.error.Error(), m.secret, SecretWord) }

func (m masked) Unwrap() error { return m.error }

// redactingPolicy removes the run's secrets, which the model may have read on the screen, from the
// model's proposals. What the model itself wants typed into a password field becomes one.
type redactingPolicy struct {
	agentloop.Policy
	secrets *kept
	keep    func(ctx context.Context, x store.Secret) error
	run     string
	words   *texts
	told    func(report string) // or nil
	entered string              // digits of the pads that the run has had
}

// Next implements agentloop.Policy.
func (r *redactingPolicy) Next(
	ctx context.Context, s agentloop.Situation,
) (agentloop.Proposal, error) {
	p, err := r.Policy.Next(ctx, s)
	if end, is := p.Action.(actions.Complete); is && r.told != nil {
		r.told(end.Report)
	}
	if err == nil {
		if p, err = r.hideKey(ctx, s, p); err != nil {
			return agentloop.Proposal{}, err
		}
	}
	if x := (store.Secret{Text: passwordIn(ctx, s, p.Action)}); err == nil && x.Text != "" {
		x.QuestionID = fmt.Sprintf("%s:%d", r.run, s.Step)
		if err := r.keep(ctx, x); err != nil {
			return agentloop.Proposal{}, err
		}
		p = redact(p, placeholder(x.Text))
		r.secrets.add(x)
	}
	for _, x := range r.secrets.all() {
		if !distinctive(x.Text) {
			continue
		}
		p = redact(p, placeholder(x.Text))
		if err != nil {
			err = masked{err, x.Text}
		}
	}
	return r.hideEntered(p), err
}

// placeholder puts the placeholder for the secret. One that is there stays whole even if it
// contains the secret.
func placeholder(secret string) func(string) string {
	return strings.NewReplacer(SecretWord, SecretWord, secret, SecretWord).Replace
}

// passwordIn is what the action types into a password field of the screen, without the line breaks
// behind it, "" if it types into no such field, or none is known.
func passwordIn(ctx context.Context, s agentloop.Situation, a actions.Action) string {
	if a == nil || s.Reader == nil || a.Traits().Kind != actions.KindText {
		return ""
	}
	t := a.Traits()
	text := strings.TrimRight(t.Text, "\r\n")
	if text == "" || strings.Contains(text, SecretWord) {
		return ""
	}
	list, err := s.Reader.Elements(ctx)
	if err != nil {
		return ""
	}
	hidden := func(e screen.Element) bool {
		return e.Password && (e.Focused && len(t.Points) == 0 ||
			slices.ContainsFunc(t.Points, e.Bounds.Contains))
	}
	if !slices.ContainsFunc(list, hidden) {
		return ""
	}
	return text
}

// redactElements returns the list without the secrets, in any field.
func redactElements(list []screen.Element, secrets []store.Secret) []screen.Element {
	list = slices.Clone(list)
	for _, x := range secrets {
		for i := range list {
			e := &list[i]
			hide := distinctive(x.Text) || e.Editable && e.Text == x.Text
			if hide {
				e.Text = strings.ReplaceAll(e.Text, x.Text, SecretWord)
				e.ContentDesc = strings.ReplaceAll(e.ContentDesc, x.Text, SecretWord)
				e.Hint = strings.ReplaceAll(e.Hint, x.Text, SecretWord)
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
