package tools

import (
	"context"
	"strings"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/tools/result"

	"github.com/taploop/taploop/inquiry"
)

func pendingParams() []param {
	return []param{
		{name: "session_id", kind: textual, max: maxID, words: "Only the questions of this session. Left out, all of yours."},
		{name: "limit", kind: integer, def: 20, min: 1, max: 100, words: "How many questions at most; those that were asked first are listed."},
	}
}

// listPending lists the caller's open questions.
func (t *Tools) listPending(ctx context.Context, c *call) (*reply, error) {
	id := c.args.text("session_id")
	if id != "" {
		if _, err := t.opts.Runs.Session(ctx, id, c.principal); err != nil {
			return nil, err
		}
	}
	open, err := t.opts.Runs.Broker().List(ctx, inquiry.Filter{Status: inquiry.Pending, SessionID: id})
	if err != nil {
		return nil, err
	}
	body := result.Pending{Questions: []*result.Question{}}
	owned := map[string]bool{} // sessions
	for _, q := range open {
		mine, known := owned[q.SessionID]
		if !known || q.SessionID == "" {
			if mine, err = t.owns(ctx, c, q); err != nil {
				return nil, err
			}
			owned[q.SessionID] = mine
		}
		if !mine {
			continue
		}
		if body.Total++; body.Total <= c.args.int("limit") {
			listed := t.questionNow(q)
			listed.SessionID = q.SessionID
			body.Questions = append(body.Questions, listed)
		}
	}
	r := &reply{}
	if body.Total > 0 {
		r.tail = c.tongue.askPending
	}
	return r, r.fit(&body)
}

func answerParams() []param {
	return []param{
		{name: "question_id", kind: textual, required: true, max: maxID, words: "The question, as list_pending_questions or another result names it."},
		{name: "response", kind: textual, max: 30_000, words: "Your user's own answer: an option, words, the whole edited draft, or for a form one JSON object as text. With decline it is the reason."},
		{name: "values", kind: object, max: 60_000, words: "Your user's own answers to a form: an object with a value for each field's name. In the place of response."},
		{name: "decline", kind: flag, def: false, words: "Whether your user chose not to answer. That settles the question as refused."},
		replyIDParam,
	}
}

// answerQuestion answers in words that the client passes on.
func (t *Tools) answerQuestion(ctx context.Context, c *call) (*reply, error) {
	a := c.args
	r := inquiry.Reply{ID: a.text("reply_id"), Type: inquiry.TypeAnswer, Response: a.text("response"), Channel: inquiry.ChannelMCP, Authority: inquiry.AuthorityClientModel}
	if a.has("values") {
		r.Response = string(a.raw("values"))
	}
	if a.flag("decline") {
		r.Type = inquiry.TypeDecline
	}
	switch {
	case a.has("values") && a.has("response"):
		return nil, invalid("pass one of them: values for a form, response for anything else", "there are both values and response")
	case a.has("values") && a.flag("decline"):
		return nil, invalid("pass one of them", "there are both values and decline")
	case !a.has("values") && !a.has("response") && !a.flag("decline"):
		return nil, invalid("pass response with your user's own answer, values for a form, or decline", "there is no answer")
	}
	q, err := t.question(ctx, c, a.text("question_id"))
	if err != nil {
		return nil, err
	}
	if a.has("values") && len(q.Fields) == 0 {
		return nil, invalid("pass response with a text; the question is still open", "the question is no form, and there are values")
	}
	res, err := t.opts.Runs.Broker().Resolve(ctx, q.ID, r)
	if err != nil {
		return nil, unresolved(q, err)
	}
	return t.answerReply(c, res.Question, result.Inquiry{Replayed: res.Replayed})
}

// nextOfQuestion names the call that goes on from a question; nil when there is nothing to go on with.
func nextOfQuestion(q inquiry.Question) *result.Next {
	switch {
	case q.RunID != "":
		return nextCall("ask_agent_wait", map[string]any{"session_id": q.SessionID}, "the run goes on with the answer")
	case q.Open():
		return nextCall("send_inquiry", map[string]any{"question_id": q.ID}, "nobody has answered yet")
	}
	return nil
}

// inquiryLines tell the calling model what follows from how the question stands.
func (t *Tools) inquiryLines(q inquiry.Question, in *tongue) []string {
	n := nextOfQuestion(q)
	switch {
	case q.RunID != "":
		return []string{say(in.runGoesOn, quote(n.Arguments))}
	case q.Open() && len(t.opts.Doors) == 0:
		return []string{say(in.onlyYou, quote(q.ID)), say(in.waitOn, quote(n.Arguments))}
	case q.Open():
		return []string{say(in.openFor, strings.Join(t.opts.Doors, ", ")), say(in.waitOn, quote(n.Arguments))}
	case q.Status == inquiry.Answered && q.Secret:
		return []string{in.secretGiven}
	case q.Status == inquiry.Answered && q.Resolution.Authority == inquiry.AuthorityClientModel:
		return []string{in.passedOn}
	case q.Status == inquiry.Answered:
		return []string{say(in.answeredBy, text.Cut(text.Line(q.Resolution.Who()), 100))}
	case q.Status == inquiry.Refused:
		return []string{in.refused}
	case q.Resolution.Type == inquiry.TypeDefault:
		return []string{in.defaulted}
	}
	return []string{say(in.silent, q.Status)}
}
