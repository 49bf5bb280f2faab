package runs

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
)

// distinct removes empty and duplicate options, which a model may produce.
func distinct(options []string) (list []string) {
	seen := map[string]bool{"": true}
	for _, o := range options {
		o = text.Lines(o)
		if words := strings.TrimSpace(o); !seen[words] {
			seen[words] = true
			list = append(list, o)
		}
	}
	return list
}

// CheckEdit returns an error if e cannot replace an action that a person was asked about. It
// applies the checks for a model's actions, and requires an action on the phone. It is for
// inquiry.Options.
func CheckEdit(_ inquiry.ActionRequest, e inquiry.EditedAction) error {
	a, err := actions.Named(e.Name, e.Args)
	if err != nil {
		return err
	}
	if _, on := a.(actions.Gesture); !on {
		return fmt.Errorf("%s is no action on the phone", e.Name)
	}
	return nil
}

// reviewed adds to the question what a person needs to decide about the action of q.
func (m *Manager) reviewed(asked *inquiry.Question, q agentloop.Question) error {
	if q.Review == nil || q.Action == nil {
		return nil
	}
	args, err := actions.Args(q.Action)
	if err != nil {
		return err
	}
	r, name := q.Review, q.Action.Verb()
	allowed := r.Allowed
	if len(allowed) == 0 {
		allowed = inquiry.DecisionTypes
	}
	body := &inquiry.Approval{
		ActionRequests: []inquiry.ActionRequest{{Name: name, Args: args,
			Description: cmp.Or(r.Description, actions.Describe(q.Action))}},
		ReviewConfigs: []inquiry.ReviewConfig{{ActionName: name, AllowedDecisions: allowed}},
		Severity:      inquiry.Severity(r.Severity), Bound: r.Bound,
		Element: r.Element, Reason: r.Reason, Rule: r.Rule,
	}
	for _, p := range q.Action.Traits().Points {
		body.Places = append(body.Places, inquiry.Place{X: p.X, Y: p.Y})
	}
	// The action can only be decided on, not answered in words.
	asked.Body = body
	asked.Secret = false
	asked.OnTimeout = m.opts.OnUndecided
	return nil
}
