package tools

import (
	"context"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/runs"
)

type messageArgs struct {
	SessionID string                `json:"session_id" max:"200"`
	Text      string                `json:"text" max:"2000"`
	Mode      agentloop.MessageMode `json:"mode" default:"note"`
	Key       string                `json:"idempotency_key,omitempty" max:"200"`
}

// message says something to a run that goes on, waits or is paused, and returns at once.
func (t *tasks) message(ctx context.Context, c *call, a messageArgs) (*reply, error) {
	st, err := t.statusOf(ctx, c, a.SessionID)
	if err != nil {
		return nil, err
	}
	show, err := resultOptionsOf(st.Settings)
	if err != nil {
		return nil, err
	}
	st, err = t.Runs.Say(ctx, runs.SayRequest{SessionID: st.Session.ID, Text: a.Text, Mode: a.Mode,
		Key: a.Key, By: c.actor()})
	if err != nil {
		return nil, err
	}
	return t.render(ctx, c, st, &callState{show: show})
}
