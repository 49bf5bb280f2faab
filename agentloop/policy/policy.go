package policy

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptrace"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// repairs is how often a model is asked again after a reply that is no action.
const repairs = 2

var _ agentloop.Policy = (*Policy)(nil)

// Next asks for the next action, and asks again after a reply without one. The error is
// agentloop.ErrUnreadable with the last reply's *dialect.ParseError if no reply was an action,
// agentloop.ErrDiverged if a cassette has no answer, ctx's cause if ctx ended, and otherwise the
// model's own, with what the model wrote before it. Once an endpoint has refused tools, it is asked
// without them.
func (p *Policy) Next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	if p.in != nil {
		return p.in[words.Spoken(s.Task)].Next(ctx, s)
	}
	if !p.noTools.Load() {
		out, err := p.next(ctx, s)
		if p.toolless == nil || !RefusesTools(err) {
			return out, err
		}
	}
	out, err := p.toolless.next(ctx, s)
	if err == nil || errors.Is(err, agentloop.ErrUnreadable) { // it was the tools
		p.noTools.Store(true)
		p.warn(ctx, &s, &out, agentloop.Warning{Setting: "model.dialect", Text: fmt.Sprintf(
			"the endpoint takes no tools, so the model is asked in the dialect %s; "+
				"set model.dialect: %[1]s", p.toolless.dialect.Profile().Name)})
	}
	return out, err
}

// RefusesTools reports whether err is an endpoint's that takes no tools.
func RefusesTools(err error) bool {
	refused, is := errors.AsType[*model.Error](err)
	return is && refused.NoTools()
}

// next is Next in the policy's own dialect.
func (p *Policy) next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	var out agentloop.Proposal
	now := p.situation(ctx, &s)
	out.Elements = now.Screen.Elements
	asked, err := p.dialect.Prompt(now)
	if err != nil {
		return out, err
	}
	for {
		reply, err := p.ask(ctx, &s, asked, &out)
		if err != nil {
			return out, withReplies(out.Tries, err)
		}
		d, err := p.dialect.Parse(reply, now)
		if err != nil {
			d, err = p.detect(ctx, &s, &now, reply, err, &out)
		}
		if err == nil {
			out.Decision = d
			out.History = p.remember(&s, &now, reply, d)
			return out, nil
		}
		out.Tries[len(out.Tries)-1].Error = err.Error()
		p.log.WarnContext(ctx, "unreadable reply", "step", s.Step, "try", len(out.Tries),
			"dialect", p.dialect.Profile().Name, "err", err)
		if len(out.Tries) > repairs {
			return out, unreadable(out.Tries, err)
		}
		asked.Messages = append(asked.Messages, p.dialect.Repair(reply, err)...)
	}
}

// Ready reports why the model cannot be asked. It returns nil if no reason is known beforehand.
func (p *Policy) Ready(ctx context.Context) error { return known(agentloop.Ready(ctx, p.model)) }

// known is an error of the model's as the loop knows it.
func known(err error) error {
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.Unauthorized {
		return hint.Add(fmt.Errorf("%w: %w", agentloop.ErrKeyRefused, err), hint.Of(err))
	}
	return diverged(err)
}

// remember is what the model is shown again from the next step on: the newest turns, as many as the
// dialect wants.
func (p *Policy) remember(
	s *agentloop.Situation, now *dialect.Situation, reply actions.Reply, d actions.Decision,
) []actions.Turn {
	kept := p.dialect.Profile().Turns
	if kept == 0 {
		return nil
	}
	all := append(slices.Clone(s.History), dialect.Remember(now, s.Step, reply, d))
	return all[max(len(all)-kept, 0):]
}

// ask calls the model once and records the call. A reply that comes after ctx ended is recorded and
// not used.
func (p *Policy) ask(
	ctx context.Context, s *agentloop.Situation, asked dialect.Request, out *agentloop.Proposal,
) (actions.Reply, error) {
	if ctx.Err() != nil {
		return actions.Reply{}, ended(ctx)
	}
	start := time.Now()
	what := request(asked)
	what.Sight = Sight(s.Step, s.Task, s.Screen)
	r, err := p.model.Complete(replying(ctx, s), what)
	try := agentloop.Try{Prompt: transcript(asked), Took: time.Since(start)}
	if err != nil {
		try.Error = err.Error()
		out.Tries = append(out.Tries, try)
		return actions.Reply{}, known(err)
	}
	reply := replyOf(&r)
	try.Reply, try.Model = p.dialect.Transcript(reply), r.Model
	try.PromptTokens = r.Usage.PromptTokens
	try.CompletionTokens = r.Usage.CompletionTokens
	out.Tries = append(out.Tries, try)
	if ctx.Err() != nil {
		return actions.Reply{}, ended(ctx)
	}
	return reply, nil
}

// replying returns ctx for a request. The first part of a reply is reported when it arrives.
func replying(ctx context.Context, s *agentloop.Situation) context.Context {
	if s.Replying == nil {
		return ctx
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: s.Replying})
}

// ended is why ctx ended. errors.Is finds both what ended it and the cause that its owner gave.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("deciding: %w (%w)", cause, ctx.Err())
	}
	return fmt.Errorf("deciding: %w", ctx.Err())
}

// quotedReply is how many characters of a reply are quoted.
const quotedReply = 200

// withReplies is err with the replies that came before it: they are in no step that could show
// them.
func withReplies(tries []agentloop.Try, err error) error {
	var wrote []string
	for _, t := range tries {
		if t.Reply != "" {
			wrote = append(wrote, text.Quote(text.Line(t.Reply), quotedReply))
		}
	}
	if len(wrote) == 0 {
		return err
	}
	return fmt.Errorf("%w; before that it wrote what could not be read: %s", err,
		strings.Join(wrote, ", "))
}

func unreadable(tries []agentloop.Try, last error) error {
	err := fmt.Errorf("%w: %d tries, the last: %w; it wrote: %s", agentloop.ErrUnreadable,
		len(tries), last, text.Quote(text.Line(tries[len(tries)-1].Reply), quotedReply))
	return hint.Add(err, "`taploop sessions show SESSION` prints what the model wrote; one that "+
		"does not keep to the form needs more room (model.max_tokens) or to give way to one "+
		"that was trained for phones (model.name)")
}
