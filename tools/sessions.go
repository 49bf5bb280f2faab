package tools

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// sessionsResult is what list_sessions returns.
type sessionsResult struct {
	Sessions []listed `json:"sessions"`
	Error    *Failure `json:"error"`
}

// listed is a session in a list.
type listed struct {
	SessionID string               `json:"session_id"`
	RunID     string               `json:"run_id"`
	DeviceID  string               `json:"device_id"`
	Task      string               `json:"task"`
	State     session.State        `json:"state"`
	Reason    agentloop.StopReason `json:"stop_reason"`
	Steps     int                  `json:"global_step_idx"`
	Answer    *string              `json:"answer"`
	Question  *Question            `json:"question"`
	Next      *Next                `json:"next"`
	CreatedAt time.Time            `json:"created_at"`
	UpdatedAt time.Time            `json:"updated_at"`
}

func sessionsParams() []param {
	var states []string
	for _, s := range allStates {
		states = append(states, string(s))
	}
	return []param{
		{name: "state", kind: text, enum: states, words: "Only sessions whose last run is in this state. Left out, all."},
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
	body := sessionsResult{Sessions: []listed{}}
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
	r := &reply{body: body}
	for _, n := range []int{1000, 200, 50} {
		for i := range body.Sessions {
			body.Sessions[i].shorten(n)
		}
		if size, err := r.size(); err != nil || size <= maxResult {
			return r, err
		}
	}
	return r, nil
}

func (t *Tools) listed(ctx context.Context, o session.Overview) (listed, error) {
	st := runs.Status{Session: o.Session, Run: *o.Latest, Reason: o.Latest.StopReason}
	if !st.Run.State.Terminal() {
		var err error
		if st, err = t.opts.Runs.Status(ctx, o.ID); err != nil {
			return listed{}, err
		}
	}
	l := listed{SessionID: o.ID, RunID: st.Run.ID, DeviceID: o.Serial, Task: st.Run.Task, State: st.Run.State, Reason: st.Reason, Steps: st.Session.Steps,
		CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt, Next: nextOf(st)}
	if st.Run.State == session.Completed {
		l.Answer = &st.Run.Answer
	}
	if st.Question != nil {
		l.Question = t.questionNow(*st.Question)
	}
	return l, nil
}

func (l *listed) shorten(n int) {
	l.Task = cut(l.Task, n)
	if l.Answer != nil {
		a := cut(*l.Answer, n)
		l.Answer = &a
	}
	if l.Question != nil {
		l.Question.shorten(n)
	}
}
