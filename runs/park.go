package runs

import (
	"context"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/inquiry/channel"
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
		App:       q.Look.State.App,
		OnTimeout: x.m.opts.OnTimeout,
	}
	mode := x.settings.ReplyMode
	if q.Look.Frame != nil {
		asked.Frame = x.run.FrameID(q.Step) // kept with the step's intent
	}
	asked.Secret = asked.AsksForSecret()
	if q.Secret != nil {
		asked.Secret, asked.Public = *q.Secret, !*q.Secret
	}
	switch {
	case asked.Kind == inquiry.Takeover:
		mode = personalMode(mode)
		asked.Secret, asked.OnTimeout, asked.PeopleOnly = false, inquiry.Pause, x.taken
	case q.Review != nil:
		mode = personalMode(mode)
		if err := x.m.reviewed(&asked, q); err != nil {
			return err
		}
	}
	asked, err := x.m.openQuestion(ctx, asked, mode)
	if err == nil {
		x.parked = &asked
	}
	return err
}

// openQuestion asks a question of a run through the channels of the mode.
func (m *Manager) openQuestion(
	ctx context.Context, q inquiry.Question, mode channel.Mode,
) (inquiry.Question, error) {
	if err := route.Plan(&q, mode, m.opts.Attention, m.opts.Channels); err != nil {
		return q, err
	}
	m.passOn(&q, mode)
	q.Turn = m.router.First(q)
	return m.broker.Open(ctx, q)
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
