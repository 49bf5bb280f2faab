package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// claims are the questions that a call waits for in this process. Each call that asks has one of
// its own: one approval is never that of two calls.
type claims struct {
	mu   lock // also held while a call looks for its question
	held map[string]bool
}

func (c *claims) release(id string) { c.mu.do(func() { delete(c.held, id) }) }

// maxOpen is how many questions of one client may be open.
const maxOpen = 100

// review puts a call to a person, and does what is decided. The decision is taken once, on disk,
// before anything is passed on.
func (g *gate) review(ctx context.Context, l *link, c *toolCall, d guard.Decision) (
	*message, error) {
	if g.opts.Questions == nil {
		return errorResult(c.m, "not allowed here: it needs a person, and nobody can be asked"), nil
	}
	began := time.Now()
	budget := g.opts.Wait(transport.ClientName(ctx), c.token != nil)
	for {
		q, err := g.claim(ctx, c, d)
		if err != nil {
			return nil, fmt.Errorf("not carried out: "+
				"the question to a person could not be asked: %w",
				err)
		}
		if form := g.askInResult(ctx, c, q); form != nil {
			g.claims.release(q.ID)
			return form, nil
		}
		q, err = g.wait(ctx, c, q, budget-time.Since(began))
		g.claims.release(q.ID)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, fmt.Errorf("not carried out: the answer could not be read: %w", err)
		case q.Open():
			return errorResult(c.m, pending(c, q)), nil
		}
		moved := false
		if passes(q) {
			if moved, err = g.toolChanged(ctx, l, c); err != nil {
				return nil, fmt.Errorf("not carried out: %w", err)
			}
		}
		_, err = g.opts.Questions.Apply(ctx, q.ID, q.Fence)
		switch {
		case errors.Is(err, inquiry.ErrApplied): // by another call
		case err != nil:
			return nil, fmt.Errorf("not carried out: the answer could not be taken: %w", err)
		case q.Status == inquiry.Answered && time.Since(q.Resolution.At) > g.opts.Expires:
			// the person saw it too long ago
		case moved: // the person saw another tool
			if now := g.judge(c); now.Verdict == guard.Ask {
				d = now
			}
		default:
			return g.execute(ctx, l, c, q)
		}
	}
}

// passes reports whether a person has decided to pass the call on.
func passes(q inquiry.Question) bool {
	if q.Status != inquiry.Answered || len(q.Resolution.Decisions) != 1 {
		return false
	}
	d := q.Resolution.Decisions[0].Type
	return d == inquiry.Approve || d == inquiry.Edit
}

// toolChanged looks the tool up again, and reports whether it is another one than the person saw.
func (g *gate) toolChanged(ctx context.Context, l *link, c *toolCall) (bool, error) {
	before := c.tool.digest
	var err error
	c.tool, err = l.tools.tool(ctx, c, true)
	return c.tool.digest != before, err
}

// pending says that there is no decision yet, and what call brings it.
func pending(c *toolCall, q inquiry.Question) string {
	return fmt.Sprintf("no answer yet: a person has to decide about this call, and nothing was "+
		"carried out. Call %s again with the same arguments to get the outcome; an approval is "+
		"used once. (question %s)", c.name, q.ID)
}

// claim is the question about the call: one that was asked for the same before and that no call
// waits for, such as one of a client that gave up, or a new one.
func (g *gate) claim(ctx context.Context, c *toolCall, d guard.Decision) (
	inquiry.Question, error) {
	g.claims.mu.Lock()
	defer g.claims.mu.Unlock()
	list, err := g.opts.Questions.List(ctx, inquiry.Filter{Client: &c.client, Unapplied: true,
		NoRun: true})
	if err != nil {
		return inquiry.Question{}, err
	}
	open := 0
	for _, q := range list {
		if q.Open() {
			open++
		}
		// the question that the client has shown is its own, whoever waits for it as well
		if q.Kind != inquiry.KindApproval || inquiry.As[inquiry.Approval](q).Bound != c.approvalKey() ||
			g.claims.held[q.ID] && q.ID != c.form || c.form != "" && q.ID != c.form {
			continue
		}
		g.claims.held[q.ID] = true
		return q, nil
	}
	if open >= maxOpen {
		return inquiry.Question{}, fmt.Errorf("%d questions are open (at most %d)", open, maxOpen)
	}
	q, err := g.opts.Questions.Open(ctx, g.question(ctx, c, d))
	if err == nil {
		g.claims.held[q.ID] = true
	}
	return q, err
}

// Undecided reports whether there is a question about a call of the tool with the arguments whose
// answer was not taken yet: such a call has not been passed on, and the same one takes the answer.
func (p *Proxy) Undecided(ctx context.Context, tool string, args json.RawMessage) (bool, error) {
	g := &p.gate
	c, err := g.read(ctx, upstream.Request(nil, string(mcp.MethodToolsCall),
		wire.Encode(object{"name": tool, "arguments": args})))
	if err != nil || g.opts.Questions == nil {
		return false, err
	}
	list, err := g.opts.Questions.List(ctx, inquiry.Filter{Client: &c.client, Unapplied: true,
		NoRun: true})
	return slices.ContainsFunc(list, func(q inquiry.Question) bool {
		return q.Kind == inquiry.KindApproval && strings.HasPrefix(inquiry.As[inquiry.Approval](q).Bound, c.bound)
	}), err
}

// question is what a person is asked.
func (g *gate) question(ctx context.Context, c *toolCall, d guard.Decision) inquiry.Question {
	allowed := d.Allowed
	asks := "May %s of %s be called?"
	if d.Verdict == guard.HandOver { // a person does it elsewhere, and says what came of it
		allowed = []string{inquiry.Respond, inquiry.Reject}
		asks = "This is for you to do by hand: %s of %s. What came of it?"
	}
	if c.tool.schema == nil {
		allowed = slices.DeleteFunc(slices.Clone(allowed),
			func(s string) bool { return s == inquiry.Edit })
	}
	if len(allowed) == 0 {
		allowed = []string{inquiry.Approve, inquiry.Reject}
	}
	args := inquiry.Args{}
	_ = json.Unmarshal(wire.At(c.m.Params, "arguments"), &args) // the rules have read them
	q := inquiry.Question{Kind: inquiry.KindApproval, Client: c.client, Body: &inquiry.Approval{Bound: c.approvalKey(), ActionRequests: []inquiry.ActionRequest{{Name: c.name, Args: args,
		Description: d.Description}}, ReviewConfigs: []inquiry.ReviewConfig{{ActionName: c.name, AllowedDecisions: allowed,
		ArgsSchema: c.tool.schema}}, Severity: inquiry.Severity(d.Severity.String()), Reason: d.Reason, Rule: d.Rule},
		SessionID: g.opts.Session,
		Text: fmt.Sprintf(asks, text.Quote(c.name, 100),
			text.Quote(g.opts.Name, 100)),

		OnTimeout: cmp.Or(g.opts.OnUndecided, inquiry.Pause),
	}
	if name := transport.ClientName(ctx); name != "" {
		q.Task = "asked by " + name
	}
	if transport.CanElicit(ctx) {
		q.Channels = append(q.Channels, inquiry.Channel{Name: inquiry.ChannelElicit})
	}
	for _, name := range g.opts.Channels {
		q.Channels = append(q.Channels, inquiry.Channel{Name: name})
	}
	return q
}

// wait waits for the decision, and tells the client of the question. The question is as it is then.
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
	if transport.CanElicit(ctx) && !transport.Stateless(ctx) {
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

// report tells a client that wants progress of the question, again and again. The values are small:
// those of the other server come after them, and have to be larger.
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

// elicit shows the question to the client's user. What cannot be shown, or is closed without an
// answer, leaves the question to its other channels.
func (g *gate) elicit(ctx context.Context, q inquiry.Question) {
	answer, _ := transport.Elicit(ctx, form(q))
	r, ok := replyOf(q, answer)
	if !ok {
		return
	}
	if _, err := g.opts.Questions.Resolve(ctx, q.ID, r); err != nil {
		g.opts.Log.Info("an answer from a client's form was not taken", "question", q.ID, "error",
			err)
	}
}

// replyOf is what the client's user has answered; false when that is nothing.
func replyOf(q inquiry.Question, answer *mcp.ElicitationResult) (r inquiry.Reply, ok bool) {
	if answer == nil {
		return r, false
	}
	r = inquiry.Reply{ID: "form of " + q.ID, Type: inquiry.TypeDecisions,
		Channel: inquiry.ChannelElicit, Authority: inquiry.AuthorityClientUI}
	values, _ := answer.Content.(map[string]any)
	words, _ := values["message"].(string)
	switch answer.Action {
	case mcp.ElicitationResponseActionAccept:
		decision, _ := values["decision"].(string)
		if decision == inquiry.Approve {
			words = ""
		}
		filled, _ := q.Say(inquiry.Said{Name: decision, Words: words}) // what is none is refused
		r.Decisions = filled.Decisions
	case mcp.ElicitationResponseActionDecline:
		r.Type, r.Response = inquiry.TypeDecline, words
	default:
		return r, false
	}
	return r, true
}

// maxShown is how many characters of the arguments a form shows.
const maxShown = 8000

// form is the question as a client shows it. Nobody approves there what is not shown.
func form(q inquiry.Question) mcp.ElicitationParams {
	r := inquiry.As[inquiry.Approval](q).ActionRequests[0]
	args := text.Lines(string(wire.Encode(r.Args)))
	words := q.Text + "\n\n" + text.Cut(args, maxShown)
	whole := text.Cut(args, maxShown) == args
	if !whole {
		words += "\n\nThese are not all of the arguments: what approves the call shows them, " +
			"such as taploop inquiries."
	}
	for _, more := range []string{r.Description, inquiry.As[inquiry.Approval](q).Reason} {
		if more != "" {
			words += "\n\n" + text.Cut(text.Lines(more), 1000)
		}
	}
	var choices []string
	for _, d := range inquiry.As[inquiry.Approval](q).Allowed(0) {
		if d != inquiry.Edit && (whole || d != inquiry.Approve) {
			choices = append(choices, d)
		}
	}
	return mcp.ElicitationParams{Message: words, RequestedSchema: map[string]any{
		"type": "object", "required": []string{"decision"},
		"properties": map[string]any{
			"decision": map[string]any{"type": "string", "enum": choices},
			"message":  map[string]any{"type": "string", "title": "Why, or the answer instead"},
		}}}
}

// execute does what a person has decided.
func (g *gate) execute(ctx context.Context, l *link, c *toolCall, q inquiry.Question) (
	*message, error) {
	switch q.Status {
	case inquiry.Answered:
	case inquiry.Withdrawn:
		return errorResult(c.m, "not carried out: the question was taken back"), nil
	case inquiry.Refused:
		return errorResult(c.m, "refused by the other side"), nil
	default:
		return errorResult(c.m, "no answer in time: nobody decided, "+
			"and nothing was carried out"), nil
	}
	if len(q.Resolution.Decisions) != 1 {
		return errorResult(c.m, "refused by the other side"), nil
	}
	d := q.Resolution.Decisions[0]
	switch d.Type {
	case inquiry.Approve:
		return g.pass(ctx, l, c, c.m, "")
	case inquiry.Edit:
		return g.edited(ctx, l, c, d)
	case inquiry.Respond:
		// a result of a promised shape cannot be made of words
		return textResult(c.m, d.Message, c.tool.result), nil
	}
	said := "refused by the other side"
	if d.Message != "" {
		said += ": " + d.Message
	}
	return errorResult(c.m, said), nil
}

// edited passes a call on with other arguments, and says so in its result.
func (g *gate) edited(ctx context.Context, l *link, c *toolCall, d inquiry.Decision) (
	*message, error) {
	args, err := text.Marshal(cmp.Or(d.EditedAction, &inquiry.EditedAction{}).Args)
	if err != nil || d.EditedAction == nil || d.EditedAction.Name != c.name {
		return errorResult(c.m, "refused by the other side: another action was put in its place, "+
			"which cannot be carried out"), nil
	}
	m, err := c.withArguments(c.m, args)
	if err != nil {
		return nil, err
	}
	return g.pass(ctx, l, c, m, string(args))
}

// withNote is a response that says with which arguments the call was carried out, when a person has
// changed them.
func withNote(c *toolCall, resp *message, args string) *message {
	if args == "" {
		return resp
	}
	var content []json.RawMessage
	if json.Unmarshal(wire.At(resp.Result, "content"), &content) == nil {
		note := wire.Encode(object{"type": "text", "text": "the other side changed the arguments, " +
			"and this was carried out: " + c.name + " " + args})
		content = slices.Insert(content, 0, note)
		resp.Result = wire.With(resp.Result, wire.Encode(content), "content")
	}
	return resp
}
