package tools

import (
	"cmp"
	"context"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
	"github.com/taploop/taploop/tools/schema"
)

type continueArgs struct {
	SessionID string `json:"session_id,omitempty" max:"200"`
	Task      string `json:"task,omitempty" max:"20000"`
	ReplyMode string `json:"reply_mode,omitempty" max:"200" listed:"no"`
	Reset     bool   `json:"reset_environment" default:"false" listed:"no"`
	Key       string `json:"idempotency_key,omitempty" max:"200" listed:"no"`
	replyArgs
	runArgs
}

// goOn answers, gives more steps, or begins a related task.
func (t *tasks) goOn(ctx context.Context, c *call, a continueArgs) (*reply, error) {
	began := time.Now()
	if a.SessionID == "" {
		var err error
		a.SessionID, err = t.newestOn(ctx, c, a.Device)
		if c.gelab && a.Task != "" && a.Reply == "" && runs.CodeOf(err) == runs.SessionNotFound {
			return t.start(ctx, c, startArgs{Task: a.Task, ReplyMode: a.ReplyMode, Reset: a.Reset,
				runArgs: a.runArgs})
		}
		if err != nil {
			return nil, err
		}
	}
	before, err := t.statusOf(ctx, c, a.SessionID)
	if err != nil {
		return nil, err
	}
	if t.Goals != nil && before.Session.Phoneless() {
		return t.goOnWithGoal(ctx, c, a)
	}
	if a.Reply != "" || c.given["decisions"] {
		a.ReplyID = cmp.Or(a.ReplyID, a.Key)
	}
	answer, err := a.answer(c)
	if err != nil {
		return nil, err
	}
	set, err := t.settings(c, a.runArgs, a.ReplyMode, before.Settings)
	if err != nil {
		return nil, err
	}
	st, err := t.Runs.Continue(ctx, runs.ContinueRequest{
		SessionID: before.Session.ID, Serial: a.Device, Task: a.Task, Reply: answer,
		QuestionID: a.QuestionID, MaxSteps: a.MaxSteps, ResetEnvironment: a.Reset,
		Queue: a.Queue, Settings: &set, Key: a.Key,
	})
	if err != nil {
		return nil, err
	}
	s := &callState{status: st, show: a.show(), began: began, budget: c.budget(a.Seconds),
		notes: t.cutSteps(c, a.MaxSteps)}
	if answer != nil {
		s.reply = answer.Response
		if st.Answered != nil && st.Answered.Secret {
			s.reply = inquiry.Masked
		}
	}
	return t.follow(ctx, c, s)
}

// newestOn is the caller's session that changed last on the phone.
func (t *tasks) newestOn(ctx context.Context, c *call, serial string) (string, error) {
	if serial == "" {
		return "", runs.Coded(runs.InvalidArgument, schema.Missing("session_id",
			"pass session_id as the result that began the session names it, or device_id for "+
				"your newest session on that phone"))
	}
	found, err := t.Store.Sessions(ctx,
		session.Filter{Client: &c.principal, Serial: serial, Limit: 1})
	if err == nil && len(found) == 0 {
		err = runs.Refuse(runs.SessionNotFound,
			"pass the session_id of another session, or start a task on that phone",
			"you have no session on phone %s", text.Quote(serial, 60))
	}
	if err != nil {
		return "", err
	}
	return found[0].ID, nil
}

// decisionsOf are the decisions in arguments.
func decisionsOf(list []decision) ([]inquiry.Decision, error) {
	out := make([]inquiry.Decision, len(list))
	for i, d := range list {
		out[i] = inquiry.Decision{Type: d.Type, Message: d.Message}
		if len(d.Edited) == 0 || string(d.Edited) == "null" {
			continue
		}
		var err error
		if out[i].EditedAction, err = inquiry.ParseEdit(string(d.Edited)); err != nil {
			return nil, invalid("pass edited_action as {name, args}", "decision %d: %w", i+1, err)
		}
	}
	return out, nil
}

// answer is the answer in the arguments, nil when there is none.
func (a replyArgs) answer(c *call) (*inquiry.Reply, error) {
	if c.given["decisions"] && (a.Reply != "" || a.ReplyType != "") {
		return nil, invalid("pass decisions about actions that wait for them, "+
			"reply_from_client for anything else", "there are both decisions and an answer")
	}
	if a.Reply != "" || c.given["decisions"] ||
		a.ReplyType != "" && a.ReplyType != inquiry.TypeAnswer {
		r := &inquiry.Reply{Response: a.Reply, Type: a.ReplyType, Remember: a.Remember,
			ID: a.ReplyID, Channel: inquiry.ChannelMCP}
		if c.given["decisions"] {
			var err error
			r.Type = inquiry.TypeDecisions
			if r.Decisions, err = decisionsOf(a.Decisions); err != nil {
				return nil, err
			}
		}
		if c.by != nil {
			r.Channel, r.Authority, r.By = c.by.Channel, c.by.Authority, c.by.Name
			if r.Type == inquiry.TypeDecisions && !inquiry.IsPerson(r.Authority) {
				r.Authority = inquiry.AuthorityToken
			}
		}
		return r, nil
	}
	without := func(name string) error {
		return invalid("pass reply_from_client with your user's answer, or leave "+name+" out",
			"%s is for an answer, and reply_from_client is missing", name)
	}
	switch {
	case a.QuestionID != "":
		return nil, without("question_id")
	case a.ReplyID != "":
		return nil, without("reply_id")
	case a.Remember != "":
		return nil, without("remember")
	}
	return nil, nil
}
