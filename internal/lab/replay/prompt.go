package replay

import (
	"context"
	"errors"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/model"
)

// Prompt is the prompt of a step.
type Prompt struct {
	dialect.Request
	Bare bool // it numbers elements, and the record has none
}

// PromptOf returns the prompt of a stored step in the dialect, or nil if no model was asked at it
// or its picture is gone. It asks no model. Options.Policy is not used.
func PromptOf(ctx context.Context, src source, sessionID string, step int, d dialect.Dialect,
	o Options) (*Prompt, error) {
	p := &prompter{Dialect: d, step: step}
	o.Policy = p
	_, err := Run(ctx, src, sessionID, o)
	if p.prompt != nil && errors.Is(err, errPrompted) {
		return p.prompt, nil
	}
	return nil, err
}

// errPrompted ends a replay at the step that is wanted.
var errPrompted = errors.New("this is the prompt that was wanted")

// prompter keeps the prompt of one step, and asks no model.
type prompter struct {
	dialect.Dialect
	step   int
	prompt *Prompt
}

// Prompt implements dialect.Dialect.
func (p *prompter) Prompt(s dialect.Situation) (dialect.Request, error) {
	asked, err := p.Dialect.Prompt(s)
	p.prompt = &Prompt{asked, p.Profile().Elements && len(s.Screen.Elements) == 0}
	return asked, err
}

// Complete implements policy.Completer.
func (p *prompter) Complete(context.Context, model.Request) (model.Response, error) {
	return model.Response{}, errPrompted
}

// Next implements agentloop.Policy.
func (p *prompter) Next(
	ctx context.Context, s agentloop.Situation,
) (agentloop.Proposal, error) {
	if s.Step != p.step {
		return agentloop.Proposal{}, agentloop.ErrUnreadable // this step is skipped
	}
	return policy.New(p, p, nil).Next(ctx, s)
}
