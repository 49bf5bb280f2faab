package tools

import (
	"context"
	"slices"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/runs"
)

var (
	replyParam = param{name: "reply_from_client", kind: textual, max: maxReply,
		words: "Your user's own answer to the open question, or that the user has done what was asked for. Never an answer of yours."}
	questionParam = param{name: "question_id", kind: textual, max: maxID,
		words: "The question that the answer is for. Left out, it is the open one."}
	replyIDParam = param{name: "reply_id", kind: textual, max: maxID,
		words: "An id of your own making for this answer: the same one sent again counts once, and is a success again."}
)

func (t *Tools) continueParams() []param {
	return slices.Concat([]param{
		sessionParam, replyParam,
		{name: "task", kind: textual, max: maxTask, words: taskWords + " Begins a related new task in the session. Leave it out to answer or to give more steps."},
		questionParam, replyIDParam,
		{name: "device_id", kind: textual, max: maxID, words: "The session's phone, as a check. Another phone than the session's is refused with DEVICE_MISMATCH."},
		t.stepsParam(), replyModeParam("Left out, it stays as it was."), resetParam(false)},
		showParams, []param{extraParam, secondsParam, queueParam, detachedParam})
}

// goOn answers, gives more steps, or begins a related task.
func (t *Tools) goOn(ctx context.Context, c *call) (*reply, error) {
	began := time.Now()
	id := c.args.text("session_id")
	before, err := t.statusOf(ctx, c, id)
	if err != nil {
		return nil, err
	}
	answer, err := answerOf(c.args)
	if err != nil {
		return nil, err
	}
	s := showsOf(c.args)
	set, err := t.settings(c, s, before.Settings)
	if err != nil {
		return nil, err
	}
	st, err := t.opts.Runs.Continue(ctx, runs.ContinueRequest{
		SessionID: id, Serial: c.args.text("device_id"), Task: c.args.text("task"), Reply: answer, MaxSteps: c.args.int("max_steps"),
		ResetEnvironment: c.args.flag("reset_environment"), Queue: c.args.flag("queue"), Settings: &set,
	})
	if err != nil {
		return nil, err
	}
	f := &following{status: st, shows: s, began: began}
	if answer != nil {
		f.reply = answer.Text
		if st.Answered != nil && st.Answered.Secret {
			f.reply = inquiry.Masked
		}
	}
	return t.follow(ctx, c, f)
}

// answerOf is the answer in the arguments, nil when there is none.
func answerOf(a args) (*runs.Reply, error) {
	if a.has("reply_from_client") {
		return &runs.Reply{Text: a.text("reply_from_client"), QuestionID: a.text("question_id"), ReplyID: a.text("reply_id"), Channel: inquiry.ChannelMCP}, nil
	}
	for _, name := range []string{"question_id", "reply_id"} {
		if a.has(name) {
			return nil, invalid("pass reply_from_client with your user's answer, or leave "+name+" out", "%s is for an answer, and reply_from_client is missing", name)
		}
	}
	return nil, nil
}

// statusOf tells how a session of the caller stands.
func (t *Tools) statusOf(ctx context.Context, c *call, id string) (runs.Status, error) {
	if _, err := t.opts.Runs.Session(ctx, id, c.principal); err != nil {
		return runs.Status{}, err
	}
	return t.opts.Runs.Status(ctx, id)
}
