package runs

import (
	"context"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/inquiry/route"
	"github.com/taploop/taploop/internal/text"
)

// Park implements agentloop.Parker. It stores the question with the frame that it is about.
func (x *execution) Park(ctx context.Context, q agentloop.Question) error {
	asked := inquiry.Question{
		SessionID: x.run.SessionID,
		RunID:     x.run.ID,
		Fence:     x.run.Fence,
		Step:      q.Step,
		Kind:      inquiry.Kind(q.Kind),
		Task:      q.Task,
		Text:      q.Text,
		Options:   distinct(q.Options),
		FreeText:  q.FreeText,
		Round:     q.Round,
		OnTimeout: x.m.opts.OnTimeout,
	}
	if q.Look.Frame != nil {
		asked.Frame = x.run.FrameID(q.Step) // kept with the step's intent
	}
	asked.Secret = asked.AsksForSecret()
	if q.Secret != nil {
		asked.Secret, asked.Public = *q.Secret, !*q.Secret
	}
	err := route.Plan(&asked, x.settings.ReplyMode, x.m.opts.Attention, x.m.opts.Channels)
	if err != nil {
		return err
	}
	asked.Turn = x.m.router.First(asked)
	if asked, err = x.m.broker.Open(ctx, asked); err == nil {
		x.parked = &asked
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
