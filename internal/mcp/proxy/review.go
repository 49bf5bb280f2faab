package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
)

// call passes a call on if the rules or a person allow it.
func (g *gate) call(ctx context.Context, l *link, m *message) (*message, error) {
	if g.opts.Guard == nil && g.opts.Target.URL == "" { // a remote server may need headers
		inquiry.PartOf(ctx).Leave()
		return l.request(ctx, m)
	}
	c, err := readCall(g.opts, transport.Principal(ctx), m)
	if err != nil {
		return nil, err
	}
	if c.tool, err = l.tool(ctx, c.m, c.name, false); err != nil {
		return nil, err
	}
	c.others = l.tools.all()
	if words := c.disguised(); words != "" && g.opts.Guard != nil {
		return errorResult(m, words), nil
	}
	c.part = inquiry.PartOf(ctx)
	d := g.judge(c)
	switch d.Verdict {
	case guard.Allow:
		c.part.Leave()
		return l.request(ctx, c.withHeaders(c.m))
	case guard.Ask, guard.HandOver:
		if r, ok := g.rounds.take(c); ok {
			c.part.Leave()
			return g.continueRound(ctx, l, c, r)
		}
		// nothing is passed on that the decision is not about
		if c.m, err = withoutRetry(c.m); err != nil {
			return nil, err
		}
		switch leave, err := g.unasked(ctx, c, d); {
		case err != nil:
			return nil, fmt.Errorf("not carried out: leave to do it could not be used: %w", err)
		case leave:
			c.part.Leave()
			return l.request(ctx, c.withHeaders(c.m))
		}
		return g.review(ctx, l, c, d)
	}
	why := cmp.Or(d.Reason, "a rule of this place forbids it")
	return errorResult(m, "not allowed here: "+why), nil
}

// review asks a person about a call, and carries out the decision. The decision is marked as used
// on disk before the call is passed on.
func (g *gate) review(ctx context.Context, l *link, c *toolCall, d guard.Decision) (
	*message, error) {
	if g.opts.Questions == nil {
		return errorResult(c.m, "not allowed here: it needs a person, and nobody can be asked"), nil
	}
	began := time.Now()
	budget := g.opts.Wait(transport.ClientName(ctx))
	for {
		q, err := g.claim(ctx, c, d)
		if err != nil {
			return nil, fmt.Errorf("not carried out: "+
				"the question to a person could not be asked: %w", err)
		}
		if form := g.askInResult(ctx, c, q); form != nil {
			g.claims.release(q.ID)
			return form, nil
		}
		transport.Begun(ctx) // a person may take long
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
		if d := c.decision(q).Type; d == inquiry.Approve || d == inquiry.Edit {
			if moved, err = g.toolChanged(ctx, l, c); err != nil {
				return nil, fmt.Errorf("not carried out: %w", err)
			}
		}
		err = c.part.Apply(ctx, g.opts.Questions, q)
		switch {
		case errors.Is(err, inquiry.ErrApplied): // by another call
		case err != nil:
			return nil, fmt.Errorf("not carried out: the answer could not be taken: %w", err)
		case q.Status == inquiry.Answered && time.Since(q.Resolution.At) > g.opts.Expires:
			// the person saw it too long ago
		case moved: // the person saw the tool as it was before
			if now := g.judge(c); now.Verdict == guard.Ask {
				d = now
			}
		default:
			return g.execute(ctx, l, c, q)
		}
	}
}

// decision returns what a person has decided about the call; without a type if nothing.
func (c *toolCall) decision(q inquiry.Question) inquiry.Decision {
	if q.Status != inquiry.Answered || len(q.Resolution.Decisions) <= c.at {
		return inquiry.Decision{}
	}
	return q.Resolution.Decisions[c.at]
}

// toolChanged looks the tool up again, and reports whether it has changed since the person saw it.
func (g *gate) toolChanged(ctx context.Context, l *link, c *toolCall) (bool, error) {
	before := c.tool.digest
	var err error
	c.tool, err = l.tool(ctx, c.m, c.name, true)
	return c.tool.digest != before, err
}

// pending says that there is no decision yet, and which call returns it.
func pending(c *toolCall, q inquiry.Question) string {
	return fmt.Sprintf("no answer yet: a person has to decide about this call, and nothing was "+
		"carried out. Call %s again with the same arguments to get the outcome; an approval is "+
		"used once. (question %s)", c.name, q.ID)
}
