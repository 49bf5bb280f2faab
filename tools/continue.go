package tools

import (
	"context"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/runs"
)

type continueArgs struct {
	SessionID string `json:"session_id" max:"200"`
	Task      string `json:"task,omitempty" max:"20000"`
	ReplyMode string `json:"reply_mode,omitempty" max:"200"`
	Reset     bool   `json:"reset_environment" default:"false"`
	replyArgs
	runArgs
}

// goOn answers, gives more steps, or begins a related task.
func (t *tasks) goOn(ctx context.Context, c *call, a continueArgs) (*reply, error) {
	began := time.Now()
	before, err := t.statusOf(ctx, c, a.SessionID)
	if err != nil {
		return nil, err
	}
	answer, err := a.answer()
	if err != nil {
		return nil, err
	}
	set, err := t.settings(c, a.runArgs, a.ReplyMode, before.Settings)
	if err != nil {
		return nil, err
	}
	st, err := t.Runs.Continue(ctx, runs.ContinueRequest{
		SessionID: a.SessionID, Serial: a.Device, Task: a.Task, Reply: answer, MaxSteps: a.MaxSteps,
		ResetEnvironment: a.Reset, Queue: a.Queue, Settings: &set,
	})
	if err != nil {
		return nil, err
	}
	s := &callState{status: st, show: a.show(), began: began, budget: c.budget(a.Seconds)}
	if answer != nil {
		s.reply = answer.Text
		if st.Answered != nil && st.Answered.Secret {
			s.reply = inquiry.Masked
		}
	}
	return t.follow(ctx, c, s)
}

// answer is the answer in the arguments, nil when there is none.
func (a replyArgs) answer() (*runs.Reply, error) {
	if a.Reply != "" {
		return &runs.Reply{Text: a.Reply, QuestionID: a.QuestionID, ReplyID: a.ReplyID,
			Channel: inquiry.ChannelMCP}, nil
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
	}
	return nil, nil
}
