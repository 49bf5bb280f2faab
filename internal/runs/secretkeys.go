package runs

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry/secret"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// keyID is the id under which a run's last key of a secret is kept, until the run ends: an approval
// of it may come after a restart.
func keyID(run string) string { return run + ":key" }

// lastKey is the value under it.
type lastKey struct {
	At      screen.Point `json:"at"`
	Entered string       `json:"entered"` // digits so far, with this one
}

// withKey gives a pending action the key that it is to press. It returns the other secrets, and the
// digits that were entered.
func withKey(
	p *agentloop.Pending, run string, all []store.Secret,
) (others []store.Secret, entered string) {
	for _, x := range all {
		var k lastKey
		switch {
		case x.QuestionID != keyID(run):
			others = append(others, x)
		case json.Unmarshal([]byte(x.Text), &k) == nil:
			if entered = k.Entered; p != nil && p.Decision.Secret {
				p.Decision.Key = &k.At
			}
		}
	}
	return others, entered
}

// hideKey makes a decision that touches a key by which a secret is entered one that does not say
// which: the place, and all words of the model about it, are withheld from everybody, also from the
// model's own later steps, which see how much was entered.
func (r *redactingPolicy) hideKey(
	ctx context.Context, s agentloop.Situation, p agentloop.Proposal,
) (agentloop.Proposal, error) {
	if p.Action == nil {
		return p, nil
	}
	t := p.Action.Traits()
	if !t.Pointed() || len(t.Points) != 1 {
		return p, nil
	}
	key, list := t.Points[0], elementsOf(ctx, s)
	place, digit, is := screen.SecretPlace(list, key, about(s, p.Decision), secret.Named)
	if !is {
		return p, nil
	}
	r.entered += digit
	text, err := json.Marshal(lastKey{key, r.entered})
	if err == nil {
		err = r.keep(ctx, store.Secret{QuestionID: keyID(r.run), Text: string(text)})
	}
	if err != nil {
		return p, err
	}
	p.Decision = actions.Decision{Explain: r.words.Key, Secret: true, Key: &key,
		Action: actions.Moved(p.Action, func(screen.Point) screen.Point { return place })}
	p.Caption = ""
	p.Tries = slices.Clone(p.Tries)
	for i := range p.Tries {
		t := &p.Tries[i]
		if t.Reply = r.words.Key; i > 0 { // it quotes the reply before
			t.Prompt = r.words.Key
		}
		if t.Error != "" {
			t.Error = r.words.Key
		}
	}
	p.History = slices.Clone(p.History)
	for i := range p.History {
		if t := &p.History[i]; t.Step == s.Step {
			t.Did, t.Reply = r.words.Key, actions.Reply{Text: r.words.Key}
		}
	}
	return p, nil
}

// elementsOf lists the elements of the screen. It waits for them no longer than a gate does, since
// screens that never rest have none.
func elementsOf(ctx context.Context, s agentloop.Situation) []screen.Element {
	if s.Screen.Elements != nil || s.Reader == nil {
		return s.Screen.Elements
	}
	const longest, least = 5 * time.Second, time.Second
	ctx, cancel := context.WithTimeout(ctx, max(longest-time.Since(s.Screen.At), least))
	defer cancel()
	list, _ := s.Reader.Elements(ctx) // without them the words decide
	return list
}

var oneDigit = regexp.MustCompile(`(?:^|\P{Nd})\p{Nd}(?:\P{Nd}|$)`)

// about is what a touch is for, in the model's words. The task's count where they name one digit.
func about(s agentloop.Situation, d actions.Decision) string {
	said := strings.TrimSpace(d.Explain + "\n" + d.Thought)
	if oneDigit.MatchString(said) {
		return said + "\n" + s.Task
	}
	return said
}

// fewest digits that are taken for the secret where they stand in other words.
const fewest = 4

// hideEntered puts the placeholder for the digits that were entered, also where they stand apart.
func (r *redactingPolicy) hideEntered(p agentloop.Proposal) agentloop.Proposal {
	if len([]rune(r.entered)) < fewest || p.Action == nil {
		return p
	}
	apart := strings.Join(strings.Split(r.entered, ""), `[\s,，、.-]*`)
	whole := regexp.MustCompile(`(^|\P{Nd})` + apart + `(\P{Nd}|$)`)
	action := p.Action
	p = redact(p, func(s string) string {
		return whole.ReplaceAllString(s, "${1}"+SecretWord+"${2}")
	})
	if action.Traits().Kind == actions.KindText { // it is typed unchanged
		p.Action = action
	}
	return p
}
