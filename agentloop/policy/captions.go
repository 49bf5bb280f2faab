package policy

import (
	"context"
	"log/slog"
	"sync"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/screen"
)

// Describer words a frame in view of a task.
type Describer interface {
	Describe(ctx context.Context, task string, f *screen.Frame) (string, error)
}

// WithCaptions returns p with the frame in words as Proposal.Caption, described while p decides.
// Next waits for both; when p fails, describing is called off. A caption that cannot be had is
// logged and left empty: it fails no step. opts may be nil.
func WithCaptions(p agentloop.Policy, d Describer, opts *Options) agentloop.Policy {
	return &captioned{p, d, opts.log()}
}

type captioned struct {
	agentloop.Policy
	describer Describer
	log       *slog.Logger
}

func (c *captioned) Next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	if s.Look.Frame == nil {
		return c.Policy.Next(ctx, s)
	}
	describing, callOff := context.WithCancel(ctx)
	defer callOff()
	var caption string
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() { caption, failed = c.describer.Describe(describing, s.Task, s.Look.Frame) })
	out, err := c.Policy.Next(ctx, s)
	if err != nil {
		callOff()
	}
	wg.Wait()
	keepCaption(describing, c.log, s, &out, caption, failed)
	return out, err
}

// WithFinalCaption returns p with the frame in words as Proposal.Caption where the decision ends
// the run or asks a question: the frame that the task's giver wants to know of.
// Otherwise it is as [WithCaptions].
func WithFinalCaption(p agentloop.Policy, d Describer, opts *Options) agentloop.Policy {
	return &finallyCaptioned{p, d, opts.log()}
}

type finallyCaptioned struct {
	agentloop.Policy
	describer Describer
	log       *slog.Logger
}

func (c *finallyCaptioned) Next(
	ctx context.Context, s agentloop.Situation,
) (agentloop.Proposal, error) {
	out, err := c.Policy.Next(ctx, s)
	if err != nil || s.Look.Frame == nil {
		return out, err
	}
	switch out.Action.(type) {
	case actions.Complete, actions.Abort, actions.Info:
		caption, failed := c.describer.Describe(ctx, s.Task, s.Look.Frame)
		keepCaption(ctx, c.log, s, &out, caption, failed)
	}
	return out, nil
}

// keepCaption puts a caption into the proposal, or logs why there is none, unless that was because
// ctx ended.
func keepCaption(
	ctx context.Context, log *slog.Logger, s agentloop.Situation, p *agentloop.Proposal,
	caption string, err error,
) {
	if err == nil {
		p.Caption = caption
	} else if ctx.Err() == nil {
		log.WarnContext(ctx, "no caption", "step", s.Step, "err", err)
	}
}
