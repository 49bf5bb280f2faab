package asking

import (
	"context"
	"errors"
	"fmt"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/decider"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/store/export"
)

// Decider decides a question, or drafts an answer, on behalf of a person. *decider.Decider
// implements it.
type Decider interface {
	Decide(ctx context.Context, c *decider.Case) (decider.Verdict, error)
	Name() string // of its model, shown to people
}

// deciderChannel is the channel at which a deciding model is asked.
type deciderChannel struct {
	asks    *Desk
	name    channel.Mode
	decider Decider
}

// Ask implements route.Asker.
func (d deciderChannel) Ask(ctx context.Context, q inquiry.Question) error {
	v, err := d.asks.consult(ctx, d.decider, q)
	if err != nil {
		return err
	}
	r := d.name.Answer(v.Answer)
	r.By = d.decider.Name()
	_, err = d.asks.broker.Resolve(ctx, q.ID, r)
	return inquiry.UnlessLate(err)
}

// consult asks a deciding model. It adds the cost to the question and to the run that asked it, if
// there is one.
func (d *Desk) consult(ctx context.Context, by Decider, q inquiry.Question) (
	decider.Verdict, error) {
	if err := q.ForModels(); err != nil {
		return decider.Verdict{}, err
	}
	c, err := d.caseOf(ctx, q)
	if err != nil {
		return decider.Verdict{}, err
	}
	v, err := by.Decide(ctx, c)
	spending, cancel := Detached(ctx)
	defer cancel()
	spent := d.broker.Spend(spending, q.ID, inquiry.Spending{Calls: 1, PromptTokens: v.PromptTokens,
		CompletionTokens: v.CompletionTokens, TookMS: v.Took.Milliseconds(), Cost: v.Cost})
	if q.RunID != "" {
		spent = errors.Join(spent, d.store.Runs.Spend(spending, q.RunID, agentloop.Try{Took: v.Took,
			PromptTokens: v.PromptTokens, CompletionTokens: v.CompletionTokens}))
	}
	if spent != nil {
		d.log.Warn("what a decision cost is not counted", "question", q.ID, "session",
			q.SessionID, "err", spent)
	}
	d.log.Info("a model was asked", "question", q.ID, "session", q.SessionID, "run", q.RunID,
		"model", by.Name(), "took", v.Took, "prompt_tokens", v.PromptTokens,
		"completion_tokens", v.CompletionTokens, "err", err)
	return v, err
}

// caseOf returns the case that a Decider is given for the question.
func (d *Desk) caseOf(ctx context.Context, q inquiry.Question) (*decider.Case, error) {
	c := &decider.Case{Question: q, Frame: frameOf(ctx, d.store, q)}
	if q.RunID == "" {
		return c, nil
	}
	run, err := d.store.Runs.Get(ctx, q.RunID)
	if err != nil {
		return nil, err
	}
	steps, err := d.store.Steps(ctx, q.SessionID, 0)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		if s.RunID == q.RunID {
			c.Steps = append(c.Steps, fmt.Sprintf("%d. %s", s.Index, export.Line(s.Step)))
		}
		if s.Index == q.Step {
			c.Caption = s.Proposal.Caption
		}
	}
	c.Notes = run.Progress.Remembered
	if run.Progress.Summary != "" {
		c.Notes = append(c.Notes[:len(c.Notes):len(c.Notes)], run.Progress.Summary)
	}
	asked, err := d.broker.List(ctx, inquiry.Filter{RunID: q.RunID})
	for _, other := range asked {
		if r := other.Resolution; r != nil {
			c.Earlier = append(c.Earlier, fmt.Sprintf("%q: %s, %q", other.Text, other.Status,
				r.Response.String()))
		}
	}
	return c, err
}

// passOn sets which models are asked when a reply is no answer. It leaves out models that may not
// be asked this question.
func (d *Desk) passOn(q *inquiry.Question, mode channel.Mode) {
	if q.ForModels() != nil {
		if q.OnTimeout.Model() != "" {
			q.OnTimeout = inquiry.Pause
		}
		return
	}
	q.Fallback = map[inquiry.Type]string{}
	if d.opts.OnRefusal != "" {
		q.Fallback[inquiry.TypeDecline] = string(d.opts.OnRefusal)
	}
	named := []channel.Mode{d.opts.OnRefusal, channel.Mode(q.OnTimeout.Model())}
	if steps, err := mode.Steps(); err == nil {
		for _, s := range steps {
			named = append(named, channel.Mode(s.Name))
		}
	}
	for _, mode := range append(named, d.opts.Draft) {
		if mode.IsModel() {
			q.Fallback[inquiry.TypeDelegate] = string(mode)
			break
		}
	}
}

// Inquire asks a question that belongs to no run. It asks through the channels of q, and the
// deciding models of the mode at their places among them.
func (d *Desk) Inquire(ctx context.Context, q inquiry.Question, mode channel.Mode) (
	inquiry.Question, error) {
	steps, err := mode.Steps()
	if err != nil {
		return q, err
	}
	var kept []channel.Step
	models := false
	for _, s := range steps {
		is := channel.Mode(s.Name).IsModel()
		models = models || is
		if is || q.Index(s.Name) >= 0 {
			kept = append(kept, s)
		}
	}
	d.passOn(&q, mode)
	if !models || q.ForModels() != nil {
		return d.broker.Open(ctx, q)
	}
	attention, until := q.AttentionUntil, q.ExpiresAt
	rest := q.Channels
	q.Channels = nil
	if err := route.Plan(&q, channel.Of(kept), d.opts.Attention, nil); err != nil {
		return q, err
	}
	for _, c := range rest {
		if q.Index(c.Name) < 0 {
			q.Channels = append(q.Channels, c)
		}
	}
	if !attention.IsZero() { // the caller has said when silence counts
		q.AttentionUntil, q.ExpiresAt = attention, until
	}
	q.Routing = d.router.First(q)
	return d.broker.Open(ctx, q)
}

// IsOurs reports whether this process handles the question: it carries out the run, or there is
// none.
func (d *Desk) IsOurs(q inquiry.Question) (bool, error) {
	if q.RunID == "" {
		return true, nil
	}
	run, err := d.store.Runs.Get(d.ctx, q.RunID)
	return err == nil && !d.store.Owner.Elsewhere(run), err
}

// Opened handles a question that was opened, or found at startup. It asks the deciding model if the
// question belongs to no run, and has an answer drafted.
func (d *Desk) Opened(q inquiry.Question) {
	if len(d.opts.Deciders) == 0 { // another process may have the models
		return
	}
	if q.RunID == "" && q.Routing.Channel != "" {
		d.router.Route(q.ID)
	}
	by := d.opts.Deciders[d.opts.Draft]
	if by == nil || q.Suggestion != nil || inquiry.As[inquiry.Ask](q).Draft != "" ||
		q.ForModels() != nil {
		return
	}
	if mine, err := d.IsOurs(q); err != nil || !mine {
		return
	}
	v, err := d.consult(d.ctx, by, q)
	if err == nil {
		err = d.broker.Suggest(d.ctx, q.ID,
			inquiry.Suggestion{Answer: v.Answer, By: by.Name()})
	}
	if err != nil && d.ctx.Err() == nil {
		d.log.Warn("no draft of an answer", "question", q.ID, "session", q.SessionID, "err", err)
	}
}

// Overdue lets a model, if there is one, answer a question that got no attention or was passed on.
func (d *Desk) Overdue(q inquiry.Question) {
	mine, err := d.IsOurs(q)
	model := d.askers[q.OnTimeout.Model()]
	switch {
	case err != nil || !mine, q.Deferred != nil && len(d.opts.Deciders) == 0:
	case q.Deferred != nil:
		d.router.Reroute(q, route.ErrPassedOn)
	case model != nil:
		err = model.Ask(d.ctx, q)
	}
	if err != nil && d.ctx.Err() == nil {
		d.log.Warn("no model's answer", "question", q.ID, "session", q.SessionID, "err", err)
	}
}
