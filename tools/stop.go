package tools

import (
	"context"
	"time"

	"github.com/taploop/taploop/runs"
)

type stopArgs struct {
	SessionID string        `json:"session_id" max:"200"`
	Mode      runs.StopMode `json:"mode" default:"cancel"`
}

// stop stops a run, and returns once the phone is left alone.
func (t *tasks) stop(ctx context.Context, c *call, a stopArgs) (*reply, error) {
	began := time.Now()
	sess, err := t.Runs.Session(ctx, a.SessionID, c.principal)
	if err != nil {
		return nil, err
	}
	st, err := t.Runs.Stop(ctx,
		runs.StopRequest{SessionID: sess.ID, Mode: a.Mode, By: c.actor()})
	if err != nil {
		return nil, err
	}
	show, err := resultOptionsOf(st.Settings)
	if err != nil {
		return nil, err
	}
	st.Waited = time.Since(began)
	return t.render(ctx, c, st, &callState{show: show})
}
