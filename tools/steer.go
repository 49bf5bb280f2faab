package tools

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

type waitArgs struct {
	SessionID  string   `json:"session_id" max:"200"`
	QuestionID string   `json:"question_id,omitempty" max:"200" listed:"no"`
	Since      int      `json:"since_step,omitempty" max:"1000000"`
	Seconds    *float64 `json:"wait_seconds,omitempty" max:"3600"`
	Detail     detail   `json:"detail,omitempty" listed:"no"`
}

// wait waits for a run to change. One that was paused because no client waited goes on, unless the
// call only looks.
func (t *tasks) wait(ctx context.Context, c *call, a waitArgs) (*toolResult, error) {
	s := &callState{began: time.Now(), budget: c.budget(a.Seconds), since: a.Since,
		question: a.QuestionID}
	st, err := t.statusOf(ctx, c, a.SessionID)
	if err != nil {
		return nil, err
	}
	s.status = st
	if s.show, err = resultOptionsOf(st.Settings); err != nil {
		return nil, err
	}
	if a.Detail != "" {
		s.show = s.show.with(a.Detail)
	}
	if err := t.askedIn(ctx, c, st.Session.ID, a.QuestionID); err != nil {
		return nil, err
	}
	if st.Run.State == store.Paused && st.Reason == agentloop.ClientDetached && s.budget > 0 {
		detach := t.Runs.Attach(st.Session.ID) // before it goes on
		defer detach()
		if s.status, s.resumeErr = t.Runs.PickUp(ctx, st.Session.ID); s.resumeErr != nil {
			s.status = st
		}
	}
	return t.follow(ctx, c, s)
}

// askedIn refuses a question that no run of the session has asked; "" is none.
func (t *tasks) askedIn(ctx context.Context, c *call, sessionID, questionID string) error {
	if questionID == "" {
		return nil
	}
	q, err := t.questions.get(ctx, c, questionID)
	if err != nil && runs.CodeOf(err) != questionNotFound {
		return err
	}
	if err == nil && q.SessionID == sessionID && q.RunID != "" {
		return nil
	}
	return &redirect{runs.Refuse(runs.NoOpenQuestion, "leave question_id out to wait for the run",
		"no run of session %s has asked a question %s", sessionID, text.Quote(questionID, 60)),
		c.repeated(map[string]any{"question_id": nil}, "it waits for the run")}
}

type stopArgs struct {
	SessionID string        `json:"session_id" max:"200"`
	Mode      runs.StopMode `json:"mode" default:"cancel"`
}

// stop stops a run, and returns once the phone is left alone.
func (t *tasks) stop(ctx context.Context, c *call, a stopArgs) (*toolResult, error) {
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

type messageArgs struct {
	SessionID string                `json:"session_id" max:"200"`
	Text      string                `json:"text" max:"2000"`
	Mode      agentloop.MessageMode `json:"mode" default:"note"`
	Key       string                `json:"idempotency_key,omitempty" max:"200"`
}

// message says something to a run that goes on, waits or is paused, and returns at once.
func (t *tasks) message(ctx context.Context, c *call, a messageArgs) (*toolResult, error) {
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
