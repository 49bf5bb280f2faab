package tools

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
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
	out.Channels = t.Runs.Desk().Channels(q)
	if t.forms.wasClosed(q.ID) {
		out.Channels = slices.DeleteFunc(out.Channels, isForm)
	}
	t.reach(out)
	return out
}

// reach leaves of an open question's channels those through which it can be settled, and adds the
// addresses under which it can be answered over HTTP, when that is on.
func (o *Options) reach(q *result.OpenQuestion) {
	if q == nil {
		return
	}
	q.Channels = channel.Settling(inquiry.Question{Body: &inquiry.Takeover{PeopleOnly: q.PeopleOnly}}, q.Channels)
	if o.BaseURL != "" {
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
		return &redirect{runs.RefusedReply(err, store.Run{}), nextCall(inquiryTool,
			map[string]any{"question_id": q.ID}, "it shows how the question was settled")}
	case late:
		st, failed := t.Runs.Status(ctx, q.SessionID)
		if failed != nil {
			return failed
		}
		return runs.RefusedReply(err, st.Run)
	}
	return runs.RefusedReply(err, store.Run{})
}

// status tells how a question stands that the call has waited for.
func (t *inquiries) status(c *call, q inquiry.Question, s *callState) (*toolResult, error) {
	body := result.NewInquiry(q)
	body.Replayed = s.replayed
	body.Timing, body.Notes = new(result.NewWaiting(time.Since(s.began), s.budget)), s.notes
	return t.statusFrom(c, q, body, s.from)
}

// statusFrom tells how a question stands, with its answer from a character on.
func (t *inquiries) statusFrom(c *call, q inquiry.Question, body *result.Inquiry, from int) (
	*toolResult, error) {
	if q.Open() {
		body.Question = t.questions.shown(q)
	}
	body.Next = nextOfQuestion(q)
	r := &toolResult{text: func() string { return t.said(q, body, c.messages) }}
	if res := q.Resolution; res != nil &&
		(res.Type == inquiry.TypeAnswer || res.Type == inquiry.TypeDefault) {
		body.Settled.Answer = "" // it is said once
		return r, c.fitAnswer(r, q, body, from)
	}
	return r, c.fit(r, body)
}

// fitAnswer adds the answer: all of it, or as much as fits and the call that reads on.
func (c *call) fitAnswer(r *toolResult, q inquiry.Question, body *result.Inquiry, from int) error {
	answer := []rune(q.Resolution.Response.String())
	from = min(from, len(answer))
	next, notes := body.Next, slices.Clip(body.Notes)
	r.body = body
	for to := len(answer); ; to = from + (to-from)*2/3 {
		part := string(answer[from:to])
		body.Answer, body.Values = &part, nil
		body.Next, body.Notes = next, notes
		if to == len(answer) && from == 0 {
			body.Values = result.ValuesOf(q)
		}
		if to < len(answer) {
			body.Notes = append(notes,
				fmt.Sprintf("the answer has %d characters; these are the ones from %d to %d",
					len(answer), from, to))
		}
		// a client that has answered knows the rest
		if to < len(answer) && c.request.Params.Name == inquiryTool {
			arguments := map[string]any{"question_id": q.ID, "answer_from": to}
			body.Next = nextCall(inquiryTool, arguments, "the answer goes on")
		}
		size, err := c.size(r)
		if err != nil || size <= maxResult || to <= from {
			return err
		}
	}
}

// nextOfQuestion names the call that goes on from a question; nil when there is nothing to go on
// with.
func nextOfQuestion(q inquiry.Question) *result.Next {
	switch {
	case q.RunID != "":
		return nextCall(waitTool, map[string]any{"session_id": q.SessionID},
			"the run goes on with the answer")
	case q.Open():
		return nextCall(inquiryTool, map[string]any{"question_id": q.ID}, "nobody has answered yet")
	}
	return nil
}

// said is how the question stands, in text: what has happened, the answer, and what follows.
func (t *inquiries) said(q inquiry.Question, body *result.Inquiry, in *messages) string {
	text := quoted(q.Text, 500)
	if q.Open() {
		who := fmt.Sprintf(in.OnlyYou, quote(q.ID))
		if len(t.Options.Channels) > 0 {
			who = fmt.Sprintf(in.OpenFor, strings.Join(t.Options.Channels, ", "))
		}
		return strings.Join([]string{fmt.Sprintf(in.InquiryOpen, text), who,
			fmt.Sprintf(in.WaitOn, quote(body.Next.Arguments))}, "\n")
	}
	lines := []string{fmt.Sprintf(in.InquiryClosed, q.Status, text)}
	switch {
	case body.Values != nil:
		lines = append(lines, fmt.Sprintf(in.TheAnswer, body.Values))
	case body.Answer != nil:
		lines = append(lines, fmt.Sprintf(in.TheAnswer, quote(*body.Answer)))
	}
	lines = append(lines, in.notes(body.Notes)...)
	switch next := body.Next; {
	case q.RunID != "":
		lines = append(lines, fmt.Sprintf(in.RunGoesOn, quote(next.Arguments)))
	case next != nil:
		lines = append(lines, fmt.Sprintf(in.ReadOn, quote(next.Arguments)))
	default:
		lines = append(lines, settledSentence(q, in))
	}
	return strings.Join(lines, "\n")
}

func settledSentence(q inquiry.Question, in *messages) string {
	switch answered := q.Status == inquiry.Answered; {
	case answered && q.Resolution.Type == inquiry.TypeDelegate:
		return fmt.Sprintf(in.LeftToYou, in.who(*q.Resolution))
	case answered && q.Secret:
		return in.SecretGiven
	case answered && q.Resolution.Authority == inquiry.AuthorityClientModel:
		return in.PassedOn
	case answered && q.Resolution.Recalled != "":
		who := q.Resolution.Who() + ", " + q.Resolution.Why
		return fmt.Sprintf(in.AnsweredBy, shortLine(who, 200))
	case answered:
		return fmt.Sprintf(in.AnsweredBy, in.who(*q.Resolution))
	case q.Status == inquiry.Refused:
		return in.Refused
	case q.Resolution.Type == inquiry.TypeDefault:
		return in.Defaulted
	}
	return fmt.Sprintf(in.Silent, q.Status)
}
