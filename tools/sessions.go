package tools

import (
	"context"

	"github.com/taploop/taploop/tools/result"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

func sessionsParams() []param {
	var states []string
	for _, s := range allStates {
		states = append(states, string(s))
	}
	return []param{
		{name: "state", kind: textual, enum: states, words: "Only sessions whose last run is in this state. Left out, all."},
		{name: "limit", kind: integer, def: 20, min: 1, max: 100, words: "How many sessions at most."},
	}
}

var allStates = []session.State{session.Queued, session.Running, session.WaitingReply, session.Paused, session.Completed,
	session.Aborted, session.Failed, session.Cancelled, session.Expired}

// listSessions lists the caller's sessions.
func (t *Tools) listSessions(ctx context.Context, c *call) (*reply, error) {
	found, err := t.opts.Store.Sessions(ctx, session.Filter{Client: &c.principal, State: session.State(c.args.text("state")), Limit: c.args.int("limit")})
	if err != nil {
		return nil, err
	}
	body := result.Sessions{Sessions: []result.Session{}}
	for _, o := range found {
		if o.Latest == nil {
			continue
		}
		l, err := t.listed(ctx, o)
		if runs.CodeOf(err) == runs.SessionNotFound { // deleted in this moment
			continue
		}
		if err != nil {
			return nil, err
		}
		body.Sessions = append(body.Sessions, l)
	}
	r := &reply{}
	return r, r.fit(&body)
}

func (t *Tools) listed(ctx context.Context, o session.Overview) (result.Session, error) {
	st := runs.Status{Session: o.Session, Run: *o.Latest, Reason: o.Latest.StopReason}
	if !st.Run.State.Terminal() {
		var err error
		if st, err = t.opts.Runs.Status(ctx, o.ID); err != nil {
			return result.Session{}, err
		}
	}
	l := result.Session{SessionID: o.ID, RunID: st.Run.ID, DeviceID: o.Serial, Task: st.Run.Task, State: st.Run.State, Reason: st.Reason, Steps: st.Session.Steps,
		CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt, Next: nextOf(st)}
	if st.Run.State == session.Completed {
		l.Answer = &st.Run.Answer
	}
	if st.Question != nil {
		l.Question = t.questionNow(*st.Question)
	}
	return l, nil
}
