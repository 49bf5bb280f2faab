package policy

import (
	"context"
	"log/slog"
	"sync"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// describer words a frame in view of a task.
type describer interface {
	Describe(ctx context.Context, task string, f *screen.Frame) (string, error)
}

// WithCaptions returns p with a description of the frame as Proposal.Caption, made while p decides.
// Next waits for both. If p fails, the description is cancelled. A failed description is logged and
// left empty, and fails no step. log may be nil.
func WithCaptions(p agentloop.Policy, d describer, log *slog.Logger) agentloop.Policy {
	return &captioned{p, d, logger(log)}
}

type captioned struct {
	agentloop.Policy
	describer describer
	log       *slog.Logger
}

// Ready asks the policy: a caption that cannot be had fails nothing.
func (c *captioned) Ready(ctx context.Context) error { return agentloop.Ready(ctx, c.Policy) }

func (c *captioned) Next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	if s.Screen.Frame == nil {
		return c.Policy.Next(ctx, s)
	}
	describing, callOff := context.WithCancel(ctx)
	defer callOff()
	var caption string
	var wg sync.WaitGroup
	wg.Go(func() { caption = c.caption(describing, s) })
	out, err := c.Policy.Next(ctx, s)
	if err != nil {
		callOff()
	}
	wg.Wait()
	out.Caption = caption
	return out, err
}

// caption is the frame in words, or "" with a line in the log, unless that is because ctx ended.
func (c *captioned) caption(ctx context.Context, s agentloop.Situation) string {
	caption, err := c.describer.Describe(ctx, s.Task, s.Screen.Frame)
	if err == nil {
		return caption
	}
	if ctx.Err() == nil {
		c.log.WarnContext(ctx, "no caption", "step", s.Step, "err", err)
	}
	return ""
}

// WithFinalCaption returns p with the frame in words as Proposal.Caption where the decision ends
// the run or asks a question: the frame that the task's giver wants to know of.
// Otherwise it is as [WithCaptions].
func WithFinalCaption(p agentloop.Policy, d describer, log *slog.Logger) agentloop.Policy {
	return &finallyCaptioned{captioned{p, d, logger(log)}}
}

type finallyCaptioned struct{ captioned }

func (c *finallyCaptioned) Next(
	ctx context.Context, s agentloop.Situation,
) (agentloop.Proposal, error) {
	out, err := c.Policy.Next(ctx, s)
	if err != nil || s.Screen.Frame == nil {
		return out, err
	}
	switch out.Action.(type) {
	case actions.Complete, actions.Abort, actions.Info:
		out.Caption = c.caption(ctx, s)
	}
	return out, nil
}
