package tools

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/inquiry/channel"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
	"github.com/taploop/taploop/tools/result"
)

type waitArgs struct {
	SessionID  string   `json:"session_id" max:"200"`
	QuestionID string   `json:"question_id,omitempty" max:"200"`
	Since      int      `json:"since_step,omitempty" max:"1000000"`
	Seconds    *float64 `json:"wait_seconds,omitempty" max:"3600"`
}

// wait waits for a run to change. One that was paused because no client waited goes on, unless the
// call only looks.
func (t *tasks) wait(ctx context.Context, c *call, a waitArgs) (*reply, error) {
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
	if err := t.askedIn(ctx, c, st.Session.ID, a.QuestionID); err != nil {
		return nil, err
	}
	if st.Run.State == session.Paused && st.Reason == agentloop.ClientDetached && s.budget > 0 {
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
	return runs.Refuse(runs.NoOpenQuestion, "leave question_id out to wait for the run",
		"no run of session %s has asked a question %s", sessionID, text.Quote(questionID, 60))
}

type stopArgs struct {
	SessionID string        `json:"session_id" max:"200"`
	Mode      runs.StopMode `json:"mode" enum:"cancel,pause" default:"cancel"`
}

// stop stops a run, and returns once the phone is left alone.
func (t *tasks) stop(ctx context.Context, c *call, a stopArgs) (*reply, error) {
	began := time.Now()
	if _, err := t.Runs.Session(ctx, a.SessionID, c.principal); err != nil {
		return nil, err
	}
	by := runs.Actor{Door: inquiry.ChannelMCP, Authority: inquiry.AuthorityClientModel,
		Name: c.principal}
	st, err := t.Runs.Stop(ctx, runs.StopRequest{SessionID: a.SessionID, Mode: a.Mode, By: by})
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

// callState is a call that waits for a run or for an answer.
type callState struct {
	status runs.Status
	show   resultOptions
	began  time.Time
	budget time.Duration
	reply  string // the answer that the call gave, as it may be shown
	// the steps after this one are listed; 0 means those of the present call of the run
	since    int
	question string // a question whose settling is waited for
	from     int    // characters of an answer that an earlier result had

	resumeErr error    // why a run was not picked up, or nil
	notes     []string // for the result
}

// follow waits for the run within the call's budget, reports progress, shows its questions to the
// client's user when that is wanted, and renders what is true then. When ctx ends first the call
// detaches and the run goes on.
func (t *tasks) follow(ctx context.Context, c *call, s *callState) (*reply, error) {
	detach := t.Runs.Attach(s.status.Session.ID)
	defer detach()
	st, form, err := t.attend(ctx, c, s)
	if err != nil || form != nil {
		return form, err
	}
	st.Waited, st.Budget = time.Since(s.began), s.budget
	if st.Reason == agentloop.ClientDetached {
		st.Mend = pickUp
		if s.resumeErr != nil {
			st.Message, st.Mend = s.resumeErr.Error(), hint.Of(s.resumeErr)
		}
	}
	return t.render(ctx, c, st, s)
}

// attend waits within the budget. form is not nil when the client has to ask its user first, and
// call again.
func (t *tasks) attend(ctx context.Context, c *call, s *callState) (
	st runs.Status, form *reply, err error) {
	end := s.began.Add(s.budget)
	st = s.status
	elicits := st.Settings.ReplyMode.Has(channel.Elicit)
	waitedFor := func() bool { return st.Question != nil && st.Question.ID == s.question }
	for {
		if q := questionInForm(st); q != nil && time.Now().Before(end) {
			if form, err := t.forms.ask(ctx, c, s, *q, end); err != nil || form != nil {
				return st, form, err
			}
		}
		left := max(time.Until(end), 0)
		req := runs.WaitRequest{SessionID: s.status.Session.ID, SinceStep: s.since, Budget: left}
		known := waitedFor() && questionInForm(st) == nil
		if known || !elicits {
			req.QuestionID = s.question
		}
		if known && elicits { // it may be the form's turn later
			req.Budget = min(left, untilTurn(*st.Question, st.Asking))
		}
		if st, err = t.await(ctx, c, st, req); err != nil {
			return st, nil, err
		}
		open := elicits && waitedFor() && st.Run.State.Waiting()
		again := questionInForm(st) != nil || open
		if !again || !time.Now().Before(end) {
			return st, nil, nil
		}
	}
}

// await is Manager.Wait, with progress when the client wants it.
func (t *tasks) await(ctx context.Context, c *call, st runs.Status,
	req runs.WaitRequest) (runs.Status, error) {
	if c.progress.token == nil {
		return t.Runs.Wait(ctx, req)
	}
	return watchProgress(ctx, t.Options, c, st, req)
}

// retry takes the answer that comes with a call which is made again, and follows the run. What the
// call had to begin was begun the first time.
func (t *tasks) retry(ctx context.Context, c *call) (*reply, error) {
	q, s, form, err := t.forms.take(ctx, c, t.questions)
	if err != nil || form != nil {
		return form, err
	}
	if s.status, err = t.Runs.Status(ctx, q.SessionID); err != nil {
		return nil, err
	}
	if s.show, err = resultOptionsOf(s.status.Settings); err != nil {
		return nil, err
	}
	return t.follow(ctx, c, s)
}

type listArgs struct {
	State session.State `json:"state,omitempty"`
	Limit int           `json:"limit" default:"20" min:"1" max:"100"`
}

// list lists the caller's sessions.
func (t *tasks) list(ctx context.Context, c *call, a listArgs) (*reply, error) {
	found, err := t.Store.Sessions(ctx,
		session.Filter{Client: &c.principal, State: a.State, Limit: a.Limit})
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
	r := &reply{}
	return r, r.fit(&body)
}

func (t *tasks) listed(ctx context.Context, o session.Overview) (result.Session, error) {
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
		Steps: st.Session.Steps, CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt, Next: nextOf(st),
	}
	if st.Run.State == session.Completed {
		listed.Answer = &st.Run.Answer
	}
	if st.Question != nil {
		listed.Question = t.questions.shown(*st.Question)
	}
	return listed, nil
}

// waiting is how long the call has taken by now.
func (s *callState) waiting() result.Waiting {
	return result.NewWaiting(time.Since(s.began), s.budget)
}
