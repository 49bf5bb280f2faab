package tools

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
	"github.com/taploop/taploop/tools/result"
)

// questions are those that belong to a caller: asked in a session of the caller's, or by the
// caller.
type questions struct {
	*Options
	forms *forms
}

// questionNotFound is the code about a question that is not there, or that is somebody else's.
const questionNotFound runs.Code = "QUESTION_NOT_FOUND"

// get is the one with the id, or with an id that begins so.
func (t *questions) get(ctx context.Context, c *call, id string) (inquiry.Question, error) {
	q, err := t.Questions.Find(ctx, id, func(q inquiry.Question) (bool, error) {
		return t.owns(ctx, c, q)
	})
	_, several := errors.AsType[*inquiry.AmbiguousError](err)
	switch {
	case several:
		return q, invalid("pass more of the question_id", "%w", err)
	case errors.Is(err, inquiry.ErrNotFound):
		return q, noQuestion(id)
	case err == nil:
		c.session = q.SessionID
	}
	return q, err
}

func noQuestion(id string) error {
	return runs.Refuse(questionNotFound,
		"call list_pending_questions and pass a question_id of its result",
		"there is no question %s", text.Quote(id, 60))
}

func (t *questions) owns(ctx context.Context, c *call, q inquiry.Question) (bool, error) {
	if q.SessionID == "" {
		return q.Client == c.principal, nil
	}
	_, err := t.Runs.Session(ctx, q.SessionID, c.principal)
	if runs.CodeOf(err) == runs.SessionNotFound {
		return false, nil
	}
	return err == nil, err
}

// shown is q as results show it, with the channels through which it can be answered now, and its
// addresses.
func (t *questions) shown(q inquiry.Question) *result.OpenQuestion {
	out := result.NewQuestion(q)
	out.Channels = t.Runs.Channels(q)
	if t.forms.wasClosed(q.ID) {
		out.Channels = slices.DeleteFunc(out.Channels, isForm)
	}
	t.link(out)
	return out
}

// link adds the addresses under which the question can be answered over HTTP, when that is on.
func (o *Options) link(q *result.OpenQuestion) {
	if q != nil && o.BaseURL != "" {
		q.ReplyURL = o.replyURL(q.ID)
		q.PageURL = strings.TrimRight(o.BaseURL, "/") + "/ui#question=" + url.QueryEscape(q.ID)
	}
}

// replyURL is where programs answer the question, "" without HTTP.
func (o *Options) replyURL(id string) string {
	if o.BaseURL == "" {
		return ""
	}
	return strings.TrimRight(o.BaseURL, "/") + "/v1/inquiries/" + url.PathEscape(id) + "/reply"
}

// unresolved is the broker's refusal of an answer, with its code and with the call that goes on.
func (t *questions) unresolved(ctx context.Context, q inquiry.Question, err error) error {
	switch late := inquiry.Late(err) || errors.Is(err, inquiry.ErrReplyIDReused); {
	case errors.Is(err, inquiry.ErrNotFound): // deleted meanwhile
		return noQuestion(q.ID)
	case late && q.RunID == "":
		return &redirect{runs.RefusedReply(err, session.Run{}), nextCall(inquiryTool,
			map[string]any{"question_id": q.ID}, "it shows how the question was settled")}
	case late:
		st, failed := t.Runs.Status(ctx, q.SessionID)
		if failed != nil {
			return failed
		}
		return runs.RefusedReply(err, st.Run)
	}
	return runs.RefusedReply(err, session.Run{})
}

// runOf is the call that shows how the run stands which has asked the question.
func (t *questions) runOf(q inquiry.Question) *result.Next {
	return nextCall(waitTool, map[string]any{"session_id": q.SessionID},
		"it shows how the run stands")
}
