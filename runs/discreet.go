package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/session"
)

// secretWord stands for a secret answer in everything that the model reads and writes.
const secretWord = "{{secret}}"

// discreet is a phone that types a secret where the model wrote its placeholder, so that the secret itself is in no
// prompt, journal, event or log. The one that was given last is typed, once.
type discreet struct {
	Phone
	secrets []session.Secret
	typed   func(ctx context.Context, questionID string)
}

// State implements agentloop.Stater for a phone that does.
func (d *discreet) State(ctx context.Context) (screen.State, error) {
	if s, ok := d.Phone.(agentloop.Stater); ok {
		return s.State(ctx)
	}
	return screen.State{}, errors.ErrUnsupported
}

// Type types the text, with the secret in the place of its placeholder.
func (d *discreet) Type(ctx context.Context, text string) error {
	if !strings.Contains(text, secretWord) {
		return d.Phone.Type(ctx, text)
	}
	if len(d.secrets) == 0 || d.secrets[len(d.secrets)-1].Typed {
		return fmt.Errorf("nothing was typed: no secret is kept for %s any more (ask for it again)", secretWord)
	}
	s := &d.secrets[len(d.secrets)-1]
	if err := d.Phone.Type(ctx, strings.ReplaceAll(text, secretWord, s.Text)); err != nil {
		return fmt.Errorf("typing a secret: %w", masked{err, s.Text})
	}
	s.Typed = true
	d.typed(ctx, s.QuestionID)
	return nil
}

// secretTyped notes what a discreet phone has typed. Should that not be stored, the secret can be typed once more after a crash.
func (f *Manager) secretTyped(ctx context.Context, questionID string) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	if err := f.store.SecretTyped(ctx, questionID); err != nil {
		f.log.ErrorContext(ctx, "a secret was typed", "question", questionID, "err", err)
	}
}

// masked is an error whose text does not hold the secret.
type masked struct {
	error
	secret string
}

func (m masked) Error() string { return strings.ReplaceAll(m.error.Error(), m.secret, secretWord) }

func (m masked) Unwrap() error { return m.error }

// discreetPolicy is a policy that does not repeat the run's secrets, which the model may have read on the screen.
type discreetPolicy struct {
	agentloop.Policy
	secrets []session.Secret
}

// Next implements agentloop.Policy.
func (d *discreetPolicy) Next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	p, err := d.Policy.Next(ctx, s)
	for _, x := range d.secrets {
		if utf8.RuneCountInString(x.Text) < shortest {
			continue
		}
		p = mask(p, strings.NewReplacer(secretWord, secretWord, x.Text, secretWord).Replace) // a placeholder stays whole
		if err != nil {
			err = masked{err, x.Text}
		}
	}
	return p, err
}

// shortest is how many characters a secret has that is looked for in what the model says: what is shorter is found everywhere.
const shortest = 4

// mask is p with each of its texts masked.
func mask(p agentloop.Proposal, hide func(string) string) agentloop.Proposal {
	p.Action = maskAction(p.Action, hide)
	p.Thought, p.Explain, p.Summary, p.Caption = hide(p.Thought), hide(p.Explain), hide(p.Summary), hide(p.Caption)
	fields := make([]actions.Field, len(p.Fields))
	for i, f := range p.Fields {
		fields[i] = actions.Field{Key: f.Key, Value: hide(f.Value)}
	}
	p.Fields = fields
	tries := make([]agentloop.Try, len(p.Tries))
	for i, t := range p.Tries {
		t.Prompt, t.Reply, t.Error = hide(t.Prompt), hide(t.Reply), hide(t.Error)
		tries[i] = t
	}
	p.Tries = tries
	return p
}

// maskAction is an action with its texts masked. A secret that is to be typed becomes the placeholder, and is typed.
func maskAction(a actions.Action, hide func(string) string) actions.Action {
	switch a := a.(type) {
	case actions.Type:
		a.Text = hide(a.Text)
		return a
	case actions.Info:
		a.Question = hide(a.Question)
		options := make([]string, len(a.Options))
		for i, o := range a.Options {
			options[i] = hide(o)
		}
		a.Options = options
		return a
	case actions.Complete:
		a.Report = hide(a.Report)
		return a
	case actions.Abort:
		a.Reason = hide(a.Reason)
		return a
	case actions.Note:
		a.Text = hide(a.Text)
		return a
	case actions.OpenApp:
		a.App = hide(a.App)
		return a
	}
	return a
}
