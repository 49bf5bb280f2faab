package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/text"
)

// maxOpen is how many questions of one client may be open.
const maxOpen = 100

// unapplied returns the questions of a client whose answers were not used yet.
func (g *gate) unapplied(ctx context.Context, client string) ([]inquiry.Question, error) {
	return g.opts.Questions.List(ctx, inquiry.Filter{Client: &client, Unapplied: true, NoRun: true})
}

// claim returns the question about the call: an unapplied one about the same call that no other
// call waits for, such as one of a client that gave up, or a new one.
func (g *gate) claim(ctx context.Context, c *toolCall, d guard.Decision) (
	inquiry.Question, error) {
	asks := g.question(ctx, c, d)
	if c.part != nil {
		transport.Begun(ctx) // other calls are waited for
	}
	q, at, err := c.part.Ask(ctx, g.opts.Questions, asks)
	if c.at = max(at, 0); err != nil || at >= 0 {
		return q, err
	}
	g.claims.mu.Lock()
	defer g.claims.mu.Unlock()
	list, err := g.unapplied(ctx, c.client)
	if err != nil {
		return inquiry.Question{}, err
	}
	open := 0
	for _, q := range list {
		if q.Open() {
			open++
		}
		if g.claimable(q, c) {
			g.claims.held[q.ID] = true
			return q, nil
		}
	}
	if open >= maxOpen {
		return inquiry.Question{}, fmt.Errorf("%d questions are open (at most %d)", open, maxOpen)
	}
	if q, err = g.opts.Questions.Open(ctx, asks); err == nil {
		g.claims.held[q.ID] = true
	}
	return q, err
}

// claimable reports whether q is about c and free. The question that the client has shown is the
// call's own even if another call waits for it as well.
func (g *gate) claimable(q inquiry.Question, c *toolCall) bool {
	return inquiry.As[inquiry.Approval](q).Bound == c.approvalKey() &&
		(q.ID == c.form || c.form == "" && !g.claims.held[q.ID])
}

// question is the question about a call, which a person is asked.
func (g *gate) question(ctx context.Context, c *toolCall, d guard.Decision) inquiry.Question {
	allowed, names := g.allowed(c, d)
	act := &consent.Act{Server: g.opts.Name, Tool: c.name, Agent: transport.ClientName(ctx),
		Because: d.Reasons}
	if of := transport.BehalfOf(ctx); of.Goal != "" {
		act.Agent, act.Goal = of.Role, of.Goal
	}
	act.ByHand = d.Verdict == guard.HandOver // and the result is reported
	args := inquiry.Args{}
	_ = json.Unmarshal(c.m.Param("arguments"), &args) // the rules have read them
	act.Object = consent.ObjectOf(args)
	said := act.Describe(g.opts.Lang)
	q := inquiry.Question{
		Kind:   inquiry.KindApproval,
		Client: c.client,
		Body: &inquiry.Approval{
			Bound: c.approvalKey(),
			Act:   act,
			ActionRequests: []inquiry.ActionRequest{{Name: c.name, Args: args,
				Description: cmp.Or(d.Description,
					c.subject(g.opts.Name).Describe(c.name+" of "+g.opts.Name))}},
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: c.name, AllowedDecisions: allowed,
				ArgsSchema: c.tool.schema}},
			EditNames: names,
			Severity:  inquiry.Severity(d.Severity.String()),
			Reason:    d.Reason,
			Rule:      d.Rule,
			Target:    c.subject(g.opts.Name).Target(),
			Server:    g.opts.Name,
		},
		SessionID: g.opts.Session,
		Task:      said.Who,
		Text:      said.Headline + "\n" + said.Wants,
		OnTimeout: cmp.Or(g.opts.OnUndecided, inquiry.Pause),
	}
	if transport.CanElicit(ctx) && transport.Person(ctx) {
		q.Channels = append(q.Channels, inquiry.Channel{Name: inquiry.ChannelElicit})
	}
	for _, name := range g.opts.Channels {
		q.Channels = append(q.Channels, inquiry.Channel{Name: name})
	}
	return q
}

// allowed returns what may be decided about a call, and the names of edited calls by its name.
func (g *gate) allowed(c *toolCall, d guard.Decision) ([]string, map[string][]string) {
	allowed := slices.Clone(d.Allowed)
	if d.Verdict == guard.HandOver {
		allowed = []string{inquiry.Respond, inquiry.Reject}
	}
	if c.tool.schema == nil {
		allowed = slices.DeleteFunc(allowed, func(s string) bool { return s == inquiry.Edit })
	}
	switch {
	case len(allowed) == 0:
		return []string{inquiry.Approve, inquiry.Reject}, nil
	case slices.Contains(allowed, inquiry.Edit):
		return allowed, map[string][]string{c.name: g.editNames(c)}
	}
	return allowed, nil
}

// editNames returns the names of tools that may be called in the place of c.
func (g *gate) editNames(c *toolCall) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(c.others)) {
		other := &toolCall{name: name, tool: c.others[name]}
		if name != "" && name != c.name && len(names) < maxOthers && g.replaces(c, other) {
			names = append(names, name)
		}
	}
	return names
}

// replaces reports whether a person who decides about c may put the other call in its place: one
// that does no more harm.
func (g *gate) replaces(c, other *toolCall) bool {
	d := g.judge(other)
	return d.Verdict == guard.Allow || d.Verdict == guard.Ask &&
		d.Severity <= g.judge(c).Severity && (c.tool.destructive || !other.tool.destructive)
}

// showsForm reports whether the client can show the question to its user, whose decision counts.
func showsForm(ctx context.Context, q inquiry.Question) bool {
	return transport.CanElicit(ctx) && (transport.Person(ctx) || !q.ForPeople())
}

// askInResult asks the client's user under 2026-07-28. It returns a result that asks the client for
// the form, or nil if the client has brought the answer or its user has closed the form.
func (g *gate) askInResult(ctx context.Context, c *toolCall, q inquiry.Question) *message {
	shown := c.form == q.ID
	if !transport.Stateless(ctx) || !q.Open() || !shown && !showsForm(ctx, q) {
		return nil
	}
	if !shown {
		return inputRequired(c.m, q, "")
	}
	c.form = "" // another question needs another form
	var r mcp.CallToolRequest
	_ = json.Unmarshal(c.answers, &r.Params.InputResponses) // otherwise there is no answer
	reply, ok := replyOf(ctx, q, transport.Answer(r, formID))
	if !ok {
		return nil
	}
	_, err := g.opts.Questions.Resolve(ctx, q.ID, reply)
	if _, is := errors.AsType[*inquiry.InvalidReplyError](err); is {
		return inputRequired(c.m, q, err.Error())
	}
	return nil // settled, by this answer or another
}

// wait waits for the decision, at most for budget, and tells the client of the question meanwhile.
// It returns the question's state at the end.
func (g *gate) wait(ctx context.Context, c *toolCall, q inquiry.Question, budget time.Duration) (
	inquiry.Question, error) {
	if !q.Open() {
		return q, nil
	}
	waiting, cancel := context.WithTimeout(ctx, max(budget, 0))
	defer cancel()
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer cancel()
	helpers.Go(func() { g.report(waiting, c, q) })
	if showsForm(ctx, q) && !transport.Stateless(ctx) {
		helpers.Go(func() { g.elicit(waiting, q) })
	}
	now, err := g.opts.Questions.Wait(waiting, q.ID)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return g.opts.Questions.Get(ctx, q.ID)
	}
	if err != nil {
		return q, err
	}
	return now, nil
}

// report repeats the question in progress messages, if the client asks for progress. Their values
// are small, because the other server's must be larger.
func (g *gate) report(ctx context.Context, c *toolCall, q inquiry.Question) {
	if c.token == nil {
		return
	}
	beat := time.NewTicker(g.opts.Heartbeat)
	defer beat.Stop()
	meta := map[string]any{"type": "INQUIRY", "inquiryId": q.ID, "question_id": q.ID,
		"question": q.Text, "kind": q.Kind}
	for n := 1; ; n++ {
		err := transport.Progress(ctx, c.token, float64(n)*1e-6, 0,
			"a person has to decide about "+text.Cut(text.Line(c.name), 100)+" (question "+q.ID+")",
			meta)
		if err != nil {
			return
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			return
		}
	}
}

// elicit shows the question to the client's user. If it cannot be shown, or is closed without an
// answer, the question stays open on its other channels.
func (g *gate) elicit(ctx context.Context, q inquiry.Question) {
	answer, _ := transport.Elicit(ctx, form(q))
	r, ok := replyOf(ctx, q, answer)
	if !ok {
		return
	}
	if _, err := g.opts.Questions.Resolve(ctx, q.ID, r); err != nil {
		g.opts.Log.Info("an answer from a client's form was not taken", "question", q.ID, "error",
			err)
	}
}
