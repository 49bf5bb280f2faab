package runs

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/consent"
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

// bodyOf returns what the loop's question asks for: its own body, an approval of the action that it
// has a review of, the options that it offers, or that of its kind.
func bodyOf(q agentloop.Question) (inquiry.Body, error) {
	empty := inquiry.Kind(q.Kind).Empty()
	_, asks := empty.(*inquiry.Ask)
	_, byHand := empty.(*inquiry.Takeover)
	switch {
	case q.Body != nil:
		body, is := q.Body.(inquiry.Body)
		if !is {
			return nil, fmt.Errorf("a question has a body of the type %T (want an inquiry.Body)",
				q.Body)
		}
		return body, nil
	case q.Review != nil && q.Action != nil:
		return approvalOf(q)
	case byHand:
		return &inquiry.Takeover{Says: q.Says}, nil
	case asks:
		return &inquiry.Ask{Options: distinct(q.Options), FreeText: q.FreeText,
			Personal: q.Personal}, nil
	}
	return empty, nil
}

// approvalOf returns what a person needs to decide about the action of q.
func approvalOf(q agentloop.Question) (*inquiry.Approval, error) {
	args, err := actions.Args(q.Action)
	if err != nil {
		return nil, err
	}
	r, name := q.Review, q.Action.Verb()
	allowed := r.Allowed
	if len(allowed) == 0 {
		allowed = inquiry.DecisionTypes
	}
	act, is := r.Act.(*consent.Act)
	if !is {
		act = &consent.Act{Verb: name}
	}
	body := &inquiry.Approval{
		ActionRequests: []inquiry.ActionRequest{{Name: name, Args: args,
			Description: cmp.Or(r.Description, actions.Describe(q.Action))}},
		ReviewConfigs: []inquiry.ReviewConfig{{ActionName: name, AllowedDecisions: allowed}},
		Severity:      inquiry.Severity(r.Severity), Bound: r.Bound,
		Element: r.Element, Reason: r.Reason, Rule: r.Rule,
		Act: act, Target: r.Target,
	}
	if q.Hidden {
		delete(args, "at")
		return body, nil
	}
	for _, p := range q.Action.Traits().Points {
		body.Places = append(body.Places, inquiry.Place{X: p.X, Y: p.Y})
	}
	return body, nil
}
