package usecase

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// Wait waits for a run to change.
type Wait struct {
	SessionID  string   `json:"session_id" max:"200"`
	QuestionID string   `json:"question_id,omitempty" max:"200" listed:"inquiry"`
	Since      int      `json:"since_step,omitempty" max:"1000000"`
	Seconds    *float64 `json:"wait_seconds,omitempty" max:"3600"`
	Detail     detail   `json:"detail,omitempty" listed:"captions"`
}

// Wait waits for a run to change. One that was paused because no client waited continues, unless
// the call only looks.
func (u *Cases) Wait(ctx context.Context, c *Call, a Wait) (*Outcome, error) {
	w := &wait{began: time.Now(), budget: c.Budget(a.Seconds), question: a.QuestionID,
		Outcome: Outcome{Since: a.Since}}
	st, err := u.statusOf(ctx, c, a.SessionID)
	if err != nil {
		return nil, err
	}
	w.Status = st
	if w.Shown, err = shownOf(st.Settings); err != nil {
		return nil, err
	}
	if a.Detail != "" {
		w.Shown = w.Shown.with(a.Detail)
	}
	if err := u.askedIn(ctx, c, st.Session.ID, a.QuestionID); err != nil {
		return nil, err
	}
	if st.Run.State == store.Paused && st.Reason == agentloop.ClientDetached && w.budget > 0 {
		detach := u.opts.Runs.Attach(st.Session.ID) // before it continues
		defer detach()
		if w.Status, w.NotPickedUp = u.opts.Runs.PickUp(ctx, st.Session.ID); w.NotPickedUp != nil {
			w.Status = st
		}
	}
	return u.follow(ctx, c, w)
}

// askedIn refuses a question that no run of the session has asked. It allows "".
func (u *Cases) askedIn(ctx context.Context, c *Call, sessionID, questionID string) error {
	if questionID == "" {
		return nil
	}
	q, err := u.Questions.Question(ctx, c, questionID)
	if err != nil && runs.CodeOf(err) != QuestionNotFound {
		return err
	}
	if err == nil && q.SessionID == sessionID && q.RunID != "" {
		return nil
	}
	no := mend("leave %s out to wait for the run", ArgQuestion).because(
		"no run of session %s has asked a question %s", sessionID, text.Quote(questionID, 60))
	no.code = runs.NoOpenQuestion
	return &refusedNext{no, without("it waits for the run", ArgQuestion)}
}

// Stop stops a run.
type Stop struct {
	SessionID string        `json:"session_id" max:"200"`
	Mode      runs.StopMode `json:"mode" default:"cancel"`
}

// Stop stops a run, and returns once the phone is left alone.
func (u *Cases) Stop(ctx context.Context, c *Call, a Stop) (*Outcome, error) {
	began := time.Now()
	sess, err := u.opts.Runs.Session(ctx, a.SessionID, c.Owners())
	if err != nil {
		return nil, err
	}
	st, err := u.opts.Runs.Stop(ctx, runs.StopRequest{SessionID: sess.ID, Mode: a.Mode, By: c.By})
	if err != nil {
		return nil, err
	}
	st.Waited = time.Since(began)
	return u.outcome(ctx, st)
}

// steer says the request's message to a run that is under way, and waits for it.
func (u *Cases) steer(ctx context.Context, c *Call, a Continue, before runs.Status) (
	*Outcome, error) {
	if a.Task != "" || a.Words != "" || a.Decisions != nil || a.ReplyType != "" {
		return nil, mend("leave %s out, or send it in a call by itself", ArgMessage).because(
			"%s is said to a task that is under way, and comes alone", ArgMessage)
	}
	_, err := u.Message(ctx, c, Message{SessionID: before.Session.ID, Text: a.Message, Key: a.Key})
	if err != nil {
		return nil, err
	}
	return u.Wait(ctx, c, Wait{SessionID: before.Session.ID, Since: before.Session.Steps,
		Seconds: a.Seconds})
}

// Message says something to a run without stopping it.
type Message struct {
	SessionID string                `json:"session_id" max:"200"`
	Text      string                `json:"text" max:"2000"`
	Mode      agentloop.MessageMode `json:"mode" default:"note"`
	Key       string                `json:"idempotency_key,omitempty" max:"200"`
}

// Message says something to a run that is going, waiting or paused, and returns at once.
func (u *Cases) Message(ctx context.Context, c *Call, a Message) (*Outcome, error) {
	st, err := u.statusOf(ctx, c, a.SessionID)
	if err != nil {
		return nil, err
	}
	st, err = u.opts.Runs.Say(ctx, runs.SayRequest{SessionID: st.Session.ID, Text: a.Text,
		Mode: a.Mode, Key: a.Key, By: c.By})
	if err != nil {
		return nil, err
	}
	return u.outcome(ctx, st)
}
