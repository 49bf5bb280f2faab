package tools

import (
	"context"
	"slices"
	"time"

	"github.com/taploop/taploop/tools/result"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

func waitParams() []param {
	question := questionParam
	question.words = "A question that you know of: while it is open the call goes on waiting, for somebody who answers it elsewhere."
	return []param{
		sessionParam, question,
		{name: "since_step", kind: integer, max: 1_000_000,
			words: "Only the steps after this one are listed: pass the global_step_idx of the last result. Left out, all steps of the last start or continue."},
		secondsParam,
	}
}

// wait waits for a run to change. One that was paused because nobody waited goes on, unless the call only looks.
func (t *Tools) wait(ctx context.Context, c *call) (*reply, error) {
	began := time.Now()
	st, err := t.statusOf(ctx, c, c.args.text("session_id"))
	if err != nil {
		return nil, err
	}
	s, err := showsIn(st.Settings)
	if err != nil {
		return nil, err
	}
	f := &following{status: st, shows: s, began: began, since: c.args.int("since_step"), question: c.args.text("question_id")}
	if err := t.asksIn(ctx, c, st.Session.ID, f.question); err != nil {
		return nil, err
	}
	if st.Run.State == session.Paused && st.Reason == agentloop.ClientDetached && c.budget() > 0 {
		detach := t.opts.Runs.Attach(st.Session.ID) // before it goes on
		defer detach()
		if f.status, f.hindrance = t.opts.Runs.PickUp(ctx, st.Session.ID); f.hindrance != nil {
			f.status = st
		}
	}
	return t.follow(ctx, c, f)
}

// asksIn refuses a question that no run of the session has asked; "" is none.
func (t *Tools) asksIn(ctx context.Context, c *call, sessionID, questionID string) error {
	if questionID == "" {
		return nil
	}
	q, err := t.question(ctx, c, questionID)
	if err == nil && q.SessionID == sessionID && q.RunID != "" || err != nil && result.NewFailure(err).Code != string(questionNotFound) {
		return err
	}
	return runs.Refuse(runs.NoOpenQuestion, "leave question_id out to wait for the run", "no run of session %s has asked a question %s", sessionID, brief(questionID))
}

func stopParams() []param {
	return []param{
		sessionParam,
		{name: "mode", kind: textual, enum: []string{string(runs.Cancel), string(runs.Pause)}, def: string(runs.Cancel),
			words: "cancel ends the run for good; pause lets it be continued."},
	}
}

// stop stops a run, and returns once the phone is left alone.
func (t *Tools) stop(ctx context.Context, c *call) (*reply, error) {
	began := time.Now()
	id := c.args.text("session_id")
	if _, err := t.opts.Runs.Session(ctx, id, c.principal); err != nil {
		return nil, err
	}
	st, err := t.opts.Runs.Stop(ctx, runs.StopRequest{SessionID: id, Mode: runs.StopMode(c.args.text("mode")),
		By: runs.Actor{Door: inquiry.ChannelMCP, Authority: inquiry.AuthorityClientModel, Name: c.principal}})
	if err != nil {
		return nil, err
	}
	s, err := showsIn(st.Settings)
	if err != nil {
		return nil, err
	}
	st.Waited = time.Since(began)
	return t.render(ctx, c, st, &following{shows: s})
}

// following is a call that waits for a run.
type following struct {
	status   runs.Status
	shows    shows
	began    time.Time
	reply    string // the answer that the call gave, as it may be shown
	since    int    // the steps after this one are listed; 0 means those of the present call of the run
	question string // a question whose settling is waited for

	hindrance error    // why a run was not picked up, or nil
	notes     []string // for the result
}

// follow waits for the run within the call's budget, tells progress, shows its questions to the client's user when that is
// wanted, and renders what is true then. When ctx ends first the call detaches and the run goes on.
func (t *Tools) follow(ctx context.Context, c *call, f *following) (*reply, error) {
	detach := t.opts.Runs.Attach(f.status.Session.ID)
	defer detach()
	budget := c.budget()
	st, form, err := t.attend(ctx, c, f, f.began.Add(budget))
	if err != nil || form != nil {
		return form, err
	}
	st.Waited, st.Budget = time.Since(f.began), budget
	if st.Reason == agentloop.ClientDetached {
		st.Mend = pickUp
		if f.hindrance != nil {
			st.Message, st.Mend = f.hindrance.Error(), hint.Of(f.hindrance)
		}
	}
	return t.render(ctx, c, st, f)
}

// attend waits until end. form is not nil when the client has to ask its user first, and call again.
func (t *Tools) attend(ctx context.Context, c *call, f *following, end time.Time) (st runs.Status, form *reply, err error) {
	st = f.status
	elicits := slices.Contains(st.Settings.ReplyMode.Doors(), runs.Elicit)
	for {
		if q := inForm(st); q != nil && time.Now().Before(end) {
			if form, err := t.elicit(ctx, c, f, *q, end); err != nil || form != nil {
				return st, form, err
			}
		}
		left := max(time.Until(end), 0)
		req := runs.WaitRequest{SessionID: f.status.Session.ID, SinceStep: f.since, Budget: left}
		known := st.Question != nil && st.Question.ID == f.question && inForm(st) == nil
		if known || !elicits {
			req.QuestionID = f.question
		}
		if known && elicits { // it may be the form's turn later
			req.Budget = min(left, untilTurn(*st.Question, st.Door))
		}
		if st, err = t.await(ctx, c, st, req); err != nil {
			return st, nil, err
		}
		again := inForm(st) != nil || elicits && st.Question != nil && st.Question.ID == f.question && st.Run.State == session.WaitingReply
		if !again || !time.Now().Before(end) {
			return st, nil, nil
		}
	}
}

func (t *Tools) await(ctx context.Context, c *call, st runs.Status, req runs.WaitRequest) (runs.Status, error) {
	if c.told.token == nil {
		return t.opts.Runs.Wait(ctx, req)
	}
	return t.awaitAloud(ctx, c, st, req)
}
