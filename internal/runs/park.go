package runs

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
)

// Park implements agentloop.Parker. It stores the question with the frame that it is about.
func (w *phoneWork) Park(ctx context.Context, q agentloop.Question) error {
	asked := inquiry.Question{
		SessionID: w.life.Run.SessionID,
		RunID:     w.life.Run.ID,
		Fence:     w.life.Run.Fence,
		Step:      q.Step,
		Kind:      inquiry.Kind(q.Kind),
		Task:      q.Task,
		Text:      q.Text,
		Body:      &inquiry.Ask{Options: distinct(q.Options), FreeText: q.FreeText},

		Round:     q.Round,
		App:       q.Screen.State.App,
		OnTimeout: w.m.opts.OnTimeout,
	}
	mode := w.settings.ReplyMode
	if q.Screen.Frame != nil {
		asked.Frame = w.life.Run.FrameID(q.Step) // kept with the step's intent
	}
	asked.Secret = asked.AsksForSecret()
	if q.Secret != nil {
		asked.Secret, asked.Public = *q.Secret, !*q.Secret
	}
	switch {
	case asked.Kind == inquiry.KindTakeover:
		mode = personalMode(mode)
		asked.Secret = false
		asked.OnTimeout = inquiry.Pause
		asked.Body = &inquiry.Takeover{PeopleOnly: w.takenByPerson}
	case q.Review != nil:
		mode = personalMode(mode)
		if err := w.m.reviewed(&asked, q); err != nil {
			return err
		}
	}
	asked, err := w.m.desk.Open(ctx, asked, mode)
	if err == nil {
		w.parked = &asked
	}
	return err
}

// distinct are the options without those that say nothing, or what another one says: a model may
// write such, and the run goes on.
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

// CheckEdit says why an action cannot take the place of one that a person was asked about: it is
// checked like an action of a model, and has to be one on the phone. It is for inquiry.Options.
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

// reviewed fills in what a person needs to decide about the action of q.
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
	for _, p := range actions.Points(q.Action) {
		body.Places = append(body.Places, inquiry.Place{X: p.X, Y: p.Y})
	}
	// What else it could be answered with is not what is asked.
	asked.Body = body
	asked.Secret = false
	asked.OnTimeout = m.opts.OnUndecided
	return nil
}

// rulingOf is what was decided about the action of a settled question; nil when it is about none.
// Nobody's word is not a consent.
func rulingOf(q inquiry.Question) *agentloop.Ruling {
	if len(inquiry.As[inquiry.Approval](q).ActionRequests) == 0 {
		return nil
	}
	r := &agentloop.Ruling{Type: agentloop.Reject, Severity: string(inquiry.As[inquiry.Approval](q).Severity), Bound: inquiry.As[inquiry.Approval](q).Bound,
		AskedAt: q.AskedAt, At: q.Resolution.At}
	if len(q.Resolution.Decisions) != 1 {
		return r
	}
	d := q.Resolution.Decisions[0]
	r.Type, r.Message = d.Type, d.Message
	if d.Type != inquiry.Edit {
		return r
	}
	a, err := actions.Named(d.EditedAction.Name, d.EditedAction.Args)
	if err != nil { // it was one when it was accepted, by another version
		r.Type, r.Message = agentloop.Reject, err.Error()
		return r
	}
	r.Edited = &actions.Decision{Action: a}
	return r
}
