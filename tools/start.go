package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/runs"
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
func (t *tasks) start(ctx context.Context, c *call, a startArgs) (*reply, error) {
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
func (t *tasks) either(ctx context.Context, c *call, a eitherArgs) (*reply, error) {
	reset := a.SessionID == ""
	if a.Reset != nil {
		reset = *a.Reset
	}
	if a.SessionID != "" {
		if a.Key != "" {
			return nil, invalid("leave idempotency_key out; reply_id does the same for an answer",
				"idempotency_key is for a new task, and there is a session_id")
		}
		return t.goOn(ctx, c, continueArgs{a.SessionID, a.Task, a.ReplyMode, reset, "", a.replyArgs,
			a.runArgs})
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
