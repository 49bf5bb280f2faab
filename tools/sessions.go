package tools

import (
	"context"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/tools/result"
)

type listArgs struct {
	State store.State `json:"state,omitempty"`
	Limit int         `json:"limit" default:"20" min:"1" max:"100"`
}

// list lists the caller's sessions.
func (t *tasks) list(ctx context.Context, c *call, a listArgs) (*toolResult, error) {
	found, err := t.Store.Sessions(ctx,
		store.Filter{Client: &c.principal, State: a.State, Limit: a.Limit})
	if err != nil {
		return nil, err
	}
	body := result.Sessions{Sessions: []result.Session{}}
	for _, o := range found {
		if o.Latest == nil {
			continue
		}
		listed, err := t.listed(ctx, o)
		if runs.CodeOf(err) == runs.SessionNotFound { // deleted meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		body.Sessions = append(body.Sessions, listed)
	}
	r := &toolResult{text: func() string { return sessionsSaid(&body, c.messages) }}
	return r, c.fit(r, &body)
}

func (t *tasks) listed(ctx context.Context, o store.Overview) (result.Session, error) {
	st := runs.Status{Session: o.Session, Run: *o.Latest, Reason: o.Latest.StopReason}
	if !st.Run.State.Terminal() {
		var err error
		if st, err = t.Runs.Status(ctx, o.ID); err != nil {
			return result.Session{}, err
		}
	}
	listed := result.Session{
		SessionID: o.ID, RunID: st.Run.ID, DeviceID: o.Serial, Task: st.Run.Task,
		State: st.Run.State, Reason: st.Reason,
		Steps: st.Session.Steps, CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt, Next: Next(st),
	}
	if st.Run.State == store.Completed {
		listed.Answer = &st.Run.Answer
	}
	if st.Question != nil {
		listed.Question = t.questions.shown(*st.Question)
	}
	return listed, nil
}
