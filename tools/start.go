package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/tools/schema"
)

// runArgs are those of every tool that begins a run or goes on with one. The phone's steps and the
// waits are bounded more tightly by configuration: what is above that and within these bounds is
// cut down to it.
type runArgs struct {
	Device     string          `json:"device_id,omitempty" max:"200"`
	MaxSteps   int             `json:"max_steps" default:"20" min:"1" max:"1000"`
	Extra      json.RawMessage `json:"extra_info,omitempty" listed:"no"`
	Seconds    *float64        `json:"wait_seconds,omitempty" max:"3600"`
	Queue      bool            `json:"queue" default:"false" listed:"no"`
	DetachedOK bool            `json:"detached_ok,omitempty" listed:"no"`
	showArgs
}

// replyArgs are an answer to a session's question.
type replyArgs struct {
	Reply      string `json:"reply_from_client,omitempty" max:"10000"`
	QuestionID string `json:"question_id,omitempty" max:"200"`
	ReplyID    string `json:"reply_id,omitempty" max:"200" listed:"no"`
	// of a hand-over
	ReplyType inquiry.Type  `json:"reply_type,omitempty" listed:"no"`
	Remember  inquiry.Scope `json:"remember,omitempty" listed:"no"`
	// about actions that wait for them
	Decisions []decision `json:"decisions,omitempty" max:"50" listed:"no"`
}

// decision is an inquiry.Decision as an argument.
type decision struct {
	Type    string          `json:"type" max:"20"`
	Edited  json.RawMessage `json:"edited_action,omitempty"` // an inquiry.EditedAction
	Message string          `json:"message,omitempty" max:"4000"`
}

type startArgs struct {
	Task      string `json:"task" max:"20000"`
	ReplyMode string `json:"reply_mode" max:"200" default:"{reply_mode}"`
	Reset     bool   `json:"reset_environment" default:"true"`
	Key       string `json:"idempotency_key,omitempty" max:"200" listed:"no"`
	Supersede bool   `json:"supersede" default:"false" listed:"no"`
	runArgs
}

// start begins a session with a task.
func (t *tasks) start(ctx context.Context, c *call, a startArgs) (*toolResult, error) {
	began, show := time.Now(), a.show()
	set, err := t.settings(c, a.runArgs, a.ReplyMode, runs.Settings{ReplyMode: t.ReplyMode})
	if err != nil {
		return nil, err
	}
	st, err := t.Runs.Start(ctx, runs.StartRequest{
		Task: a.Task, Serial: a.Device, MaxSteps: a.MaxSteps, KeepEnvironment: !a.Reset,
		Queue: a.Queue, Supersede: a.Supersede, By: c.actor(),
		Client: c.principal, Key: a.Key, Settings: set,
	})
	if err != nil {
		return nil, err
	}
	return t.follow(ctx, c, &callState{status: st, show: show, began: began,
		budget: c.budget(a.Seconds), notes: t.cutSteps(c, a.MaxSteps)})
}

// cutSteps notes that the call has fewer steps than it wanted.
func (t *tasks) cutSteps(c *call, wanted int) []string {
	if t.MaxSteps == 0 || wanted <= t.MaxSteps {
		return nil
	}
	return []string{fmt.Sprintf(c.messages.CutSteps, fmt.Sprint(wanted), fmt.Sprint(t.MaxSteps))}
}

type eitherArgs struct {
	Task      string `json:"task,omitempty" max:"20000"`
	SessionID string `json:"session_id,omitempty" max:"200"`
	ReplyMode string `json:"reply_mode,omitempty" max:"200" listed:"no"`
	Reset     *bool  `json:"reset_environment,omitempty" listed:"no"`
	Key       string `json:"idempotency_key,omitempty" max:"200" listed:"no"`
	Supersede bool   `json:"supersede,omitempty" listed:"no"`
	replyArgs
	runArgs
}

// either starts without a session and continues with one.
func (t *tasks) either(ctx context.Context, c *call, a eitherArgs) (*toolResult, error) {
	reset := a.SessionID == ""
	if a.Reset != nil {
		reset = *a.Reset
	}
	if a.SessionID != "" {
		if a.Key != "" {
			return nil, invalid("leave idempotency_key out; reply_id does the same for an answer",
				"idempotency_key is for a new task, and there is a session_id")
		}
		return t.resume(ctx, c, continueArgs{a.SessionID, a.Task, a.ReplyMode, reset, "",
			a.replyArgs, a.runArgs})
	}
	for _, name := range []string{"reply_from_client", "question_id", "reply_id"} {
		if c.given[name] {
			return nil, runs.Coded(runs.InvalidArgument, schema.Missing("session_id",
				"pass the session_id of the session that asked, or leave "+name+" out"))
		}
	}
	if strings.TrimSpace(a.Task) == "" {
		return nil, invalid("pass a task to start, or a session_id to go on",
			"there is neither a task nor a session_id")
	}
	return t.start(ctx, c, startArgs{a.Task, a.ReplyMode, reset, a.Key, a.Supersede, a.runArgs})
}

type continueArgs struct {
	SessionID string `json:"session_id,omitempty" max:"200"`
	Task      string `json:"task,omitempty" max:"20000"`
	ReplyMode string `json:"reply_mode,omitempty" max:"200" listed:"no"`
	Reset     bool   `json:"reset_environment" default:"false" listed:"no"`
	Key       string `json:"idempotency_key,omitempty" max:"200" listed:"no"`
	replyArgs
	runArgs
}

// resume answers, gives more steps, or begins a related task.
func (t *tasks) resume(ctx context.Context, c *call, a continueArgs) (*toolResult, error) {
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
		Queue: a.Queue, Settings: &set, Key: a.Key, By: c.actor(),
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
		store.Filter{Client: &c.principal, Serial: serial, Limit: 1})
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
			r.Channel, r.Authority = c.by.Channel, c.by.Authority
			r.By = c.by.Name
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
