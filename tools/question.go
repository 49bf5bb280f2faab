package tools

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/taploop/taploop/tools/result"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/runs"
)

// questionNow is questionOf with the doors that are left, as who leads the question knows them.
func (t *Tools) questionNow(q inquiry.Question) *result.Question {
	out := result.NewQuestion(q)
	out.Doors = t.opts.Runs.Doors(q)
	if t.formClosed(q.ID) {
		out.Doors = slices.DeleteFunc(out.Doors, func(d inquiry.Door) bool { return d.Name == string(runs.Elicit) })
	}
	t.link(out)
	return out
}

// link adds the addresses under which the question can be answered over HTTP, when there is an HTTP face.
func (t *Tools) link(q *result.Question) {
	if q == nil || t.opts.BaseURL == "" {
		return
	}
	q.ReplyURL, q.PageURL = t.replyURL(q.ID), t.base()+"/ui#question="+url.QueryEscape(q.ID)
}

// replyURL is where programs answer the question, "" without an HTTP face.
func (t *Tools) replyURL(id string) string {
	if t.opts.BaseURL == "" {
		return ""
	}
	return t.base() + "/v1/inquiries/" + url.PathEscape(id) + "/reply"
}

func (t *Tools) base() string { return strings.TrimRight(t.opts.BaseURL, "/") }

// questionNotFound is the code about a question that is not there, or that is somebody else's.
const questionNotFound runs.Code = "QUESTION_NOT_FOUND"

// question is one that belongs to the caller: asked in a session of the caller's, or by the caller.
func (t *Tools) question(ctx context.Context, c *call, id string) (inquiry.Question, error) {
	q, err := t.opts.Runs.Broker().Get(ctx, id)
	owned := false
	if err == nil {
		owned, err = t.owns(ctx, c, q)
	}
	if err == nil && !owned || errors.Is(err, inquiry.ErrNotFound) {
		return q, runs.Refuse(questionNotFound, "call list_pending_questions and pass a question_id of its result", "there is no question %s", brief(id))
	}
	return q, err
}

func (t *Tools) owns(ctx context.Context, c *call, q inquiry.Question) (bool, error) {
	if q.SessionID == "" {
		return q.Client == c.principal, nil
	}
	_, err := t.opts.Runs.Session(ctx, q.SessionID, c.principal)
	if runs.CodeOf(err) == runs.SessionNotFound {
		return false, nil
	}
	return err == nil, err
}

// unresolved is the broker's refusal of an answer, with its code and with the call that tells more.
func unresolved(q inquiry.Question, err error) error {
	if errors.Is(err, inquiry.ErrNotFound) { // deleted meanwhile
		return runs.Refuse(questionNotFound, "call list_pending_questions", "there is no question %s", brief(q.ID))
	}
	err = runs.RefusedReply(err)
	mend := hint.Of(err)
	switch {
	case !inquiry.Late(err):
		return err
	case q.RunID == "":
		mend += "; send_inquiry with a prompt asks anew, and winner says how this question was settled"
	default:
		mend += "; ask_agent_wait with session_id " + quote(q.SessionID) + " shows how it stands"
	}
	return hint.Add(err, mend)
}
