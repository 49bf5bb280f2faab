package proxy

import (
	"context"

	"github.com/taploop/taploop/internal/guard"
)

// gate decides about each tools/call by the rules, and asks a person.
type gate struct {
	opts   *Options
	claims claims
	rounds rounds
}

// claims are the questions that calls of this process wait for. Each call that asks has its own:
// one approval is never used by two calls.
type claims struct {
	mu   lock // also held while a call looks for its question
	held map[string]bool
}

func (c *claims) release(id string) { c.mu.do(func() { delete(c.held, id) }) }

// judge returns the decision of the rules about a call.
func (g *gate) judge(c *toolCall) guard.Decision {
	if g.opts.Guard == nil {
		return guard.Decision{Verdict: guard.Allow}
	}
	return g.opts.Guard.Decide(*c.subject(g.opts.Name))
}

// subject is the call of a server with that name, for the rules.
func (c *toolCall) subject(server string) *guard.Subject {
	return &guard.Subject{Action: c.name, App: server, Args: c.args, Tool: true,
		Destructive: c.tool.destructive}
}

// unasked reports whether a person has given leave for the call, which is used then.
func (g *gate) unasked(ctx context.Context, c *toolCall, d guard.Decision) (bool, error) {
	if g.opts.Leave == nil || d.Verdict != guard.Ask || d.Severity >= guard.Critical {
		return false, nil
	}
	return g.opts.Leave(ctx, c.client, *c.subject(g.opts.Name), d)
}
